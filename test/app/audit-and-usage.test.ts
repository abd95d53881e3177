// Rules: spec/operations.md#audit-log
import { describe, expect, it } from 'vitest';
import { recordSettings } from '../../src/app/parts/record-settings.ts';
import { createUsageWriter, gatherUsage } from '../../src/app/parts/usage-writer.ts';
import type { ExplainedSetting } from '../../src/config/sources/explain.ts';
import { type UsageSample, UsageTally } from '../../src/observability/usage.ts';
import type { UsageCounts } from '../../src/storage/usage.ts';
import { startFrontEnd } from '../observability/support/front-end-threads.ts';
import { useTempStore } from '../verification/support/temp-store.ts';

const temp = useTempStore();

const setting = (
  key: string,
  value: string | number,
  origin: ExplainedSetting['origin'],
): ExplainedSetting => ({ key, value, origin, unit: null, env: '', missing: null });

describe('the settings of a start', () => {
  it('are recorded when they differ from those of the start before, without defaults', async () => {
    const record = (...settings: ExplainedSetting[]): Promise<void> =>
      recordSettings(temp.store, settings, 'host-a');
    const port = setting('server.port', 8080, 'file');
    await record(port, setting('log.level', 'info', 'default'));
    await record(port);
    await record(setting('server.port', 9000, 'env'));
    await recordSettings(temp.store, [port], 'host-b');
    const rows = await temp.store.audit.list({ action: 'config.applied' }, 10);
    expect(rows.map(({ actor, target, before, after }) => [actor, target, before, after])).toEqual([
      ['config', 'host-b', null, '{"server.port":8080}'],
      ['config', 'host-a', '{"server.port":8080}', '{"server.port":9000}'],
      ['config', 'host-a', null, '{"server.port":8080}'],
    ]);
  });
});

describe('the writer of counts', () => {
  it('writes what was counted since the last time, one write after the other, and once more at the end', async () => {
    const tally = new UsageTally(() => 0);
    const written: UsageCounts[] = [];
    const failures: string[] = [];
    let isBroken = false;
    const add = async (counts: UsageCounts): Promise<void> => {
      if (isBroken) throw new Error('the store is down');
      written.push(counts);
    };
    const writer = createUsageWriter(tally, { add }, { repeated: (cause) => failures.push(cause) });
    tally.count('app', 'staging', 'signed_in');
    tally.count('app', 'staging', 'signed_in');
    await writer.write();
    isBroken = true;
    tally.count('app', 'staging', 'signed_in');
    await writer.write();
    isBroken = false;
    tally.accept('app', 'production', 'vote');
    await writer.stop();
    expect([written.length, failures]).toEqual([2, ['usage']]);
    expect(written[0]?.usage).toMatchObject([{ amount: 2, day: 0 }]);
    expect(written[1]).toMatchObject({ usage: [], actions: [{ action: 'vote', amount: 1 }] });
  });

  it('has the counts of other threads in each write, without waiting for one that hangs', async () => {
    const tally = new UsageTally(() => 0);
    const written: UsageCounts[] = [];
    const refused: number[] = [];
    const [one, busy] = [await startFrontEnd(() => undefined), await startFrontEnd(() => undefined)];
    const writer = createUsageWriter(
      tally,
      { add: async (counts) => void written.push(counts) },
      { repeated: () => undefined },
      async ({ refusals }) => void refused.push(refusals.length),
      () =>
        gatherUsage(
          tally,
          [one, busy].map((thread) => thread.ask('counts', 'counts')),
        ),
    );
    one.tell('request', 'request');
    busy.tell('request', 'hang');
    tally.count('app', 'staging', 'signed_in');
    await writer.write();
    one.tell('request');
    await writer.write();
    expect(written.map(({ usage }) => usage.map(({ amount }) => amount))).toEqual([[3], [1]]);
    expect(refused).toEqual([0, 0]);
  });

  it('has counts that came too late in the next write', async () => {
    const tally = new UsageTally(() => 0);
    let answer: (sample: UsageSample) => void = () => undefined;
    await gatherUsage(tally, [
      new Promise<UsageSample>((resolve) => (answer = resolve)),
      Promise.reject(new Error('the port is closed')),
    ]);
    expect(tally.take().usage).toEqual([]);
    const other = new UsageTally(() => 0);
    other.count('app', 'staging', 'signed_in');
    answer(other.take());
    await expect.poll(() => tally.take().usage).toMatchObject([{ amount: 1 }]);
  });
});
