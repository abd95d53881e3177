import { describe, expect, it } from 'vitest';
import { explainProblem, Problem } from '../../../src/client/admin/api/problem.ts';
import { linePath, niceCeiling } from '../../../src/client/admin/charts/scale.ts';
import {
  differencesOf,
  formatCount,
  formatDate,
  formatDuration,
  formatExact,
  formatFigure,
  formatLatency,
  formatRelative,
  formatShare,
  formatValue,
} from '../../../src/client/admin/parts/format.ts';
import { daysOf } from '../../../src/client/admin/views/usage/usage-days.ts';

const NOW = Date.UTC(2026, 2, 3, 4, 5, 6);
const [SECOND, HOUR, DAY] = [1000, 3_600_000, 86_400_000];

describe('numbers', () => {
  it('have thousands separators, and three digits where they are small', () => {
    expect([0, 1234567].map(formatCount)).toEqual(['0', '1,234,567']);
    expect([0, 0.12345, 3.3333, 99.96, 1234.5].map(formatFigure)).toEqual([
      '0',
      '0.123',
      '3.33',
      '100',
      '1,235',
    ]);
    expect([0.0005, 0.0123, 1.5, 12].map(formatLatency)).toEqual(['0.5 ms', '12.3 ms', '1.5 s', '12 s']);
    expect([0, 0.125, 1].map(formatShare)).toEqual(['0 %', '12.5 %', '100 %']);
  });
});

describe('times', () => {
  it.each([
    [0, 'just now'],
    [-4 * SECOND, 'just now'],
    [-59 * SECOND, '59 seconds ago'],
    [-61 * SECOND, '1 minute ago'],
    [-3 * HOUR, '3 hours ago'],
    [-DAY, 'yesterday'],
    [30 * DAY - HOUR, 'in 29 days'],
    [-400 * DAY, 'last year'],
  ])('%s ms from now are %s', (offset, text) => expect(formatRelative(NOW + offset, NOW)).toBe(text));

  it.each([
    [0, '0 seconds'],
    [1, '1 second'],
    [61, '1 minute 1 second'],
    [7200, '2 hours'],
    [93_784, '1 day 2 hours'],
  ])('%s seconds are %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));

  it('are exact in UTC', () => {
    expect(formatExact(NOW)).toBe('3 Mar 2026, 04:05:06 UTC');
    expect(formatDate(NOW)).toBe('3 March 2026');
  });
});

describe('values and their differences', () => {
  it.each([
    [null, '–'],
    ['', '(empty)'],
    [true, 'yes'],
    [5, '5'],
    [[], '(none)'],
    [['a', 'b'], 'a, b'],
    [{ a: 1 }, '{\n  "a": 1\n}'],
  ])('%j is shown as %j', (value, text) => expect(formatValue(value)).toBe(text));

  it('lists what was set, changed and removed, and nothing else', () => {
    expect(
      differencesOf({ name: 'a', kept: [1], gone: true }, { name: 'b', kept: [1], fresh: null }),
    ).toEqual([
      { name: 'name', before: 'a', after: 'b' },
      { name: 'gone', before: 'yes', after: undefined },
      { name: 'fresh', before: undefined, after: '–' },
    ]);
    expect(differencesOf(null, { status: 'active' })).toEqual([
      { name: 'status', before: undefined, after: 'active' },
    ]);
    expect(differencesOf(3, 4)).toEqual([{ name: 'value', before: '3', after: '4' }]);
    expect(differencesOf(null, null)).toEqual([]);
  });
});

describe('refusals', () => {
  it('name their fields, and say in plain words what helps', () => {
    const refusal = new Problem(400, {
      detail: 'redirect_uris[0]: expected https',
      errors: [
        { path: 'redirect_uris[0]', detail: 'redirect_uris[0]: expected https' },
        { path: 'body/name', detail: 'is required' },
        { path: 'path/id_comm', detail: 'must match' },
        { path: 'body/records/3/orb_id', detail: 'is required' },
        { path: 'rp_id' },
      ],
      requestId: 'r1',
    });
    expect(refusal.faults).toEqual([
      { field: 'redirect_uris', text: 'Expected https.' },
      { field: 'name', text: 'Is required.' },
      { field: 'id_comm', text: 'Must match.' },
      { field: 'records', text: 'Number 4, orb_id: is required.' },
      { field: 'rp_id', text: 'Has a wrong value.' },
    ]);
    expect(explainProblem(refusal)).toBe('redirect_uris[0]: expected https. (request r1)');
    expect(explainProblem(new Problem(0))).toContain('does not answer');
    expect(explainProblem(new Problem(403))).toContain('may only read');
    expect(explainProblem(new Problem(409, { code: 'app.changed' }))).toContain('Reload it');
    expect(explainProblem(new Problem(500))).toBe('The service answered with status 500.');
    expect(explainProblem(new TypeError('x'))).toContain('x');
  });
});

describe('the drawing of charts', () => {
  it('has a round upper edge', () => {
    expect([0, 0.25, 1, 2.2, 61, 150, 5001].map(niceCeiling)).toEqual([1, 0.25, 1, 2.5, 80, 150, 6000]);
    for (const value of [0.007, 3.3, 42, 977, 1e6]) expect(niceCeiling(value)).toBeGreaterThanOrEqual(value);
  });

  it('ends at the right edge, leaves gaps and stays within its frame', () => {
    const frame = { slots: 5, width: 40, height: 100, top: 10 };
    expect(linePath([5, 10], frame)).toBe('M30.0 50.0L30.0 50.0L40.0 0.0');
    expect(linePath([0, undefined, 20], frame)).toBe('M20.0 100.0L20.0 100.0M40.0 0.0L40.0 0.0');
    expect(linePath([], frame)).toBe('');
  });

  it('has every day of a month, with both environments added up', () => {
    const counts = { verified_reused: 0, verified_session: 0, verify_refused: 0, signed_in: 1 };
    const days = daysOf(
      [
        { day: '2026-03-03', environment: 'production', verified_new: 2, ...counts },
        { day: '2026-03-03', environment: 'staging', verified_new: 3, ...counts },
        { day: '2026-02-02', environment: 'staging', verified_new: 3, ...counts },
      ],
      30,
      NOW,
    );
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toMatchObject({ day: '2026-03-03', counts: { verified_new: 5, signed_in: 2 } });
    expect(days[0]).toMatchObject({ day: '2026-02-02', counts: { verified_new: 3 } });
    expect(days[1]?.counts.verified_new).toBe(0);
  });
});
