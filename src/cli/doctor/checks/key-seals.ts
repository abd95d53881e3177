import { createByteSealer, findMasterKey, previousMasterKeyOf } from '../../../apps/index.ts';
import type { Config } from '../../../config/index.ts';
import { isServiceError, ServiceError } from '../../../errors/index.ts';
import { createSealer, type Sealer } from '../../../oidc/keys/index.ts';
import type { IssuerKeyRow, SigningKeyRow } from '../../../storage/index.ts';
import { type CheckResult, fail } from '../check.ts';

/** Which keys of the store the former master key alone opens. */
export interface FormerSeals {
  readonly signingKeys: number;
  readonly credentialKeys: number;
}

/** What opening the signing keys of sign-in showed. */
export interface OpenedSigningKeys {
  /** A key that signs or will sign and cannot be opened. */
  readonly failure: CheckResult | undefined;
  /** Keys that only the former master key opens. */
  readonly former: number;
}

/**
 * Opens the published keys of sign-in as a start of the service does. A retired key that nobody can open is no fault:
 * its public half is all that is needed.
 */
export async function openSigningKeys(
  rows: readonly SigningKeyRow[],
  config: Config,
): Promise<OpenedSigningKeys> {
  const masterKey = findMasterKey(config);
  const sealer = masterKey && createSealer(masterKey, previousMasterKeyOf(config));
  let failure: CheckResult | undefined;
  let former = 0;
  for (const row of rows) {
    try {
      if (!(await openRow(row, sealer, config)) && row.isSealed) former++;
    } catch (error) {
      if (!isServiceError(error, 'signing_key.cannot_open')) throw error;
      if (row.state !== 'retired') failure ??= fail('signing keys', error.message, error.spec.cure ?? '');
    }
  }
  return { failure, former };
}

/** Whether the key is sealed under the master key in force. */
async function openRow(row: SigningKeyRow, sealer: Sealer | undefined, config: Config): Promise<boolean> {
  if (sealer !== undefined) return (await sealer.open(row)).isSealedNow;
  if (!row.isSealed) return false;
  const place = `the master key that was made up in ${config.dataDir} is gone`;
  throw new ServiceError('signing_key.cannot_open', `signing key ${row.kid}: ${place}`);
}

/** Seeds of credential keys that only the former master key opens. */
export async function formerSeeds(rows: readonly IssuerKeyRow[], config: Config): Promise<number> {
  const masterKey = findMasterKey(config);
  if (masterKey === undefined) return 0;
  const sealer = createByteSealer(masterKey, previousMasterKeyOf(config));
  let former = 0;
  for (const { sealedSeed } of rows) {
    const opened = sealedSeed === null ? undefined : await sealer.open(sealedSeed);
    if (opened?.isSealedNow === false) former++;
    opened?.bytes.fill(0);
  }
  return former;
}
