import { describe, expect, it } from 'vitest';
import type { CryptoFunctions } from '../../../src/engine/backends/backend.ts';
import { loadBackend } from '../../../src/engine/backends/load-backend.ts';
import { findNative } from '../../../src/engine/backends/native.ts';
import { Performer } from '../../../src/engine/worker/performer.ts';
import type { CallAnswer, CallResult, CallTask } from '../../../src/engine/worker/task.ts';
import { R } from '../../support/crypto/trapdoor.ts';
import { word } from '../support/vectors.ts';

const found = findNative();
const numbered = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, index) => word(String(index + 1)));
const pairs = (count: number): Uint8Array[] =>
  numbered(count).map((one) => new Uint8Array(Buffer.concat([one, one])));

const resultsOf = (answer: CallAnswer): readonly CallResult[] => {
  if (answer.kind !== 'done') throw new Error(`the task ended as ${answer.kind}`);
  return answer.results;
};

describe.skipIf('reason' in found)('a task of many calls', async () => {
  if ('reason' in found) return;
  const backend = await loadBackend(found);
  const names: string[] = [];
  // Writes down which functions of the core are called.
  const functions = new Proxy(backend.functions, {
    get(target, name: keyof CryptoFunctions) {
      const real = target[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        names.push(name);
        return real.apply(target, args);
      };
    },
  });
  const performer = new Performer({ kind: 'native', functions, instance: 0, renew: () => Promise.resolve() });
  const seed = new SharedArrayBuffer(32);
  new Uint8Array(seed).fill(9);

  const perform = async (task: Omit<CallTask, 'kind'>): Promise<readonly CallResult[]> => {
    names.length = 0;
    return resultsOf(await performer.perform({ kind: 'call', ...task }));
  };
  /** The answers of one task for each item. */
  const alone = async (task: Omit<CallTask, 'kind'>): Promise<CallResult[]> => {
    const answers = await Promise.all(task.items.map((item) => perform({ ...task, items: [item] })));
    return answers.flat();
  };

  it.each([
    ['poseidon2', { call: 'poseidon2', width: 2, items: pairs(19) }, ['poseidon2']],
    ['poseidon of one element', { call: 'poseidon', items: numbered(19) }, ['poseidonMany']],
    ['poseidon of two elements', { call: 'poseidon', items: pairs(19) }, ['poseidonMany']],
    [
      'oneLeafRoot',
      { call: 'oneLeafRoot', depth: 3, items: numbered(19) },
      ['poseidonMany', 'poseidonMany', 'poseidonMany'],
    ],
    ['sign', { call: 'sign', key: { id: 1, source: seed }, items: numbered(19) }, ['sign']],
  ] as const)('%s is one call into the core, and each is answered as alone', async (_, task, calls) => {
    const expected = await alone(task);
    expect(expected.every(({ ok }) => ok)).toBe(true);
    expect(await perform(task)).toEqual(expected);
    expect(names).toEqual(calls);
  });

  it('answers the companions of a call that the core refuses', async () => {
    const items = numbered(5).with(3, word(String(R)));
    const results = await perform({ call: 'poseidon', items });
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, false, true]);
    expect(results[3]).toMatchObject({ code: 'input.range', detail: expect.stringContaining('element 0') });
    expect(results).toEqual(await alone({ call: 'poseidon', items }));
  });

  it('does items of different lengths one by one', async () => {
    const items = [...numbered(2), ...pairs(2), new Uint8Array(31), new Uint8Array(0)];
    const results = await perform({ call: 'poseidon', items });
    expect(names).toEqual(Array(6).fill('poseidon'));
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true, false, false]);
    const empty = await perform({ call: 'poseidon', items: [new Uint8Array(0), new Uint8Array(0)] });
    expect(empty.map(({ ok }) => ok)).toEqual([false, false]);
  });

  it('gives the fault of the core as the fault of the task', async () => {
    const broken = {
      ...backend.functions,
      poseidonMany: () => {
        throw new Error('trapped');
      },
    };
    const faulty = new Performer({
      kind: 'native',
      functions: broken,
      instance: 0,
      renew: () => Promise.resolve(),
    });
    const answer = await faulty.perform({ kind: 'call', call: 'poseidon', items: numbered(2) });
    expect(answer).toEqual({ kind: 'fault', detail: 'trapped' });
  });
});
