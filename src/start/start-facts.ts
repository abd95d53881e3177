import { developmentSecrets } from '../apps/index.ts';
import { type BoundKey, dataDirMode, type StartFacts } from '../config/index.ts';
import type { Config } from '../config/types.ts';
import { DEMO_ID_COMM, DEMO_ORB_ID } from '../development/index.ts';
import { choiceOf, compareBackends, createEngine, type Engine } from '../engine/index.ts';
import { isServiceError } from '../errors/index.ts';
import { FORGEABLE_FINGERPRINTS, type KeyInfo, readKey } from '../membership/index.ts';
import { activeOf, isSealed, unsafeKeys } from '../refresh/keys/index.ts';
import { toHex } from '../semaphore/index.ts';
import type { IssuerKeyRow, Store } from '../storage/index.ts';

const REFRESH_KEY = 'refresh.verificationKey';

/** What production wants to know of the store, the keys and the backends before it starts (operations.md 3). */
export async function gatherStartFacts(
  config: Config,
  store: Store,
  engine: Engine,
  now: number = Date.now(),
): Promise<StartFacts> {
  const mode = await dataDirMode(config.dataDir);
  const disagreement = await backendDisagreement(engine);
  const apps = await store.apps.list();
  const marked = new Set(apps.filter((app) => app.isDevelopment).map((app) => app.appId));
  const secrets = await developmentSecrets(store.apps, now);
  const credentialKeys = await store.issuerKeys.listAll();
  return {
    ...(mode === undefined ? {} : { dataDirMode: mode }),
    developmentApps: [...marked],
    developmentSecrets: secrets.filter(({ appId }) => !marked.has(appId)),
    developmentSigningKeys: await developmentSigningKeys(store, now),
    unsafeCredentialKeys: unsafeKeys(credentialKeys),
    hasCredentialKey: canSign(credentialKeys, config.refresh.issuerSchemaId),
    ...(await demoRecords(store)),
    boundKeys: await boundKeys(config, store),
    ...(disagreement === undefined ? {} : { backendDisagreement: disagreement }),
  };
}

/** What the development profile enrols and registers, while it is active: everybody knows the secrets. */
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

/** Every key that a setting or a root binds, with what speaks against it. */
async function boundKeys(config: Config, store: Store): Promise<BoundKey[]> {
  const bindings = new Map<string, readonly [keyId: string, boundBy: string]>();
  for (const [setting, keyId] of Object.entries(config.verify.keys)) bindings.set(setting, [keyId, setting]);
  const { enabled, verificationKey } = config.refresh;
  if (enabled) bindings.set(REFRESH_KEY, [verificationKey, REFRESH_KEY]);
  for (const { environment, tree, keyId } of await store.roots.list()) {
    const boundBy = `a root of ${environment}/${tree}`;
    if (keyId !== null) bindings.set(`${boundBy} ${keyId}`, [keyId, boundBy]);
  }
  return Promise.all([...bindings.values()].map((binding) => describeBinding(binding, config, store)));
}

async function describeBinding(
  [keyId, boundBy]: readonly [string, string],
  config: Config,
  store: Store,
): Promise<BoundKey> {
  const key = await readWholeKey(keyId, config, store);
  return {
    keyId,
    boundBy,
    origin: key?.origin ?? 'unknown',
    matchesFingerprint: key !== undefined,
    isForbidden: key !== undefined && FORGEABLE_FINGERPRINTS.has(key.fingerprint),
  };
}

/** The key, or undefined when it is not there or its bytes are not those of its fingerprint. */
async function readWholeKey(keyId: string, config: Config, store: Store): Promise<KeyInfo | undefined> {
  try {
    return await readKey(keyId, config.profile, store.verifyingKeys);
  } catch (error) {
    if (isServiceError(error, 'key.conflict')) return undefined;
    throw error;
  }
}

/** How addon and WASM differ; undefined when they agree or WASM runs already. */
async function backendDisagreement(engine: Engine): Promise<string | undefined> {
  const { backend, arithmetic } = engine.stats();
  if (backend !== 'native') return undefined;
  const inThread = { workers: 0, maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 } as const;
  // The addon has one arithmetic for all engines: any other here would change what the service runs with.
  const native = await createEngine({ ...inThread, backend: choiceOf(arithmetic) });
  const wasm = await createEngine({ ...inThread, backend: 'wasm' });
  try {
    return await compareBackends(native, wasm);
  } finally {
    await Promise.all([native.close(), wasm.close()]);
  }
}
