import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CoreVerdict } from '../../../src/library/facade/engine-core.ts';
import { WebCore } from '../../../src/library/web/web-core.ts';
import { instantiate } from '../../../wasm/artifact/proofgate_wasm.js';
import { depthKey, PROOFS } from '../../engine/support/vectors.ts';
import { degenerateKeys, forgeableKeys } from '../../support/crypto/forgeable-keys.ts';
import { wasmFile } from '../support/statements.ts';

const module = new WebAssembly.Module(readFileSync(wasmFile('scalar')));
const KEY = depthKey(30);
const STATEMENTS = PROOFS.filter(({ depth }) => depth === 30).map(
  ({ proof, inputs }) => new Uint8Array(Buffer.concat([proof, inputs])),
);
const [TRUE, OTHER] = STATEMENTS as [Uint8Array, Uint8Array];
const FALSE = new Uint8Array(Buffer.concat([TRUE.subarray(0, 256), OTHER.subarray(256)]));
const VALID = { ok: true };

interface Trace {
  /** Number of statements of each call, and whether it trapped. */
  readonly calls: string[];
  instances: number;
}

/** A core that records its calls, and whose instances trap on the batches that `traps` names and fail afterwards. */
function tracedCore(
  traps: (statements: readonly Uint8Array[]) => boolean = () => false,
  limits: { readonly maxQueue?: number; readonly maxBatch?: number } = {},
): { readonly core: WebCore; readonly trace: Trace } {
  const trace: Trace = { calls: [], instances: 0 };
  const core = new WebCore({
    module,
    arithmetic: 'wasm-scalar',
    reason: 'test',
    maxQueue: 4096,
    maxBatch: 64,
    ...limits,
    instantiate: (compiled) => {
      trace.instances += 1;
      let isBroken = false;
      const functions = instantiate(compiled);
      return {
        ...functions,
        verifyBatch: (handle, batch, seed) => {
          if (isBroken) throw new Error('an instance that has trapped was used');
          const bytes = TRUE.length;
          const statements = Array.from({ length: batch.length / bytes }, (_, index) =>
            batch.subarray(index * bytes, (index + 1) * bytes),
          );
          isBroken = traps(statements);
          trace.calls.push(`${statements.length}${isBroken ? ' trapped' : ''}`);
          if (isBroken) throw new WebAssembly.RuntimeError('unreachable');
          return functions.verifyBatch(handle, batch, seed);
        },
      };
    },
  });
  return { core, trace };
}

/** A traced core that has the key `key`. */
async function loadedCore(...parts: Parameters<typeof tracedCore>): Promise<ReturnType<typeof tracedCore>> {
  const traced = tracedCore(...parts);
  await traced.core.addKey('key', KEY, false);
  return traced;
}

const isPoison = (statement: Uint8Array): boolean => Buffer.compare(statement, OTHER) === 0;
const verifyAll = (core: WebCore, statements: readonly Uint8Array[]): Promise<CoreVerdict[]> =>
  Promise.all(statements.map((statement) => core.verify('key', statement, undefined)));

