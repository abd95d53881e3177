import { parentPort, workerData } from 'node:worker_threads';
import type { GateCells } from '../../../../src/storage/drivers/exit-gate.ts';
import { openDriver } from '../../../../src/storage/open-store.ts';
import { storeOver } from '../../../../src/storage/store.ts';
import { GROUP_SETTINGS, nullifierEntry, numberedNullifier } from '../rows.ts';

// Program of a worker thread: a store over the database threads of the thread that started it, which gives it orders.

/** Start parameters of the thread. */
export interface FrontEndData {
  readonly url: string;
  readonly gate: GateCells;
}

/** Names of orders, each with its numbers and the answer. */
export interface FrontEndOrders {
  /** Records the nullifiers of these numbers at once; answers which were new. */
  record(numbers: readonly number[]): boolean[];
  /** Sets the only row of `turns` to each of these numbers at once, unless it was set; answers which did. */
  claim(numbers: readonly number[]): boolean[];
  /** Counts the stored nullifiers: `[long read, short read]`. */
  count(numbers: readonly number[]): number[];
  /** Starts to record the nullifiers, and ends the thread. */
  end(numbers: readonly number[]): never;
  close(numbers: readonly number[]): void;
}

const { url, gate } = workerData as FrontEndData;
const driver = await openDriver(
  { url, ...GROUP_SETTINGS },
  { threads: { gate, attach: (role, port) => parentPort?.postMessage({ role, port }, [port]) } },
);
const store = storeOver(driver, GROUP_SETTINGS);

const record = (numbers: readonly number[]) =>
  numbers.map((number) => store.nullifiers.record(nullifierEntry({ nullifier: numberedNullifier(number) })));

const orders: Record<keyof FrontEndOrders, (numbers: readonly number[]) => Promise<unknown>> = {
  record: async (numbers) => (await Promise.all(record(numbers))).map(({ isNew }) => isNew),
  claim: async (numbers) => {
    const sql = 'update turns set turn = $1 where turn is null returning turn';
    const outcomes = await Promise.all(
      numbers.map((number) => driver.write([{ sql, params: [number], isGuard: true }])),
    );
    return outcomes.map(({ ok }) => ok);
  },
  count: async () => {
    const [row] = await driver.read({
      kind: 'point',
      sql: 'select count(*) from nullifiers',
      params: [],
      toRow: ([count]) => Number(count),
    });
    return [await driver.countRows('nullifiers'), row];
  },
  async end(numbers) {
    for (const recording of record(numbers)) recording.catch(() => undefined);
    setImmediate(() => process.exit(0));
  },
  close: () => store.close(),
};

parentPort?.on(
  'message',
  async ({ id, name, numbers }: { id: number; name: keyof FrontEndOrders; numbers: number[] }) => {
    try {
      parentPort?.postMessage({ id, answer: await orders[name](numbers) });
    } catch (error) {
      parentPort?.postMessage({ id, code: (error as { code?: string }).code ?? String(error) });
    }
    if (name === 'close') parentPort?.close();
  },
);
parentPort?.postMessage({ id: 0 });
