import { openApps } from '../../apps/configured-apps.ts';
import { createByteSealer, masterKeyOf, previousMasterKeyOf } from '../../apps/secrets/master-key.ts';
import type { Config } from '../../config/settings/types.ts';
import { isServiceError, type ServiceError } from '../../errors/service-error.ts';
import { createKeyOperator } from '../../oidc/keys/operate.ts';
import { tryOpenKeys } from '../../oidc/keys/sealed-keys.ts';
import { activeOf } from '../../refresh/keys/operate.ts';
import { isSealed, type KeyEngine, openKey, registerConfigured } from '../../refresh/keys/registered-keys.ts';
import type { Store } from '../../storage/store.ts';

/**
 * Finds records of the store that these settings cannot use: keys that the master key does not open, a credential key
 * that is revoked, apps that the configuration also defines. Finds nothing without a master key.
 *
 * @returns One line per record, with its remedy.
 */
export async function unusableRecords(
  config: Config,
  store: Store,
  engine: KeyEngine,
  now: number,
): Promise<string[]> {
  if (config.keys.masterKey === undefined) return [];
  const checks = [
    ...(config.signin.enabled ? [unopenedSigningKeys(config, store, now)] : []),
    ...(config.refresh.enabled ? [openCredentialKey(config, store, engine)] : []),
    reasons(() => openApps(config, store.apps)),
  ];
  return (await Promise.all(checks)).flat();
}

/** Returns the reasons if the attempt fails with an error of the catalogue; rethrows any other error. */
async function reasons(attempt: () => Promise<unknown>): Promise<string[]> {
  try {
    await attempt();
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return reasonsOf(error);
  }
}

/** Turns an error into reasons against a start: the lines of its list, or its message with the cure. */
export function reasonsOf(error: ServiceError): string[] {
  const [head = '', ...lines] = error.message.split('\n');
  if (lines.length > 0) return lines.map((line) => line.trim());
  const cure = error.spec.cure.replace(/\.$/, '');
  return [`${head}; ${cure.charAt(0).toLowerCase()}${cure.slice(1)}`];
}

async function unopenedSigningKeys(config: Config, { signingKeys }: Store, now: number): Promise<string[]> {
  const { sealer } = createKeyOperator(signingKeys, config, () => now);
  const { faults } = await tryOpenKeys(await signingKeys.list('signin', now), sealer.open);
  return faults.flatMap(reasonsOf);
}

async function openCredentialKey(
  config: Config,
  { issuerKeys }: Store,
  engine: KeyEngine,
): Promise<string[]> {
  const { issuerSchemaId, signingSeed } = config.refresh;
  const rows = await issuerKeys.list(issuerSchemaId);
  if (signingSeed !== undefined) {
    const { keyId } = await registerConfigured(engine, signingSeed);
    const isRevoked = rows.some((row) => row.keyId === keyId && row.status === 'revoked');
    return isRevoked
      ? [`refresh.signingSeed is that of key ${keyId}, which is revoked; set another one`]
      : [];
  }
  const active = activeOf(rows);
  if (!isSealed(active)) return [];
  const sealer = createByteSealer(masterKeyOf(config), previousMasterKeyOf(config));
  return await reasons(() => openKey(active, { sealer, engine }));
}
