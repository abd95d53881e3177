import type { Config } from '../../config/settings/types.ts';
import type { Engine, Verdict } from '../../engine/engine.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Tracing } from '../../observability/tracing/tracing.ts';
import type { NullifierStore } from '../../storage/nullifiers/nullifier-store.ts';
import type { Store } from '../../storage/store.ts';
import { buildVersion } from '../../version.ts';
import type { Part } from '../lifecycle.ts';

/** Starts tracing if `tracing.endpoint` is set. */
export async function startServiceTracing(
  { tracing: { endpoint, samplePercent }, baseUrl }: Pick<Config, 'tracing' | 'baseUrl'>,
  log: Pick<Log, 'repeated'>,
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const scheme = new URL(baseUrl).protocol.slice(0, -1);
  const onFailed = (reason: string): void =>
    log.repeated('tracing', `spans could not be delivered: ${reason}`, { event: 'tracing.export_failed' });
  // The library is loaded only on use.
  const { createOtlpTracing } = await import('../../observability/tracing/otlp-tracing.ts');
  return createOtlpTracing({ endpoint, samplePercent, scheme, version: buildVersion(), onFailed });
}

/** Returns tracing as a part; its stop delivers the queued spans. */
export function tracingPart(tracing: Tracing | undefined): Part | undefined {
  return tracing && { name: 'tracing', stop: () => tracing.close() };
}

/** Returns the engine; if tracing is on, one that records a span for each proof of a request. */
export function tracedEngine(engine: Engine, tracing: Tracing | undefined): Engine {
  if (tracing === undefined) return engine;
  const traced: Pick<Engine, 'verify' | 'verifyStatement'> = {
    async verify(keyId, proof, inputs, options) {
      const span = tracing.begin('engine.verify', { 'proofgate.key_id': keyId });
      try {
        const verdict = await engine.verify(keyId, proof, inputs, options);
        span?.end(outcomeOf(verdict));
        return verdict;
      } catch (error) {
        span?.end('failed');
        throw error;
      }
    },
    verifyStatement(keyId, statement, options, receiver, index) {
      const span = tracing.begin('engine.verify', { 'proofgate.key_id': keyId });
      if (span === undefined) return engine.verifyStatement(keyId, statement, options, receiver, index);
      const traced = {
        verdict(_: number, verdict: Verdict) {
          span.end(outcomeOf(verdict));
          span.within(() => receiver.verdict(index, verdict));
        },
        failed(_: number, fault: Parameters<typeof receiver.failed>[1]) {
          span.end(fault.code);
          span.within(() => receiver.failed(index, fault));
        },
      };
      return engine.verifyStatement(keyId, statement, options, traced, index);
    },
  };
  return new Proxy(engine, {
    get(target, key) {
      if (key === 'verify' || key === 'verifyStatement') return traced[key];
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function outcomeOf(verdict: Verdict): string {
  if (verdict.ok) return 'ok';
  return verdict.code ?? 'false';
}

/** Returns the store; if tracing is on, one that records a span for each commit of a nullifier. */
export function tracedStore(store: Store, tracing: Tracing | undefined): Store {
  if (tracing === undefined) return store;
  const nullifiers: NullifierStore = {
    async record(entry) {
      const span = tracing.begin('store.record_nullifier', {});
      try {
        const record = await store.nullifiers.record(entry);
        span?.end(record.isNew ? 'new' : 'known');
        return record;
      } catch (error) {
        span?.end('failed');
        throw error;
      }
    },
  };
  return { ...store, nullifiers };
}
