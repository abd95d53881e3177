// Rules: spec/operations.md#group-commit
import { describe, expect, it } from 'vitest';
import { GroupCommit } from '../../../src/storage/nullifiers/group-commit.ts';

/** Makes a group commit whose commits the test ends one by one. */
function controlledCommit(options: { maxRows?: number; maxDelayMs?: number; inFlight?: number } = {}) {
  const started: { rows: readonly number[]; attempt: number; end(error?: Error): void }[] = [];
  const watchers: (() => void)[] = [];
  let retries = 0;
  const group = new GroupCommit<number, string>({
    maxRows: options.maxRows ?? 100,
    maxDelayMs: options.maxDelayMs ?? 0,
    inFlight: options.inFlight ?? 1,
    onRetry: () => {
      retries++;
    },
    commit: (rows, attempt) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void =>
          error === undefined ? resolve(rows.map((row) => `r${row}`)) : reject(error);
        started.push({ rows, attempt, end });
        for (const watcher of watchers.splice(0)) watcher();
      }),
  });
  const commitAt = async (index: number): Promise<(typeof started)[number]> => {
    for (;;) {
      const commit = started[index];
      if (commit !== undefined) return commit;
      await new Promise<void>((resolve) => watchers.push(resolve));
    }
  };
  const add = (row: number): Promise<string> => group.add(row);
  return { group, add, started, commitAt, retries: () => retries };
}

describe('GroupCommit', () => {
  it('groups the rows that arrive during the previous commit', async () => {
    const { add, commitAt } = controlledCommit();
    const first = add(1);
    const one = await commitAt(0);
    const later = [2, 3, 4].map((row) => add(row));
    expect(one.rows).toEqual([1]);
    one.end();
    expect(await first).toBe('r1');
    const two = await commitAt(1);
    expect(two.rows).toEqual([2, 3, 4]);
    two.end();
    expect(await Promise.all(later)).toEqual(['r2', 'r3', 'r4']);
  });

  it('groups the rows of one turn of the event loop', async () => {
    const { add, commitAt } = controlledCommit();
    const results = Promise.all([1, 2, 3].map(async (row) => add(await row)));
    const commit = await commitAt(0);
    expect(commit.rows).toEqual([1, 2, 3]);
    commit.end();
    await results;
  });

  it('runs one commit at a time and resumes a caller after the commit of its own group only', async () => {
    const { add, started, commitAt } = controlledCommit({ maxRows: 2 });
    const settled: string[] = [];
    const all = [1, 2, 3].map((row) => add(row).then((result) => settled.push(result)));
    const one = await commitAt(0);
    expect(one.rows).toEqual([1, 2]);
    expect(started).toHaveLength(1);
    expect(settled).toEqual([]);
    one.end();
    const two = await commitAt(1);
    expect(settled).toEqual(['r1', 'r2']);
    two.end();
    await Promise.all(all);
    expect(settled).toEqual(['r1', 'r2', 'r3']);
  });

  it('commits two groups at the same time where the engine takes two, and closes after both', async () => {
    const { group, add, started, commitAt } = controlledCommit({ maxRows: 2, inFlight: 2 });
    const results = [1, 2, 3, 4, 5].map((row) => add(row));
    const one = await commitAt(0);
    const two = await commitAt(1);
    expect([one.rows, two.rows]).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(started).toHaveLength(2);
    two.end();
    expect(await Promise.all(results.slice(2, 4))).toEqual(['r3', 'r4']);
    let isClosed = false;
    const closed = group.close().then(() => {
      isClosed = true;
    });
    (await commitAt(2)).end();
    expect(await results[4]).toBe('r5');
    expect(isClosed).toBe(false);
    one.end();
    await closed;
    expect(await Promise.all(results.slice(0, 2))).toEqual(['r1', 'r2']);
  });

  it('retries a failed commit once with the same rows', async () => {
    const { add, commitAt, retries } = controlledCommit();
    const result = add(1);
    const one = await commitAt(0);
    one.end(new Error('first'));
    const again = await commitAt(1);
    expect([one.attempt, again.attempt, again.rows]).toEqual([1, 2, [1]]);
    again.end();
    expect(await result).toBe('r1');
    expect(retries()).toBe(1);
  });

  it('rejects every caller of a group with the second error, and serves the next group', async () => {
    const { add, commitAt } = controlledCommit();
    const results = Promise.allSettled([add(1), add(2)]);
    (await commitAt(0)).end(new Error('first'));
    (await commitAt(1)).end(new Error('second'));
    expect(await results).toEqual([1, 2].map(() => ({ status: 'rejected', reason: new Error('second') })));
    const next = add(3);
    (await commitAt(2)).end();
    expect(await next).toBe('r3');
  });

  it('collects rows for the configured delay, or until the group is full', async () => {
    const { add, commitAt } = controlledCommit({ maxRows: 2, maxDelayMs: 1_000_000 });
    const results = [1, 2].map((row) => add(row));
    const commit = await commitAt(0);
    expect(commit.rows).toEqual([1, 2]);
    commit.end();
    await Promise.all(results);
  });

  it('commits waiting rows when it is closed, and refuses more', async () => {
    const { group, add, commitAt } = controlledCommit({ maxRows: 1 });
    const results = [1, 2].map((row) => add(row));
    const closed = group.close();
    await expect(add(3)).rejects.toMatchObject({ code: 'store.unreachable' });
    (await commitAt(0)).end();
    (await commitAt(1)).end();
    await closed;
    expect(await Promise.all(results)).toEqual(['r1', 'r2']);
    await group.close();
  });
});