describe('the core in one thread', () => {
  it('checks together what arrives in one turn, with at most `maxBatch` in a batch', async () => {
    const { core, trace } = await loadedCore(undefined, { maxBatch: 3 });
    expect(await verifyAll(core, [TRUE, FALSE, TRUE, OTHER])).toEqual([VALID, { ok: false }, VALID, VALID]);
    expect(trace.calls).toEqual(['3', '1']);
    expect(core.stats()).toMatchObject({ queueDepth: 0, running: 0, verified: 4, workerRestarts: 0 });
  });

  it('gives the event loop a turn between batches', async () => {
    const { core, trace } = await loadedCore(undefined, { maxBatch: 1 });
    const verdicts = verifyAll(core, [TRUE, TRUE, TRUE]);
    const seen: number[] = [];
    while (trace.calls.length < 3) {
      await turn();
      seen.push(trace.calls.length);
    }
    expect(seen).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(await verdicts).toEqual([VALID, VALID, VALID]);
  });

  it('lets keys take turns', async () => {
    const { core } = await loadedCore(undefined, { maxBatch: 1 });
    await core.addKey('other', KEY, false);
    const order: string[] = [];
    const verify = async (keyId: string): Promise<void> => {
      await core.verify(keyId, TRUE, undefined);
      order.push(keyId);
    };
    await Promise.all([verify('key'), verify('key'), verify('other')]);
    expect(order).toEqual(['key', 'other', 'key']);
  });

  it('refuses with engine.busy beyond its queue', async () => {
    const { core } = await loadedCore(undefined, { maxQueue: 2 });
    const accepted = verifyAll(core, [TRUE, TRUE]);
    expect(core.hasRoom()).toBe(false);
    await expect(core.verify('key', TRUE, undefined)).rejects.toMatchObject({ code: 'engine.busy' });
    expect(await accepted).toEqual([VALID, VALID]);
    expect(core.hasRoom()).toBe(true);
  });

  it('drops statements that were aborted while they waited', async () => {
    const { core, trace } = await loadedCore();
    const signal = AbortSignal.abort();
    const verdicts = [core.verify('key', TRUE, signal), core.verify('key', TRUE, undefined)];
    expect(await Promise.all(verdicts)).toEqual([{ ok: false, code: 'engine.cancelled' }, VALID]);
    expect(trace.calls).toEqual(['1']);
  });

  it('replaces the instance after a trap and answers each member of the batch', async () => {
    const { core, trace } = await loadedCore((statements) => statements.length > 1);
    expect(await verifyAll(core, [TRUE, FALSE, OTHER])).toEqual([VALID, { ok: false }, VALID]);
    expect(trace).toEqual({ calls: ['3 trapped', '1', '1', '1'], instances: 2 });
    expect(core.stats().workerRestarts).toBe(1);
  });

  it('gives up only the member that traps again, and serves other keys afterwards', async () => {
    const { core, trace } = await loadedCore((statements) => statements.some(isPoison));
    await core.addKey('other', KEY, false);
    expect(await verifyAll(core, [TRUE, OTHER, FALSE])).toEqual([
      VALID,
      { ok: false, code: 'engine.poison' },
      { ok: false },
    ]);
    expect(trace).toEqual({ calls: ['3 trapped', '1', '1 trapped', '1'], instances: 3 });
    expect(await core.verify('other', TRUE, undefined)).toEqual(VALID);
    expect(trace.instances).toBe(3);
  });

  it('rejects while no instance can be created, and recovers', async () => {
    let isFull = false;
    let hasTrapped = false;
    const core = new WebCore({
      module,
      arithmetic: 'wasm-scalar',
      reason: 'test',
      maxQueue: 8,
      maxBatch: 8,
      instantiate: (compiled) => {
        if (isFull) throw new RangeError('out of memory');
        const functions = instantiate(compiled);
        if (hasTrapped) return functions;
        return {
          ...functions,
          verifyBatch: () => {
            hasTrapped = true;
            isFull = true;
            throw new WebAssembly.RuntimeError('unreachable');
          },
        };
      },
    });
    await core.addKey('key', KEY, false);
    await expect(core.verify('key', TRUE, undefined)).rejects.toMatchObject({ code: 'engine.worker_failed' });
    expect(core.stats()).toMatchObject({ queueDepth: 0, running: 0 });
    isFull = false;
    expect(await core.verify('key', TRUE, undefined)).toEqual(VALID);
  });
});

describe('a key of the core', () => {
  it('is refused under a known id with other bytes, and accepted with the same', async () => {
    const { core } = await loadedCore();
    await core.addKey('key', KEY, false);
    await expect(core.addKey('key', depthKey(20), false)).rejects.toMatchObject({ code: 'key.conflict' });
    expect(core.inputCount('key')).toBe(4);
    expect(core.inputCount('other')).toBeUndefined();
    await expect(core.verify('other', TRUE, undefined)).rejects.toMatchObject({ code: 'engine.key_unknown' });
  });

  it('is refused if its length is wrong or a point is not on its curve', async () => {
    const { core } = tracedCore();
    await expect(core.addKey('a', KEY.subarray(1), false)).rejects.toMatchObject({ code: 'key.length' });
    const moved = KEY.slice();
    moved[63] = (moved[63] ?? 0) ^ 1;
    await expect(core.addKey('b', moved, false)).rejects.toMatchObject({ code: 'key.point_not_on_curve' });
    expect(core.inputCount('b')).toBeUndefined();
  });

  it('is refused if anyone can make proofs under it', async () => {
    const { core } = tracedCore();
    for (const { name, key } of await forgeableKeys())
      await expect(core.addKey(name, key, true), name).rejects.toMatchObject({ code: 'key.forgeable' });
  });

  it('is refused if its inputs are degenerate, unless that is accepted', async () => {
    const { core } = tracedCore();
    for (const { name, key, says } of await degenerateKeys()) {
      await expect(core.addKey(name, key, false), name).rejects.toMatchObject({
        code: 'key.degenerate_inputs',
        message: expect.stringContaining(says),
      });
      await core.addKey(name, key, true);
    }
  });
});
