import { statSync } from 'node:fs';
import {
  productionRefusals,
  refuseUnsafeStart,
  type StartFacts,
} from '../../config/production/production-refusals.ts';
import type { Config } from '../../config/settings/types.ts';
import { dataDirMode } from '../../config/sources/load.ts';
import type { ExaminedConfig } from '../../config/sources/loaded-config.ts';
import { readCertificate, tlsFilesOf } from '../../config/sources/tls-files.ts';
import { choiceOf } from '../../engine/backends/backend.ts';
import { answersOf, differenceOf } from '../../engine/backends/compare-backends.ts';
import { createEngine } from '../../engine/create-engine.ts';
import type { Engine, EngineSettings } from '../../engine/engine.ts';
import { isServiceError, type ServiceError } from '../../errors/service-error.ts';
import { parseStoreUrl } from '../../storage/files/store-url.ts';
import { openStore } from '../../storage/open-store.ts';
import type { Store } from '../../storage/store.ts';
import { gatherOldStoreFacts, gatherStoreFacts, newStoreFacts } from './start-facts.ts';
import { reasonsOf } from './unusable-records.ts';

/** Input of the checks before a start in production. */
export interface ProductionStart {
  readonly settings: Pick<ExaminedConfig, 'config' | 'origins'> &
    Partial<Pick<ExaminedConfig, 'faults' | 'faultyKeys'>>;
  /** Whether pending migrations will be applied. */
  readonly isMigrating: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Facts read from the store, and the error that prevented reading more. */
interface StoreFinding {
  readonly facts: StartFacts;
  readonly error?: ServiceError;
}

/**
 * Refuses a start that is unsafe or would fail, and lists all reasons: settings, files, store, keys, backends. Writes
 * nothing. A store with the tables of an older release provides only some facts; check again after the migration.
 *
 * @throws ServiceError `config.production_refused`; if the only fault is that the store cannot be used, its own error
 */
export async function refuseUnsafeProduction(start: ProductionStart): Promise<void> {
  const { settings } = start;
  const { config } = settings;
  const { engine, reasons } = await openEngine(config);
  try {
    const store = await inspectStore(start, engine);
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
    // The exit code of this error distinguishes an unavailable dependency from wrong settings.
    if (productionRefusals(settings, facts).length === 0) throw error;
    refuseUnsafeStart(settings, { ...facts, further: [...(facts.further ?? []), ...reasonsOf(error)] });
  } finally {
    await engine.close();
  }
}

function inThread(backend: EngineSettings['backend']): EngineSettings {
  return { workers: 0, maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0, backend };
}

/** Opens an engine in this thread; if the chosen backend does not run, opens another and returns the reasons. */
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

/**
 * Describes how the answers of addon and WASM differ; undefined when they agree or the engine runs on WASM.
 */
async function backendDisagreement(engine: Engine): Promise<string | undefined> {
  const { backend, arithmetic } = engine.stats();
  if (backend !== 'native') return undefined;
  // The addon has one arithmetic per process: choosing another one here would change that of the service.
  const native = await createEngine(inThread(choiceOf(arithmetic)));
  // The comparison itself fills the SIMD lanes.
  const wasm = await createEngine(inThread('wasm'), { selfTest: 'short' });
  try {
    return differenceOf(await answersOf(native), await answersOf(wasm));
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

async function inspectStore(start: ProductionStart, engine: Engine): Promise<StoreFinding> {
  const { config, origins, faultyKeys } = start.settings;
  if (origins['storage.url'] === 'default' || faultyKeys?.has('storage.url')) return { facts: {} };
  try {
    const address = parseStoreUrl(config.storage.url);
    const isAbsent = address.engine === 'libsql' && !isWritten(address.path);
    return { facts: isAbsent ? await absentStoreFacts(start) : await openStoreFacts(start, engine) };
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
  // Nothing else waits for the event loop yet, and no thread starts.
  const store = await openStore(config.storage, { readOnly: true, writesInline: true });
  try {
    const facts = await tableFacts(store, { settings, isMigrating, now }, engine);
    return { ...facts, further: [...volatileRefusals(config, store), ...(facts.further ?? [])] };
  } finally {
    await store.close();
  }
}

async function tableFacts(store: Store, start: ProductionStart, engine: Engine): Promise<StartFacts> {
  const { config } = start.settings;
  const { applied, pending } = await store.migrationStatus();
  if (applied.length === 0) return await absentStoreFacts(start);
  if (pending.length === 0) return await gatherStoreFacts(config, store, engine, start.now);
  return {
    ...(await gatherOldStoreFacts(config, store, engine, start.now)),
    ...(start.isMigrating ? {} : { pendingMigrations: pending.map(({ name }) => name) }),
  };
}

/** Returns the refusals for a database server that may lose acknowledged writes, unless the settings allow it. */
function volatileRefusals({ storage }: Config, store: Store): string[] {
  if (storage.allowVolatile) return [];
  const cure = 'change it on the server, or accept the loss with storage.allowVolatile';
  return store.health().durability.faults.map((fault) => `the store: ${fault}; ${cure}`);
}

/** Whether the file has content, or cannot be examined. */
function isWritten(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch {
    return true;
  }
}
