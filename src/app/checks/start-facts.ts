import { developmentSecrets } from '../../apps/secrets/rotate-secret.ts';
import type { BoundKey, StartFacts } from '../../config/production/production-refusals.ts';
import type { Config } from '../../config/settings/types.ts';
import { DEMO_ID_COMM, DEMO_ORB_ID } from '../../development/demo-holder.ts';
import type { Engine } from '../../engine/engine.ts';
import { isServiceError } from '../../errors/service-error.ts';
import { FORGEABLE_FINGERPRINTS } from '../../membership/keys/built-in-keys.ts';
import { registerKey } from '../../membership/keys/key-registry.ts';
import { type KeyWithBytes, readKey } from '../../membership/keys/verifying-keys.ts';
import { unsafeKeys } from '../../refresh/keys/credential-keys.ts';
import { activeOf } from '../../refresh/keys/operate.ts';
import { isSealed } from '../../refresh/keys/registered-keys.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { IssuerKeyRow } from '../../storage/refresh/issuer-keys.ts';
import type { Store } from '../../storage/store.ts';
import { unusableRecords } from './unusable-records.ts';

const REFRESH_KEY = 'refresh.verificationKey';

/**
 * Reads the facts about the store that production checks before a start: records of the development profile, test data,
 * unusable keys.
 *
 * @param engine - Used to open the credential key.
 */
export async function gatherStoreFacts(
  config: Config,
  store: Store,
  engine: Engine,
  now: number,
): Promise<StartFacts> {
  const parts: StartFacts[] = [];
  for (const read of FACTS) parts.push(await read(config, store, engine, now));
  return Object.assign({}, ...parts);
}

/** Reads those facts of `gatherStoreFacts` that the tables of an older release can provide. */
export async function gatherOldStoreFacts(
  config: Config,
  store: Store,
  engine: Engine,
  now: number,
): Promise<StartFacts> {
  const parts: StartFacts[] = [];
  for (const read of FACTS) {
    const part = await read(config, store, engine, now).catch(() => undefined);
    if (part !== undefined) parts.push(part);
  }
  return Object.assign({}, ...parts);
}

type ReadFacts = (config: Config, store: Store, engine: Engine, now: number) => Promise<StartFacts>;

/** Independent queries of the store, so that the failure of one does not affect the others. */
const FACTS: readonly ReadFacts[] = [
  async (_config, { apps }, _engine, now) => {
    const marked = new Set((await apps.list()).filter((app) => app.isDevelopment).map(({ appId }) => appId));
    const secrets = await developmentSecrets(apps, now);
    return {
      developmentApps: [...marked],
      developmentSecrets: secrets.filter(({ appId }) => !marked.has(appId)),
    };
  },
  async (_config, store, _engine, now) => ({
    developmentSigningKeys: await developmentSigningKeys(store, now),
  }),
  async ({ refresh }, { issuerKeys }) => {
    const rows = await issuerKeys.listAll();
    return {
      unsafeCredentialKeys: unsafeKeys(rows),
      hasCredentialKey: canSign(rows, refresh.issuerSchemaId),
    };
  },
  async (_config, store) => await demoRecords(store),
  async (config, store, engine) => ({ boundKeys: await boundKeys(config, store, engine) }),
  async (config, store, engine, now) => ({ further: await unusableRecords(config, store, engine, now) }),
];

/** Reads the active records that the development profile creates; their secrets are public. */
async function demoRecords({ enrolments, orbKeys }: Store): Promise<Partial<StartFacts>> {
  const enrolment = await enrolments.find(DEMO_ID_COMM);
  const keys = (await orbKeys.list(DEMO_ORB_ID)).filter(({ status }) => status === 'active');
  return {
    demoEnrolments: enrolment?.status === 'active' ? [toHex(DEMO_ID_COMM)] : [],
    demoOrbKeys: keys.map(({ orbId, keyHash }) => ({ orbId, keyHash: toHex(keyHash).slice(2) })),
  };
}

async function developmentSigningKeys({ signingKeys }: Store, now: number): Promise<string[]> {
  const rows = await signingKeys.list('signin', now);
  return rows.flatMap(({ kid, isDevelopment }) => (isDevelopment ? [kid] : []));
}

function canSign(rows: readonly IssuerKeyRow[], issuerSchemaId: string): boolean {
  const active = activeOf(rows.filter((row) => row.issuerSchemaId === issuerSchemaId));
  return isSealed(active) && active.origin !== 'development';
}

/** Returns the facts about a store without tables; settings may bind keys that are not built in. */
export async function newStoreFacts(config: Config): Promise<StartFacts> {
  const nothing = { roots: { list: async () => [] }, verifyingKeys: { find: async () => undefined } };
  return { isStoreNew: true, hasCredentialKey: false, boundKeys: await boundKeys(config, nothing) };
}

/** Part of a store from which bound keys are read. */
interface KeyRecords {
  readonly roots: Pick<Store['roots'], 'list'>;
  readonly verifyingKeys: Pick<Store['verifyingKeys'], 'find'>;
}

/** Lists every key that a setting or a root binds, with its faults. */
async function boundKeys(config: Config, store: KeyRecords, engine?: Engine): Promise<BoundKey[]> {
  const bindings = new Map<string, readonly [keyId: string, boundBy: string]>();
  for (const [setting, keyId] of Object.entries(config.verify.keys)) bindings.set(setting, [keyId, setting]);
  const { enabled, verificationKey } = config.refresh;
  if (enabled) bindings.set(REFRESH_KEY, [verificationKey, REFRESH_KEY]);
  for (const { environment, tree, keyId } of await store.roots.list()) {
    const boundBy = `a root of ${environment}/${tree}`;
    if (keyId !== null) bindings.set(`${boundBy} ${keyId}`, [keyId, boundBy]);
  }
  return Promise.all(
    [...bindings.values()].map((binding) => describeBinding(binding, config, store, engine)),
  );
}

async function describeBinding(
  [keyId, boundBy]: readonly [string, string],
  config: Config,
  store: KeyRecords,
  engine: Engine | undefined,
): Promise<BoundKey> {
  const key = await readWholeKey(keyId, config, store);
  const fault = key && engine && (await faultOfPoints(key, config, engine));
  return {
    keyId,
    boundBy,
    origin: key?.origin ?? 'unknown',
    matchesFingerprint: key !== undefined,
    isForbidden: key !== undefined && FORGEABLE_FINGERPRINTS.has(key.fingerprint),
    ...(fault === undefined ? {} : { fault }),
  };
}

/**
 * Returns the reason why the engine refuses a key: an earlier release may have imported one under which proofs can be
 * forged.
 */
async function faultOfPoints(
  key: KeyWithBytes,
  { profile }: Config,
  engine: Engine,
): Promise<string | undefined> {
  try {
    await registerKey(engine, key, profile, () => undefined);
    return undefined;
  } catch (error) {
    if (isServiceError(error) && error.code.startsWith('key.')) return error.message;
    throw error;
  }
}

/** Reads a key; undefined when it is absent or its bytes do not match its fingerprint. */
async function readWholeKey(
  keyId: string,
  config: Config,
  store: KeyRecords,
): Promise<KeyWithBytes | undefined> {
  try {
    return await readKey(keyId, config.profile, store.verifyingKeys);
  } catch (error) {
    if (isServiceError(error, 'key.conflict')) return undefined;
    throw error;
  }
}
