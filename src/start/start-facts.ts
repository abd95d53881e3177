import { type BoundKey, dataDirMode, type StartFacts } from '../config/index.ts';
import type { Config } from '../config/types.ts';
import { compareBackends, createEngine, type Engine } from '../engine/index.ts';
import type { Store } from '../storage/index.ts';
import { FORGEABLE_FINGERPRINTS, type KeyInfo, listKeys } from '../verification/index.ts';

/** What production wants to know of the store, the keys and the backends before it starts (operations.md 3). */
export async function gatherStartFacts(config: Config, store: Store, engine: Engine): Promise<StartFacts> {
  const mode = await dataDirMode(config.dataDir);
  const disagreement = await backendDisagreement(engine);
  const apps = await store.apps.list();
  return {
    ...(mode === undefined ? {} : { dataDirMode: mode }),
    developmentApps: apps.filter((app) => app.isDevelopment).map((app) => app.appId),
    boundKeys: await boundKeys(config, store),
    ...(disagreement === undefined ? {} : { backendDisagreement: disagreement }),
  };
}

/** Every key that a setting or a root binds, with what speaks against it. */
async function boundKeys(config: Config, store: Store): Promise<BoundKey[]> {
  const keys = new Map((await listKeys(config.profile, store.verifyingKeys)).map((key) => [key.keyId, key]));
  const roots = await store.roots.list();
  const bindings = new Map<string, readonly [keyId: string, boundBy: string]>();
  for (const [setting, keyId] of Object.entries(config.verify.keys)) bindings.set(setting, [keyId, setting]);
  for (const { environment, tree, keyId } of roots) {
    const boundBy = `a root of ${environment}/${tree}`;
    if (keyId !== null) bindings.set(`${boundBy} ${keyId}`, [keyId, boundBy]);
  }
  return [...bindings.values()].map(([keyId, boundBy]) => describeBinding(keyId, boundBy, keys.get(keyId)));
}

function describeBinding(keyId: string, boundBy: string, key: KeyInfo | undefined): BoundKey {
  return {
    keyId,
    boundBy,
    origin: key?.origin ?? 'unknown',
    // Reading a key compares its bytes with its fingerprint; a key that is not there has none.
    matchesFingerprint: key !== undefined,
    isForbidden: key !== undefined && FORGEABLE_FINGERPRINTS.has(key.fingerprint),
  };
}

/** How addon and WASM differ; undefined when they agree or WASM runs already. */
async function backendDisagreement(engine: Engine): Promise<string | undefined> {
  if (engine.stats().backend !== 'native') return undefined;
  const inThread = { workers: 0, maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 } as const;
  const native = await createEngine({ ...inThread, backend: 'native' });
  const wasm = await createEngine({ ...inThread, backend: 'wasm' });
  try {
    return await compareBackends(native, wasm);
  } finally {
    await Promise.all([native.close(), wasm.close()]);
  }
}
