// Rules: spec/operations.md#request-line
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type RequestRecord, requestLine } from '../../../src/observability/log/request-record.ts';
import { RECORD } from '../support/records.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 30, 0, 123);

/** Line that pino writes for the same record. */
function byPino({
  fields,
  isAborted,
  isLogged: _isLogged,
  durationMs,
  error: _error,
  ...rest
}: RequestRecord): string {
  let text = '';
  const options = {
    base: null,
    timestamp: () => `,"time":"${new Date(NOW).toISOString()}"`,
    formatters: { level: (level: string) => ({ level }) },
  };
  const logger = pino(options, { write: (line: string) => (text += line) });
  const { code, traceId, ...known } = rest;
  logger.info(
    {
      ...fields,
      ...known,
      durationMs: Math.round(durationMs * 1000) / 1000,
      ...(isAborted ? { aborted: true } : {}),
      ...(code === undefined ? {} : { code }),
      ...(traceId === undefined ? {} : { traceId }),
    },
    'request',
  );
  return text;
}

const lineOf = (record: RequestRecord): string => requestLine(record, NOW);

/** Arbitrary UTF-16 code units, including unpaired surrogates and control characters. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x7f })), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units));

describe('line of a request', () => {
  it('equals the line of pino', () => {
    const records: RequestRecord[] = [
      RECORD,
      { ...RECORD, status: 0, isAborted: true },
      { ...RECORD, status: 400, code: 'verify.schema', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
      { ...RECORD, fields: { appId: 'app_1', items: 3, rootAgeSeconds: 1.5, reuse: false } },
      {
        ...RECORD,
        fields: { withPackage: true, proofMs: 1.25, refusal: 'X', check: 7, rule: 'r', clientId: 'c' },
      },
      { ...RECORD, durationMs: 0 },
    ];
    for (const record of records) expect(lineOf(record)).toBe(byPino(record));
  });

  it('formats any duration as pino does', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat(2_000_000)), (number) => {
        for (const durationMs of [number, number / 1000]) {
          const record = { ...RECORD, durationMs };
          expect(lineOf(record)).toBe(byPino(record));
        }
      }),
    );
  });

  it('has the fields of its exchange, also when a fields object is reused or changed', () => {
    const shared = Object.freeze({ appId: 'app_"1"', items: 1, reuse: false, proof: 'x' });
    const other = Object.freeze({ ...shared, items: 2 });
    const open = { appId: 'app_2', items: 3 };
    for (const fields of [shared, other, open, shared, other]) {
      const { proof: _dropped, ...allowed } = { proof: '', ...fields };
      expect(lineOf({ ...RECORD, fields })).toBe(byPino({ ...RECORD, fields: allowed }));
    }
    expect(lineOf({ ...RECORD, fields: open })).toContain('"items":3');
    open.items = 4;
    expect(lineOf({ ...RECORD, fields: open })).toContain('"items":4');
  });

  it('names listener, route and method of its exchange', () => {
    const places = [
      { listener: 'public', route: '/a', method: 'GET' },
      { listener: 'admin', route: '/a', method: 'GET' },
      { listener: 'public', route: '/a', method: 'POST' },
      { listener: 'public', route: '/b', method: 'GET' },
    ];
    for (const place of [...places, ...places]) {
      expect(JSON.parse(lineOf({ ...RECORD, ...place }))).toMatchObject(place);
    }
  });

  it('escapes any text as JSON', () => {
    fc.assert(
      fc.property(anyText, fc.double({ noNaN: false }), (text, number) => {
        const record = { ...RECORD, requestId: text, fields: { appId: text, rootAgeSeconds: number } };
        const line = lineOf(record);
        expect(line.endsWith('\n')).toBe(true);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        const expected = JSON.parse(JSON.stringify({ requestId: text, appId: text, rootAgeSeconds: number }));
        expect(JSON.parse(line)).toMatchObject(expected);
      }),
    );
  });

  it('has only allowed fields, and none that overrides its own members', () => {
    const fields = { proof: 'x', status: 5, level: 'fatal', appId: 'a', itemCodes: { proof: 'x' } };
    const line = JSON.parse(lineOf({ ...RECORD, fields: fields as object }));
    expect(line).toMatchObject({ level: 'info', status: 200, appId: 'a' });
    expect(line).not.toHaveProperty('proof');
    expect(line).not.toHaveProperty('itemCodes');
  });
});
