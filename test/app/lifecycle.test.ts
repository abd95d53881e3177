// Rules: spec/operations.md#process-model and spec/operations.md#shutdown
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Lifecycle, type Part, shutDown } from '../../src/app/lifecycle.ts';
import { lockStore } from '../../src/app/parts/store.ts';
import type { Config } from '../../src/config/settings/types.ts';
import { useTempFolders } from '../storage/support/temp-folder.ts';
import { startApp } from '../support/server/start-app.ts';

/** Parts `a`, `b` and `c`, which record their steps and fail in those that are named. */
function threeParts(...failing: string[]): { life: Lifecycle; steps: string[] } {
  const steps: string[] = [];
  const life = new Lifecycle();
  const step = (text: string) => async (): Promise<void> => {
    steps.push(text);
    if (failing.includes(text)) throw new Error(text);
  };
  for (const name of ['a', 'b', 'c']) {
    const [start, drain, stop] = ['start', 'drain', 'stop'].map((kind) => step(`${kind} ${name}`));
    life.add({ name, ...(start && { start }), ...(drain && { drain }), ...(stop && { stop }) });
  }
  return { life, steps };
}

function fakeLog(): { log: Parameters<typeof shutDown>[1]; lines: unknown[] } {
  const lines: unknown[] = [];
  const write = (message: string, fields?: object): void => void lines.push([message, fields]);
  return { lines, log: { info: write, error: write, flush: () => void lines.push('flushed') } };
}

