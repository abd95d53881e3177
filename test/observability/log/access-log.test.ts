// Rules: spec/operations.md#access-log
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../src/config/sources/load.ts';
import type { LogSettings } from '../../../src/observability/log/log.ts';
import type { RequestRecord } from '../../../src/observability/log/request-record.ts';
import { type CapturedLog, capturedLog, RECORD } from '../support/records.ts';

const REFUSED = { ...RECORD, status: 400, code: 'verify.schema', clientKey: 'a' };
const CUT = { ...RECORD, status: 0, isAborted: true };
const SLOW = { ...RECORD, durationMs: 1000 };
const BY_CHOICE = { ...RECORD, status: 503, code: 'refresh.disabled' };
const INTERNAL = { ...RECORD, status: 500, code: 'internal.unforeseen', error: new Error('a') };
const NONE = { access: 'failures', random: () => 0.999_999 } as const;

function written(settings: Partial<LogSettings>, ...records: readonly RequestRecord[]): CapturedLog {
  const captured = capturedLog(settings);
  for (const record of records) captured.log.request(record);
  captured.log.flush();
  return captured;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('an access log of all requests', () => {
  it('has each of them, whatever the level of the log', () => {
    for (const level of ['trace', 'info', 'warn', 'silent']) {
      const { lines } = written({ access: 'all', level }, RECORD, REFUSED, CUT, SLOW);
      expect(lines().map(({ status }) => status)).toEqual([200, 400, 0, 200]);
    }
  });

  it('is what a start without the setting has, unless its level is warn or above', async () => {
    const accessAt = async (level: string): Promise<string> =>
      (await loadConfig({ env: { PROOFGATE_LOG_LEVEL: level }, cwd: import.meta.dirname })).config.log.access;
    for (const level of ['trace', 'debug', 'info']) expect(await accessAt(level)).toBe('all');
    for (const level of ['warn', 'error', 'fatal', 'silent']) expect(await accessAt(level)).toBe('off');
  });
});

describe('an access log of failures', () => {
  it('has requests that were refused, cut or slow, and none of the others with a share of 0', () => {
    const settings = { access: 'failures', accessSamplePercent: 0, random: () => 0 } as const;
    const { lines } = written(settings, RECORD, REFUSED, CUT, SLOW, BY_CHOICE, {
      ...RECORD,
      durationMs: 999,
    });
    expect(lines().map(({ status }) => status)).toEqual([400, 0, 200, 503]);
    expect(lines().filter((line) => 'samplePercent' in line)).toEqual([]);
  });

  it('has a sample of the others, whose lines say how large its share is', () => {
    let drawn = 0;
    const random = (): number => (drawn++ % 100) / 100;
    const settings = { access: 'failures', accessSamplePercent: 5, random } as const;
    const { lines } = written(settings, ...Array.from({ length: 1000 }, () => RECORD));
    expect(lines()).toHaveLength(50);
    expect(lines()[0]).toMatchObject({ msg: 'request', status: 200, samplePercent: 5 });
  });

  it('writes the first hundred cut or slow requests of a route, and the number of the others', () => {
    for (const [record, msg] of [
      [CUT, 'requests cut'],
      [SLOW, 'slow requests'],
    ] as const) {
      const { lines } = written(NONE, ...Array.from({ length: 1000 }, () => record));
      expect(lines()).toHaveLength(101);
      expect(lines().at(-1)).toMatchObject({ msg, count: 900, route: RECORD.route });
    }
  });

  it('counts the refusals of each address apart, as that of all requests', () => {
    const many = ['a', 'b'].flatMap((clientKey) =>
      Array.from({ length: 150 }, () => ({ ...REFUSED, clientKey })),
    );
    expect(written(NONE, ...many).lines()).toEqual(
      written({ access: 'all' }, ...many)
        .lines()
        .map((line) => ({ ...line, time: expect.any(String) })),
    );
  });
});

describe('an access log that is off', () => {
  it('leaves out every request but internal errors, which the level decides', () => {
    const records = [RECORD, REFUSED, CUT, SLOW, BY_CHOICE, INTERNAL];
    expect(written({ access: 'off' }, ...records).lines()).toMatchObject([{ level: 'error', status: 500 }]);
    expect(written({ access: 'off', level: 'warn' }, ...records).lines()).toHaveLength(1);
    expect(written({ access: 'off', level: 'fatal' }, ...records).lines()).toEqual([]);
  });
});
