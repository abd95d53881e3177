import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type MessagePort, Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import type { ThreadRole } from '../../../src/storage/drivers/driver.ts';
import { createGateCells, forgetAtExit, halt, haltAtExit } from '../../../src/storage/drivers/exit-gate.ts';
import { openDriver } from '../../../src/storage/open-store.ts';
import { type Store, storeOver } from '../../../src/storage/store.ts';
import { KillableThreads } from '../support/killable-threads.ts';
import { bundleScripts } from '../support/processes/bundle-scripts.ts';
import type { FrontEndData, FrontEndOrders } from '../support/processes/front-end-process.ts';
import { GROUP_SETTINGS } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const program = pathToFileURL(join(await bundleScripts(), 'front-end-process.js'));
const numbers = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

type Message = { role: ThreadRole; port: MessagePort } | { id: number; answer?: unknown; code?: string };

/** A thread with a store of its own over the database threads of `store`. */
class FrontEnd {
  readonly gate = createGateCells();
  readonly worker: Worker;
  readonly #waiters = new Map<number, { resolve(answer: never): void; reject(code: unknown): void }>();
  readonly #started: Promise<never>;
  #lastId = 0;

  constructor(url: string, store: Store) {
    haltAtExit(this.gate);
    this.worker = new Worker(program, { workerData: { url, gate: this.gate } satisfies FrontEndData });
    this.#started = this.#wait(0);
    this.worker.on('message', (message: Message) => {
      if ('port' in message) store.attach?.(message.role, message.port);
      else if (message.code === undefined) this.#waiters.get(message.id)?.resolve(message.answer as never);
      else this.#waiters.get(message.id)?.reject(message.code);
    });
    this.worker.on('exit', () => forgetAtExit(this.gate));
  }

  async order<Name extends keyof FrontEndOrders>(
    name: Name,
    ...list: number[]
  ): Promise<ReturnType<FrontEndOrders[Name]>> {
    await this.#started;
    const id = ++this.#lastId;
    this.worker.postMessage({ id, name, numbers: list });
    return this.#wait(id);
  }

  #wait(id: number): Promise<never> {
    return new Promise((resolve, reject) => this.#waiters.set(id, { resolve, reject }));
  }
}

describe('database threads that several threads of a process share', () => {
  const tempFolder = useTempFolders();
  const closing: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function start(count = 2) {
    const url = `libsql:${join(tempFolder(), 'shared.db')}`;
    const threads = new KillableThreads();
    const driver = await openDriver({ url, ...GROUP_SETTINGS }, { startWorker: threads.start });
    const store = storeOver(driver, GROUP_SETTINGS);
    closing.push(() => store.close());
    await store.migrate();
    await driver.write([{ sql: 'create table turns (turn bigint)', params: [] }]);
    await driver.write([{ sql: 'insert into turns values (null)', params: [] }]);
    const frontEnds = Array.from({ length: count }, () => new FrontEnd(url, store));
    for (const { worker } of frontEnds) closing.push(() => worker.terminate());
    const [one, other] = frontEnds as [FrontEnd, FrontEnd];
    return { threads, driver, store, one, other };
  }

  it('lose nothing, and accept each nullifier from one of them', async () => {
    const { one, other, store } = await start();
    const [first, second] = await Promise.all([
      one.order('record', ...numbers(0, 600)),
      other.order('record', ...numbers(300, 600).toReversed()),
    ]);
    const isNew = new Map(numbers(0, 600).map((number, index) => [number, [first[index]]]));
    numbers(300, 600)
      .toReversed()
      .forEach((number, index) => {
        isNew.set(number, [...(isNew.get(number) ?? []), second[index]]);
      });
    expect([...isNew.values()].every((wins) => wins.filter((win) => win === true).length === 1)).toBe(true);
    expect(isNew.size).toBe(900);
    expect(await one.order('count')).toEqual([900, 900]);
    expect(await store.rowCounts()).toMatchObject({ nullifiers: 900 });
  });

  it('run the transactions of one of them in the order of its calls', async () => {
    const { one, other, driver } = await start();
    const [claimed, recorded] = await Promise.all([
      one.order('claim', ...numbers(1, 200)),
      other.order('record', ...numbers(0, 500)),
    ]);
    expect(claimed).toEqual([true, ...Array.from({ length: 199 }, () => false)]);
    expect(recorded.every(Boolean)).toBe(true);
    expect(await driver.scan({ sql: 'select turn from turns', params: [] })).toEqual([[1]]);
  });

  it('go on with the others when one ends in the middle of its writes, or closes its store', async () => {
    const { one, other, store } = await start();
    const exited = once(one.worker, 'exit');
    const recording = other.order('record', ...numbers(0, 500));
    void one.order('end', ...numbers(1000, 500));
    await exited;
    expect((await recording).every(Boolean)).toBe(true);
    expect((await other.order('record', ...numbers(500, 100))).every(Boolean)).toBe(true);
    await other.order('close');
    expect(await store.probe()).toMatchObject({ isWritable: true });
  });

  it('are replaced for all when they end, and no acknowledged nullifier is lost', async () => {
    const { one, other, threads, store } = await start();
    for (const round of [0, 1, 2]) {
      const ended = threads.endAfter(3 + round);
      const from = round * 1000;
      const recorded = await Promise.all([
        one.order('record', ...numbers(from, 300)),
        other.order('record', ...numbers(from + 300, 300)),
      ]);
      await ended;
      expect(recorded.flat().every(Boolean)).toBe(true);
    }
    expect(threads.workers.length).toBeGreaterThanOrEqual(4);
    expect(await other.order('count')).toEqual([1800, 1800]);
    expect(await store.rowCounts()).toMatchObject({ nullifiers: 1800 });
  });

  it('refuse the others once their owner has closed its store', async () => {
    const { one, store } = await start(1);
    await one.order('record', 1);
    await store.close();
    await expect(one.order('record', 2)).rejects.toBe('store.unreachable');
  });

  it('are not needed for reads, which are refused once the process has begun to exit', async () => {
    const { one } = await start(1);
    await one.order('record', 1);
    expect(await one.order('count')).toEqual([1, 1]);
    halt([one.gate]);
    await expect(one.order('count')).rejects.toBe('store.unreachable');
  });
});
