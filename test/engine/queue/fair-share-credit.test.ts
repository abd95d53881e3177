// Rules: spec/engine.md#share-of-a-suspect
import { describe, expect, it } from 'vitest';
import { FairShareCredit, UnsuspectedLoad } from '../../../src/engine/queue/fair-share-credit.ts';

interface Load {
  /** Proofs of good sources in flight; an answered proof is sent again immediately. */
  readonly good: number;
  /** Proofs of the suspect in flight. */
  readonly bad: number;
  /** Cost of a bad proof; a good one costs 1. */
  readonly cost: number;
  /** Milliseconds of one thread for a good proof. */
  readonly proofMs: number;
}

interface Rates {
  readonly good: number;
  readonly bad: number;
}

const RUN_MS = 20_000;
// Time between an answer and the next proof of a client.
const AWAY_MS = 0.3;
const MAX_BATCH = 64;

/**
 * Simulates one thread under closed loops of two kinds, with separate batches for the suspect. Returns
 * answers per millisecond.
 */
function separateRates({ good, bad, cost, proofMs }: Load): Rates {
  const others = new UnsuspectedLoad();
  const credit = new FairShareCredit(others, 0);
  const answered = { good: 0, bad: 0 };
  const waiting = { good, bad };
  const away: { atMs: number; kind: 'good' | 'bad'; count: number }[] = [];
  let [nowMs, isSuspectNext] = [0, false];
  others.inFlight = good;
  credit.inFlight = bad;
  while (nowMs < RUN_MS) {
    for (const back of away.filter(({ atMs }) => atMs <= nowMs)) {
      away.splice(away.indexOf(back), 1);
      waiting[back.kind] += back.count;
      (back.kind === 'good' ? others : credit).inFlight += back.count;
      if (back.kind === 'good') others.seen(nowMs);
    }
    const isDue = waiting.bad > 0 && credit.dueAtMs(nowMs, 1, 1) <= nowMs;
    const kind =
      isDue && (isSuspectNext || waiting.good === 0) ? 'bad' : waiting.good > 0 ? 'good' : undefined;
    if (!kind) {
      nowMs += 0.05;
      continue;
    }
    isSuspectNext = kind === 'good';
    const most = kind === 'bad' ? Math.min(MAX_BATCH, credit.batchSize(nowMs)) : MAX_BATCH;
    const count = Math.min(most, waiting[kind]);
    const runMs = proofMs * (2.6 + count * (kind === 'bad' ? cost : 1));
    waiting[kind] -= count;
    const expectedMs = kind === 'bad' ? credit.tookBatch(count) : 0;
    if (kind === 'good') others.tookBatch(nowMs);
    nowMs += runMs;
    if (kind === 'bad') credit.ranBatch(count, expectedMs, runMs, nowMs);
    (kind === 'good' ? others : credit).inFlight -= count;
    answered[kind] += count;
    away.push({ atMs: nowMs + AWAY_MS, kind, count });
  }
  return { good: answered.good / nowMs, bad: answered.bad / nowMs };
}

/** Answers per millisecond under the same load when all proofs are valid and share their batches. */
function sharedRates({ good, bad, proofMs }: Load): Rates {
  const all = good + bad;
  const batch = Math.min(all, MAX_BATCH);
  const batchMs = proofMs * (2.6 + batch);
  const rate = Math.min(batch / batchMs, all / (batchMs + AWAY_MS));
  return { good: (rate * good) / all, bad: (rate * bad) / all };
}

describe('the fair share of a source that sends bad proofs', () => {
  const loads: readonly Load[] = [
    { good: 256, bad: 256, cost: 2.5, proofMs: 0.02 },
    { good: 256, bad: 32, cost: 3.5, proofMs: 0.02 },
    { good: 128, bad: 64, cost: 2.5, proofMs: 0.02 },
    { good: 200, bad: 50, cost: 2.5, proofMs: 0.1 },
  ];
  it.each(loads)(
    'leaves the others 90 % of their rate and the source 40 %: $good good and $bad bad that cost $cost',
    (load) => {
      const [valid, attacked] = [sharedRates(load), separateRates(load)];
      expect(attacked.good / valid.good).toBeGreaterThan(0.9);
      expect(attacked.bad / valid.bad).toBeGreaterThan(0.4);
    },
  );

  it('leaves the others their rate, whatever a bad proof costs', () => {
    for (const cost of [1, 3, 10, 50]) {
      const load = { good: 200, bad: 200, cost, proofMs: 0.02 };
      expect([cost, separateRates(load).good / sharedRates(load).good > 0.9]).toEqual([cost, true]);
    }
  });

  it('predicts whether many of the next proofs will be bad', () => {
    const credit = new FairShareCredit(new UnsuspectedLoad(), 0);
    const batches = (count: number, bad: number): boolean => {
      for (let batch = 0; batch < count; batch += 1) credit.recordBad(bad, 64);
      return credit.expectsBad;
    };
    expect(credit.expectsBad).toBe(true);
    expect([batches(40, 0), batches(40, 1), batches(1, 64)]).toEqual([false, false, true]);
    expect([batches(40, 2), batches(40, 8)]).toEqual([false, true]);
  });

  it('has batches that are expected to take at most 4 ms beside other load', () => {
    for (const [costMs, size] of [
      [0.04, 96],
      [0.15, 24],
      [0.24, 16],
      [0.3, 8],
      [0.55, 7],
      [3, 1],
      [9, 1],
    ] as const) {
      const others = new UnsuspectedLoad();
      const credit = new FairShareCredit(others, 0);
      for (let batch = 0; batch < 60; batch += 1) credit.ranBatch(64, 0, 64 * costMs, 0);
      others.seen(0);
      // 30 ms without other load, but within the last second
      expect([costMs, credit.batchSize(30)]).toEqual([costMs, size]);
      credit.ranBatch(16, 0, 16 * 3, 0);
      expect(credit.batchSize(30)).toBeLessThanOrEqual(1);
    }
  });

  it('may be used without limit while there is no other load, with batches of 64 if many proofs are expected to be bad', () => {
    const others = new UnsuspectedLoad();
    const credit = new FairShareCredit(others, 0);
    credit.inFlight = 100;
    credit.tookBatch(64);
    credit.ranBatch(64, 32, 500, 500);
    expect([credit.dueAtMs(501, 1, 1), credit.batchSize(501)]).toEqual([501, 64]);
    others.seen(502);
    // a batch may take at most 4 ms when there was other load within the last second
    expect([credit.dueAtMs(503, 1, 1), credit.batchSize(503)]).toEqual([503, 1]);
    expect([credit.batchSize(1501), credit.batchSize(1502)]).toEqual([1, 64]);
    for (let batch = 0; batch < 20; batch += 1) credit.recordBad(0, 64);
    expect(credit.batchSize(1502)).toBe(Number.POSITIVE_INFINITY);
    credit.tookBatch(16);
    credit.ranBatch(16, 8, 100, 503);
    expect(credit.dueAtMs(504, 1, 1)).toBeGreaterThan(510);
  });
});
