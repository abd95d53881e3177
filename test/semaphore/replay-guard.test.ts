// Rules: spec/worldid4.md#wallets-of-development
import { describe, expect, it } from 'vitest';
import {
  judgeNullifier,
  REMEMBER_MS,
  REPEAT_MS,
  refusalReason,
  rememberNullifier,
} from '../../src/semaphore/replay-guard.ts';

const FIRST = Date.UTC(2026, 5, 1, 12);
const MADE = { nil_a: FIRST };

describe('the replay guard of a wallet', () => {
  it('knows only what this installation has made', () => {
    expect(judgeNullifier(MADE, 'nil_b', FIRST)).toEqual({ state: 'new' });
    expect(judgeNullifier({}, 'nil_a', FIRST)).toEqual({ state: 'new' });
  });

  it.each([
    ['at once', 0, 'repeatable'],
    ['after 10 minutes', REPEAT_MS, 'repeatable'],
    ['after more than 10 minutes', REPEAT_MS + 1, 'refused'],
    ['before a year is over', REMEMBER_MS - 1, 'refused'],
    ['after a year', REMEMBER_MS, 'new'],
    ['by a clock that was set back', -1000, 'repeatable'],
  ])('judges a nullifier %s', (_, age, state) => {
    expect(judgeNullifier(MADE, 'nil_a', FIRST + age).state).toBe(state);
  });

  it('has ten minutes and 365 days', () => {
    expect(judgeNullifier(MADE, 'nil_a', FIRST).until).toBe(FIRST + 600_000);
    const refused = judgeNullifier(MADE, 'nil_a', FIRST + 600_001);
    expect(refused).toMatchObject({ firstMadeAt: FIRST, until: FIRST + 31_536_000_000 });
    expect(refusalReason(refused)).toContain(
      'first made the nullifier on 2026-06-01T12:00:00.000Z, and makes it again from 2027-06-01T12:00:00.000Z on',
    );
  });

  it('keeps the first time while it is remembered, and forgets what it no longer needs', () => {
    expect(rememberNullifier(MADE, 'nil_a', FIRST + REPEAT_MS)).toEqual(MADE);
    expect(rememberNullifier(MADE, 'nil_b', FIRST + 5)).toEqual({ ...MADE, nil_b: FIRST + 5 });
    const later = FIRST + REMEMBER_MS;
    expect(rememberNullifier(MADE, 'nil_a', later)).toEqual({ nil_a: later });
    expect(rememberNullifier(MADE, 'nil_b', later)).toEqual({ nil_b: later });
  });
});
