// Rules: spec/operations.md#postgresql-failures
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Driver, pointOf, type Statement } from '../../../../src/storage/drivers/driver.ts';
import { OutcomeUnknownError } from '../../../../src/storage/drivers/outcome-unknown.ts';
import { openPostgresDriver } from '../../../../src/storage/drivers/postgres/postgres-driver.ts';
import { storeOver } from '../../../../src/storage/store.ts';
import { POSTGRES_BIN, POSTGRES_SKIP, STANDBY_SKIP } from '../../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../../support/postgres/postgres-server.ts';
import { TcpRelay } from '../../../support/postgres/tcp-relay.ts';
import { pollUntil, until } from '../../../support/until.ts';
import { addressOf } from '../../support/postgres-address-of.ts';
import { GROUP_SETTINGS, nullifierEntry } from '../../support/rows.ts';

/** No call is as late, on any machine: where a limit must pass, the clock is one of the test. */
const LIMIT_MS = 60_000;

const insert = (id: number): Statement => ({ sql: 'insert into things (id) values ($1)', params: [id] });
const ids = pointOf('select id from things order by id');
const UNREACHABLE = { code: 'store.unreachable' };

/** Runs work, which begins on a stopped clock. */
async function onOwnClock<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/** Moves the clock of the test until calls have ended. */
async function passTimeUntilSettled<T>(calls: Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
  let hasSettled = false;
  const settled = Promise.allSettled(calls).finally(() => {
    hasSettled = true;
  });
  while (!hasSettled) {
    await vi.advanceTimersByTimeAsync(100);
    await nextTurn();
  }
  return settled;
}

