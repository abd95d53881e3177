import { statSync } from 'node:fs';
import {
  type Config,
  dataDirMode,
  type ExaminedConfig,
  productionRefusals,
  readCertificate,
  refuseUnsafeStart,
  type StartFacts,
  tlsFilesOf,
} from '../../config/index.ts';
import {
  choiceOf,
  compareBackends,
  createEngine,
  type Engine,
  type EngineSettings,
} from '../../engine/index.ts';
import { isServiceError, type ServiceError } from '../../errors/index.ts';
import { openStore, parseStoreUrl } from '../../storage/index.ts';
import { gatherOldStoreFacts, gatherStoreFacts, newStoreFacts } from './start-facts.ts';
import { reasonsOf } from './unusable-records.ts';

/** What a start in production is judged by. */
export interface ProductionStart {
  readonly settings: Pick<ExaminedConfig, 'config' | 'origins'> &
    Partial<Pick<ExaminedConfig, 'faults' | 'faultyKeys'>>;
  /** Pending migrations will be applied. */
  readonly isMigrating: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the store tells, and the error that kept it from telling more. */
interface StoreFinding {
  readonly facts: StartFacts;
  readonly error?: ServiceError;
}

/**
 * Refuses a start that is unsafe or would fail, with all reasons at once: settings, files, store, keys, backends. Nothing
 * is written. A store whose tables are those of an older release tells what it can, and has to be looked at again once
 * it is migrated.
 *
 * @throws ServiceError `config.production_refused`; where the store is all that cannot be used, its own error
 */
export async function refuseUnsafeProduction(start: ProductionStart): Promise<void> {
  const { settings } = start;
  const { config } = settings;
  const { engine, reasons } = await openEngine(config);
  try {
    const store = await lookAtStore(start, engine);
    const disagreement = await backendDisagreement(engine);
    const mode = await dataDirMode(config.dataDir);
    const facts: StartFacts = {
      ...store.facts,
      further: [...(await unreadableTls(config)), ...reasons, ...(store.facts.further ?? [])],
      ...(mode === undefined ? {} : { dataDirMode: mode }),
      ...(disagreement === undefined ? {} : { backendDisagreement: disagreement }),
    };
    const { error } = store;
    if (error === undefined) return refuseUnsafeStart(settings, facts);
    // Its own exit code tells a dependency that is down from settings that are wrong.
    if (productionRefusals(settings, facts).length === 0) throw error;
    refuseUnsafeStart(settings, { ...facts, further: [...(facts.further ?? []), ...reasonsOf(error)] });
  } finally {
    await engine.close();
  }
}

function inThread(backend: EngineSettings['backend']): EngineSettings {
  return { workers: 0, maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0, backend };
}

/** An engine in this thread for these looks; another one, and why, where the chosen backend does not run. */
async function openEngine({
  engine: { backend },
}: Config): Promise<{ readonly engine: Engine; readonly reasons: readonly string[] }> {
  try {
    return { engine: await createEngine(inThread(backend)), reasons: [] };
  } catch (error) {
    if (!isServiceError(error) || backend === 'auto') throw error;
    const reasons = reasonsOf(error).map((reason) => `engine.backend ${backend}: ${reason}`);
    return { engine: await createEngine(inThread('auto')), reasons };
  }
}

/** How addon and WASM differ; undefined when they agree or WASM runs already. */
async function backendDisagreement(engine: Engine): Promise<string | undefined> {
  const { backend, arithmetic } = engine.stats();
  if (backend !== 'native') return undefined;
  // The addon has one arithmetic for all engines: any other here would change what the service runs with.
  const native = await createEngine(inThread(choiceOf(arithmetic)));
  const wasm = await createEngine(inThread('wasm'));
  try {
    return await compareBackends(native, wasm);
  } finally {
    await Promise.all([native.close(), wasm.close()]);
  }
}

async function unreadableTls({ tls }: Config): Promise<string[]> {
  const files = tlsFilesOf(tls);
  if (files === undefined) return [];
  try {
    await readCertificate(files);
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return reasonsOf(error);
  }
}

async function lookAtStore(start: ProductionStart, engine: Engine): Promise<StoreFinding> {
  const { config, origins, faultyKeys } = start.settings;
  if (origins['storage.url'] === 'default' || faultyKeys?.has('storage.url')) return { facts: {} };
  try {
    const { path } = parseStoreUrl(config.storage.url);
    return { facts: isWritten(path) ? await openStoreFacts(start, engine) : await absentStoreFacts(start) };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { facts: {}, error };
  }
}

async function absentStoreFacts({ settings, isMigrating }: ProductionStart): Promise<StartFacts> {
  return {
    ...(await newStoreFacts(settings.config)),
    ...(isMigrating ? {} : { pendingMigrations: ['all: the store is new'] }),
  };
}

async function openStoreFacts(
  { settings, isMigrating, now }: ProductionStart,
  engine: Engine,
): Promise<StartFacts> {
  const { config } = settings;
  const store = await openStore(config.storage, { readOnly: true });
  try {
    const { applied, pending } = await store.migrationStatus();
    if (applied.length === 0) return await absentStoreFacts({ settings, isMigrating, now });
    if (pending.length === 0) return await gatherStoreFacts(config, store, engine, now);
    return {
      ...(await gatherOldStoreFacts(config, store, engine, now)),
      ...(isMigrating ? {} : { pendingMigrations: pending.map(({ name }) => name) }),
    };
  } finally {
    await store.close();
  }
}

/** Whether there is a file with something in it, or something that keeps from knowing. */
function isWritten(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch {
    return true;
  }
}
