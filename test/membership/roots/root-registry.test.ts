// Rules: spec/verification.md#root-age
import { describe, expect, it } from 'vitest';
import { checkAccountRoot, checkRoot } from '../../../src/membership/roots/root-registry.ts';
import type { RootRow } from '../../../src/storage/roots.ts';

const NOW = Date.UTC(2026, 0, 15);
const YEAR_SECONDS = 365 * 86_400;

function root(ageSeconds: number, isCurrent: boolean): RootRow {
  return {
    environment: 'production',
    tree: 'orb',
    root: new Uint8Array(32),
    receivedAt: NOW - ageSeconds * 1000,
    supersededAt: isCurrent ? null : NOW,
    source: 'operator',
    keyId: null,
  };
}

describe('age rule of a root', () => {
  it.each([
    ['superseded, 604,801 s', 604_801, false, 604_800, false],
    ['superseded, 604,800.001 s', 604_800.001, false, 604_800, false],
    ['superseded, exactly 604,800 s', 604_800, false, 604_800, true],
    ['superseded, 604,799 s', 604_799, false, 604_800, true],
    ['superseded, max_age 3600, 3,601 s', 3601, false, 3600, false],
    ['superseded, max_age 3600, 3,600 s', 3600, false, 3600, true],
    ['superseded, max_age 3600, 3,599 s', 3599, false, 3600, true],
    ['current, received a year ago', YEAR_SECONDS, true, 3600, true],
    ['superseded, from the future', -5000, false, 3600, true],
  ])('%s', (_name, ageSeconds, isCurrent, maxAgeSeconds, isAccepted) => {
    expect(checkRoot(root(ageSeconds, isCurrent), maxAgeSeconds, NOW).isAccepted).toBe(isAccepted);
  });

  it('counts from the receipt of the root, not from when it was superseded', () => {
    const row = { ...root(604_801, false), supersededAt: NOW - 1 };
    expect(checkRoot(row, 604_800, NOW)).toEqual({ isAccepted: false, ageSeconds: 604_801 });
  });

  it('returns age 0 for a time in the future', () => {
    expect(checkRoot(root(-10, true), 3600, NOW).ageSeconds).toBe(0);
  });
});

describe('age rule of a root of World ID 4.0', () => {
  const superseded = (supersededAt: number | null): RootRow => ({
    ...root(YEAR_SECONDS, true),
    tree: 'account',
    supersededAt,
  });

  it.each([
    ['current, received a year ago', null, 60, { isAccepted: true, ageSeconds: 0 }],
    ['superseded exactly 3,600 s ago', NOW - 3_600_000, 3600, { isAccepted: true, ageSeconds: 3600 }],
    ['superseded 3,600.001 s ago', NOW - 3_600_001, 3600, { isAccepted: false, ageSeconds: 3600 }],
    ['superseded 3,601 s ago', NOW - 3_601_000, 3600, { isAccepted: false, ageSeconds: 3601 }],
    ['superseded in the future', NOW + 5000, 60, { isAccepted: true, ageSeconds: 0 }],
  ])('%s', (_name, supersededAt, windowSeconds, expected) => {
    expect(checkAccountRoot(superseded(supersededAt), windowSeconds, NOW)).toEqual(expected);
  });
});