describe.skipIf(POSTGRES_BIN === undefined)(`the PostgreSQL driver${POSTGRES_SKIP}`, () => {
  let server: PostgresServer;
  let relay: TcpRelay;
  let driver: Driver;
  let database: string;

  const open = (options: { url?: string; timeoutMs?: number } = {}): Promise<Driver> =>
    openPostgresDriver({
      address: addressOf(options.url ?? server.url(database).replace(`:${server.port}/`, `:${relay.port}/`)),
      poolSize: 4,
      prepares: true,
      timeoutMs: options.timeoutMs ?? LIMIT_MS,
    });
  const isWell = async (): Promise<boolean> => (await driver.probe()).isWritable;
  const stored = async (): Promise<unknown[]> => (await driver.read(ids)).flat();
  const createThings = async (): Promise<void> => {
    await driver.define('create table if not exists things (id bigint not null primary key)');
  };

  beforeAll(async () => {
    server = await PostgresServer.create({
      max_connections: 12,
      superuser_reserved_connections: 0,
      deadlock_timeout: 10,
    });
  });

  beforeEach(async () => {
    database = await server.createDatabase();
    relay = await TcpRelay.open(server.port);
    driver = await open();
    await createThings();
  });

  afterEach(async () => {
    await driver.close();
    await relay.close();
  });

  afterAll(() => server?.remove());

  it('refuses calls at once while no server answers, and recovers by itself', async () => {
    relay.accepts = false;
    relay.cut();
    await pollUntil(async () => !(await isWell()));
    const refused = await Promise.allSettled(
      Array.from({ length: 500 }, (_, id) => driver.write([insert(id)])),
    );
    expect(
      refused.every((each) => each.status === 'rejected' && each.reason.code === 'store.unreachable'),
    ).toBe(true);
    expect(driver.health()).toMatchObject({ isReachable: false, isWritable: false });
    expect(driver.health().reason).toContain(`127.0.0.1:${relay.port}: `);
    relay.accepts = true;
    await pollUntil(isWell);
    await driver.write([insert(1)]);
    expect(await stored()).toEqual([1]);
  });

  it('keeps what it acknowledged when the server crashes, and when it is restarted', async () => {
    for (const how of ['immediate', 'fast'] as const) {
      const before = await stored();
      const acknowledged = new Set(before);
      // A write that failed may have left a gap.
      let next = Math.max(-1, ...before.map(Number)) + 1;
      let isOver = false;
      const load = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          const id = next++;
          await driver.write([insert(id)]).then(
            () => acknowledged.add(id),
            async (error) => {
              expect(error).toMatchObject(UNREACHABLE);
              await delay(5);
            },
          );
        }
      });
      const enough = acknowledged.size + 100;
      await until(() => acknowledged.size >= enough);
      await server.stop(how);
      await server.start();
      await pollUntil(isWell);
      isOver = true;
      await Promise.all(load);
      const left = new Set(await stored());
      expect([...acknowledged].filter((id) => !left.has(id))).toEqual([]);
    }
  });

  it('ends calls to a frozen server at their limit, and recovers', async () => {
    server.freeze();
    try {
      await onOwnClock(async () => {
        const calls = [driver.read(ids), driver.write([insert(1)]), driver.write([insert(2), insert(3)])];
        for (const result of await passTimeUntilSettled<unknown>(calls)) {
          expect(result).toMatchObject({ status: 'rejected', reason: UNREACHABLE });
        }
        const [probed] = await passTimeUntilSettled([driver.probe()]);
        expect(probed).toMatchObject({ value: { isReachable: false } });
      });
    } finally {
      server.thaw();
    }
    await pollUntil(isWell);
    await driver.write([insert(4)]);
    expect(await stored()).toContain(4);
  });

  it('ends a list at the limit of a call, and another scan later', async () => {
    const impatient = await open({ timeoutMs: 200 });
    try {
      const sql = 'select id from things order by id';
      await impatient.scan({ sql, params: [] });
      server.freeze();
      let hasEnded = false;
      const scanning = impatient.scan({ sql, params: [] }).finally(() => {
        hasEnded = true;
      });
      await expect(impatient.scan({ sql, params: [], isList: true })).rejects.toMatchObject(UNREACHABLE);
      expect(hasEnded).toBe(false);
      server.thaw();
      expect(await scanning).toEqual([]);
    } finally {
      server.thaw();
      await impatient.close();
    }
  });

  it('reads again on another connection when one breaks', async () => {
    for (let round = 0; round < 20; round++) {
      await Promise.all([1, 2, 3, 4].map(() => driver.read(ids)));
      relay.cut();
      expect(await stored()).toEqual([]);
    }
  });

  it('does not know the outcome of a commit whose answer is lost', async () => {
    for (const statements of [[insert(1)], [insert(2), insert(3)]]) {
      relay.mode = 'swallow';
      await onOwnClock(async () => {
        const write = driver.write(statements);
        await until(() => relay.hasSwallowed);
        const [outcome] = await passTimeUntilSettled([write]);
        expect(outcome).toMatchObject({ reason: expect.any(OutcomeUnknownError) });
      });
      relay.mode = 'pass';
      await pollUntil(isWell);
    }
    expect(await stored()).toEqual([1, 2, 3]);
  });

  it('finds by its row that a nullifier whose answer was lost is new, and tells others that it is not', async () => {
    const store = storeOver(driver, GROUP_SETTINGS);
    await store.migrate();
    const entry = nullifierEntry({ createdAt: 7 });
    relay.mode = 'swallow';
    const record = store.nullifiers.record(entry);
    await until(() => relay.hasSwallowed);
    relay.mode = 'pass';
    expect(await record).toEqual({ isNew: true, createdAt: 7 });
    expect(await store.nullifiers.record({ ...entry, createdAt: 8 })).toEqual({ isNew: false, createdAt: 7 });
  });

  it('never takes a commit for done whose wait for a standby was cancelled', async () => {
    await server.query("alter system set synchronous_standby_names = 'absent'");
    server.reload();
    const cancelWait = async (): Promise<boolean> => {
      const sql = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and datname = '${database}'`;
      return (await server.query(sql)).length > 0;
    };
    const session = await server.connect(database);
    try {
      // Commits begin to wait some time after sessions show the setting, when the checkpointer has read it, too.
      await pollUntil(async () => {
        let isOver = false;
        let hasWaited = false;
        const commit = session.query("select pg_logical_emit_message(true, 'test', '')").finally(() => {
          isOver = true;
        });
        await pollUntil(async () => {
          hasWaited = (await cancelWait()) || hasWaited;
          return isOver;
        });
        await commit;
        return hasWaited;
      });
      for (const [id, statements] of [
        [1, [insert(1)]],
        [2, [insert(2), insert(3)]],
      ] as const) {
        const write = driver.write(statements);
        const refused = expect(write).rejects.toThrow('wait for a standby was cancelled');
        await pollUntil(cancelWait);
        await refused;
        await expect(write).rejects.toBeInstanceOf(OutcomeUnknownError);
        expect(await stored()).toContain(id);
      }
    } finally {
      await session.end();
      await server.query('alter system reset synchronous_standby_names');
      server.reload();
    }
    await pollUntil(isWell);
  });

  it('is unready after one late probe, refuses calls after two, and neither if a commit came through meanwhile', async () => {
    const store = storeOver(driver, GROUP_SETTINGS);
    await store.migrate();
    await driver.probe();
    const holder = await server.connect(database);
    await holder.query('begin; lock table store_marks');
    await onOwnClock(async () => {
      const late = driver.probe();
      await vi.advanceTimersByTimeAsync(1);
      await driver.write([insert(1)]);
      expect(await passTimeUntilSettled([late])).toMatchObject([{ value: { isWritable: true } }]);
      expect(await passTimeUntilSettled([driver.probe()])).toMatchObject([{ value: { isWritable: false } }]);
      expect(driver.health()).toMatchObject({ isWritable: true });
      expect(await passTimeUntilSettled([driver.probe()])).toMatchObject([{ value: { isWritable: false } }]);
      expect(driver.health()).toMatchObject({ isWritable: false });
    });
    await holder.end();
    await pollUntil(isWell);
    expect(driver.health()).toMatchObject({ isWritable: true });
    await store.close();
  });

  it('leaves a server that has become read-only, and returns to it', async () => {
    await Promise.all([driver.read(ids), driver.read(ids)]);
    await server.query(`alter database ${database} set default_transaction_read_only = on`);
    relay.cut();
    await pollUntil(async () => {
      await driver.probe();
      return driver.health().reason?.includes('read-only') === true;
    });
    await expect(driver.write([insert(1)])).rejects.toMatchObject(UNREACHABLE);
    await server.query(`alter database ${database} set default_transaction_read_only = off`);
    await pollUntil(isWell);
    await driver.write([insert(2)]);
    expect(await stored()).toEqual([2]);
  });

  it.skipIf(STANDBY_SKIP !== '')(
    `takes the server that accepts writes of several${STANDBY_SKIP}`,
    async () => {
      const standby = await server.createStandby('s1');
      try {
        const hosts = `@127.0.0.1:1,127.0.0.1:${standby.port},127.0.0.1:${server.port}/`;
        const several = await open({ url: server.url(database).replace(/@.*\//, hosts) });
        await several.write([insert(1)]);
        expect(await several.read(ids)).toEqual([[1]]);
        await several.close();
      } finally {
        await standby.remove();
      }
    },
  );

  it('serves with the connections that it has when the server has no more, and gets more later', async () => {
    const small = await open();
    const others = await server.takeConnections();
    const rows = await Promise.all(Array.from({ length: 20 }, () => small.read(ids)));
    expect(rows).toHaveLength(20);
    await expect(open()).rejects.toMatchObject({
      code: 'store.unreachable',
      message: expect.stringContaining('53300'),
    });
    await others.free();
    const later = await open();
    await Promise.all([later.close(), small.close()]);
  });

  it('runs transactions again that deadlock or conflict', async () => {
    await driver.write([insert(1), insert(2)]);
    const touch = (id: number): Statement => ({
      sql: 'update things set id = id where id = $1 returning id',
      params: [id],
      isGuard: true,
    });
    const patient = await open();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        patient.write(index % 2 === 0 ? [touch(1), touch(2)] : [touch(2), touch(1)]),
      ),
    );
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    await patient.close();
  });

  it('ends a transaction of a node that was stopped within it', async () => {
    await driver.write([insert(1)]);
    // The answer to the guard is lost, so the node never goes on.
    relay.mode = 'swallow';
    await onOwnClock(async () => {
      const held = driver.write([
        { sql: 'update things set id = id where id = 1 returning 1', params: [], isGuard: true },
        insert(2),
      ]);
      await until(() => relay.hasSwallowed);
      const [outcome] = await passTimeUntilSettled([held]);
      expect(outcome).toMatchObject({ reason: UNREACHABLE });
    });
    relay.mode = 'pass';
    const other = await open();
    await other.write([{ sql: 'delete from things where id = 1', params: [] }]);
    expect(await other.read(ids)).toEqual([]);
    await other.close();
  });

  it('waits for running calls when it is closed, and refuses later ones', async () => {
    const running = Array.from({ length: 20 }, (_, id) => driver.write([insert(id), insert(100 + id)]));
    await Promise.all(running.slice(0, 4));
    const settled = Promise.allSettled(running);
    await driver.close();
    for (const result of await settled) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject(UNREACHABLE);
    }
    await expect(driver.read(ids)).rejects.toMatchObject(UNREACHABLE);
    expect(await driver.probe()).toMatchObject({ isReachable: false });
  });

  it('closes although the server is frozen', async () => {
    const other = await open();
    server.freeze();
    try {
      await other.close();
    } finally {
      server.thaw();
    }
    await expect(other.read(ids)).rejects.toMatchObject(UNREACHABLE);
  });

  it('keeps the password out of its errors', async () => {
    const wrong = server.url(database).replace(/:p%40[^@]*@/, ':hunter2@');
    const error = await open({ url: wrong }).catch((reason: unknown) => reason);
    expect(error).toMatchObject(UNREACHABLE);
    expect(String(error)).toContain('28P01');
    expect(String(error)).not.toContain('hunter2');
  });
});
