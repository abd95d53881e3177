import { createByteSealer, findMasterKey, previousMasterKeyOf } from '../../../apps/secrets/master-key.ts';
import type { Config } from '../../../config/settings/types.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { createSealer, type OpenedKeys, tryOpenKeys } from '../../../oidc/keys/sealed-keys.ts';
import type { IssuerKeyRow } from '../../../storage/refresh/issuer-keys.ts';
import type { SigningKeyRow } from '../../../storage/signin/signing-keys.ts';

/** Numbers of keys in the store that only the former master key opens. */
export interface FormerSeals {
  readonly signingKeys: number;
  readonly credentialKeys: number;
}

/** Opens the published sign-in keys as a start of the service does. */
export async function openSigningKeys(rows: readonly SigningKeyRow[], config: Config): Promise<OpenedKeys> {
  const masterKey = findMasterKey(config);
  if (masterKey !== undefined) {
    return await tryOpenKeys(rows, createSealer(masterKey, previousMasterKeyOf(config)).open);
  }
  return await tryOpenKeys(rows, async ({ kid, isSealed }) => {
    if (!isSealed) return { isUnderCurrentKey: false };
    const place = `the master key that was generated in ${config.dataDir} is gone`;
    throw new ServiceError('signing_key.cannot_open', `signing key ${kid}: ${place}`);
  });
}

/** Counts the seeds of credential keys that only the former master key opens. */
export async function formerSeeds(rows: readonly IssuerKeyRow[], config: Config): Promise<number> {
  const masterKey = findMasterKey(config);
  if (masterKey === undefined) return 0;
  const sealer = createByteSealer(masterKey, previousMasterKeyOf(config));
  let former = 0;
  for (const { sealedSeed } of rows) {
    const opened = sealedSeed === null ? undefined : await sealer.open(sealedSeed);
    if (opened?.isUnderCurrentKey === false) former++;
    opened?.bytes.fill(0);
  }
  return former;
}