describe('the list of parts', () => {
  afterEach(() => void vi.useRealTimers());

  it('starts in its order, and drains and then stops in the reverse order', async () => {
    const { life, steps } = threeParts();
    const { log, lines } = fakeLog();
    await life.start();
    expect(await shutDown(life, log, { cut: 0 })).toBe(true);
    expect(steps).toEqual([
      'start a',
      'start b',
      'start c',
      'drain c',
      'drain b',
      'drain a',
      'stop c',
      'stop b',
      'stop a',
    ]);
    expect(lines).toEqual([['stopped', { event: 'service.stopped', open: 0 }], 'flushed']);
  });

  it('returns what is added, and leaves out parts that are switched off', async () => {
    const life = new Lifecycle();
    const part = { name: 'a', health: { a: () => undefined }, metrics: () => undefined };
    expect(life.add(part)).toBe(part);
    const off: Part | undefined = undefined;
    expect(life.add(off)).toBeUndefined();
    expect(life.health).toEqual(part.health);
    expect(life.metrics).toEqual([part.metrics]);
    expect(await life.stop()).toEqual([]);
  });

  it.each(['a', 'b', 'c'])('stops every part once, whatever the stop of %s throws', async (name) => {
    const { life, steps } = threeParts(`stop ${name}`);
    const { log, lines } = fakeLog();
    await expect(shutDown(life, log, { cut: 2 })).rejects.toThrow(`stop ${name}`);
    expect(await life.stop()).toEqual([{ name, error: new Error(`stop ${name}`) }]);
    expect(steps.filter((step) => step.startsWith('stop'))).toEqual(['stop c', 'stop b', 'stop a']);
    expect(lines).toEqual([
      [
        `stopping failed: ${name}`,
        { event: 'service.stop_failed', reason: name, err: new Error(`stop ${name}`) },
      ],
      ['stopped', { event: 'service.stopped', open: 2 }],
      'flushed',
    ]);
  });

  it('drains and stops every part, whatever drains and stops throw, and reports the first fault', async () => {
    const { life, steps } = threeParts('drain b', 'stop a', 'stop b', 'stop c');
    const { log, lines } = fakeLog();
    await expect(shutDown(life, log, { cut: 0 })).rejects.toThrow('drain b');
    expect(steps).toEqual(['drain c', 'drain b', 'drain a', 'stop c', 'stop b', 'stop a']);
    expect(lines.flat().filter((text) => typeof text === 'string')).toEqual([
      'stopping failed: b',
      'stopping failed: c',
      'stopping failed: b',
      'stopping failed: a',
      'stopped',
      'flushed',
    ]);
  });

  it.each(['a', 'b', 'c'])(
    'starts nothing after %s, whose start fails, and stops every part',
    async (name) => {
      const { life, steps } = threeParts(`start ${name}`);
      await expect(life.start()).rejects.toThrow(`start ${name}`);
      expect(steps.at(-1)).toBe(`start ${name}`);
      steps.length = 0;
      expect(await life.stop()).toEqual([]);
      expect(steps).toEqual(['stop c', 'stop b', 'stop a']);
    },
  );

  it('tells each part which parts could not be stopped before it', async () => {
    const told: string[][] = [];
    const life = new Lifecycle();
    for (const name of ['a', 'b', 'c']) {
      life.add({
        name,
        stop(faults = []) {
          told.push(faults.map((fault) => fault.name));
          if (name !== 'a') throw new Error(name);
        },
      });
    }
    await life.stop();
    expect(told).toEqual([[], ['c'], ['c', 'b']]);
  });

  it('gives a part that does not end its stop half a minute', async () => {
    vi.useFakeTimers();
    const { life, steps } = threeParts();
    life.add({ name: 'hanging', stop: () => new Promise(() => {}) });
    const stopped = life.stop();
    await vi.advanceTimersByTimeAsync(29_999);
    expect(steps).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await stopped).toEqual([{ name: 'hanging', error: new Error('did not stop within 30000 ms') }]);
    expect(steps).toEqual(['stop c', 'stop b', 'stop a']);
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** Parts of a service in their order. */
const PARTS = [
  'metrics',
  'lock',
  'store',
  'engine',
  'webhooks',
  'root sources',
  'logout notices',
  'keys',
  'usage writer',
  'sweeper',
  'circuit',
  'public listener',
  'admin listener',
  'health',
  'reload',
  'self-check',
];
const SETTINGS = {
  'signin.sessionSeconds': '600',
  'webhooks.url': 'https://receiver.example/events',
  'webhooks.secret': `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

/** Records starts and stops of the parts of the next service; one step fails after its work. */
function watchParts(failing?: readonly [step: 'start' | 'stop', name: string]): string[] {
  const steps: string[] = [];
  const add = Lifecycle.prototype.add;
  const spy = vi.spyOn(Lifecycle.prototype, 'add').mockImplementation(function <P extends Part | undefined>(
    this: Lifecycle,
    part: P,
  ): P {
    if (part === undefined) return part;
    const { name, start, stop } = part;
    const watched =
      <Args extends readonly unknown[]>(
        step: 'start' | 'stop',
        work: ((...args: Args) => Promise<void> | void) | undefined,
      ) =>
      async (...args: Args): Promise<void> => {
        steps.push(`${step} ${name}`);
        await work?.call(part, ...args);
        if (failing?.[0] === step && failing[1] === name) throw new Error(`planted: ${name}`);
      };
    Object.assign(part, { start: watched('start', start), stop: watched('stop', stop) });
    return add.call(this, part) as P;
  });
  onTestFinished(() => spy.mockRestore());
  return steps;
}

describe('the lock', () => {
  const tempFolder = useTempFolders();

  it.each([
    ['store', true],
    ['engine', false],
  ])('after a stop that failed in the %s is held: %s', async (name, isKept) => {
    const folder = tempFolder();
    const config = { dataDir: folder, storage: { url: `libsql:${join(folder, 'proofgate.db')}` } } as Config;
    const lock = await lockStore(config);
    onTestFinished(() => lock?.stop?.([]));
    await lock?.stop?.([{ name, error: new Error('planted') }]);
    const again = lockStore(config);
    if (isKept) await expect(again).rejects.toMatchObject({ code: 'server.locked' });
    else await (await again)?.stop?.([]);
  });
});

describe('the parts of a service', () => {
  const starts = PARTS.map((name) => `start ${name}`);
  const stops = PARTS.map((name) => `stop ${name}`).reverse();

  it('start in the order of the list and stop in the reverse order', async () => {
    const steps = watchParts();
    const app = await startApp({ settings: SETTINGS });
    expect(steps.splice(0)).toEqual(starts);
    const [first, second] = [app.stop(), app.stop()];
    expect(await Promise.all([first, second])).toEqual([true, true]);
    expect(steps).toEqual(stops);
  });

  it.each(PARTS)('stop once each after a start that fails in %s', async (name) => {
    const steps = watchParts(['start', name]);
    await expect(startApp({ settings: SETTINGS })).rejects.toThrow(`planted: ${name}`);
    expect(steps).toEqual([...starts.slice(0, PARTS.indexOf(name) + 1), ...stops]);
  });

  it.each(PARTS)('stop once each although %s fails to, which is logged', async (name) => {
    const steps = watchParts(['stop', name]);
    const app = await startApp({ settings: SETTINGS });
    await expect(app.stop()).rejects.toThrow(`planted: ${name}`);
    await expect(app.stop()).rejects.toThrow(`planted: ${name}`);
    expect(steps).toEqual([...starts, ...stops]);
    expect(app.log()).toContain(`stopping failed: ${name}`);
    expect(app.log()).toContain('"event":"service.stopped"');
  });
});
