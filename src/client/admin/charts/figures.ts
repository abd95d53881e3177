import { type Buckets, bucketsOf, parseMetrics, quantileBetween, type Sample, sumOf } from './prometheus.ts';

const VERIFY = 'proofgate_verify_requests_total';
const SIGN_INS = 'proofgate_signin_transactions_total';
const ITEMS = 'proofgate_verify_items_total';
const DURATION = 'proofgate_http_request_duration_seconds';
const OPEN = 'proofgate_http_open_exchanges';
const QUEUE = 'proofgate_engine_queue_depth';
const WANTED: ReadonlySet<string> = new Set([VERIFY, SIGN_INS, ITEMS, `${DURATION}_bucket`, OPEN, QUEUE]);

/** Counters at one moment. */
export interface Reading {
  /** Milliseconds on a clock that never goes back. */
  readonly at: number;
  readonly verified: number;
  readonly signedIn: number;
  readonly items: number;
  readonly badItems: number;
  readonly latency: Buckets;
  readonly queue: number;
  readonly open: number;
}

/** Figures of the charts for the time between two readings; undefined if nothing was counted. */
export interface Figures {
  /** Requests per second. */
  readonly verifyRate: number;
  readonly signInRate: number;
  /** Seconds. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  /** Number of waiting proofs. */
  readonly queue: number;
  /** Requests of the public interfaces that are being served. */
  readonly open: number;
  /** From 0 to 1. */
  readonly badShare: number | undefined;
}

/** Takes the counters that the charts need from an exposition. */
export function readingOf(text: string, at: number): Reading {
  const samples: Sample[] = parseMetrics(text, WANTED);
  return {
    at,
    verified: sumOf(samples, VERIFY),
    signedIn: sumOf(samples, SIGN_INS, ({ result }) => result === 'completed'),
    items: sumOf(samples, ITEMS),
    badItems: sumOf(samples, ITEMS, ({ code }) => code === 'invalid_proof'),
    latency: bucketsOf(samples, DURATION, ({ route = '' }) => route.includes('/verify/')),
    queue: sumOf(samples, QUEUE),
    open: sumOf(samples, OPEN, ({ listener }) => listener === 'public'),
  };
}

/** Compares two readings; undefined if the service was restarted between them, which resets its counters. */
export function figuresOf(before: Reading, after: Reading): Figures | undefined {
  const seconds = (after.at - before.at) / 1000;
  const items = after.items - before.items;
  const isReset = [after.verified - before.verified, after.signedIn - before.signedIn, items].some(
    (growth) => growth < 0,
  );
  if (seconds <= 0 || isReset) return undefined;
  return {
    verifyRate: (after.verified - before.verified) / seconds,
    signInRate: (after.signedIn - before.signedIn) / seconds,
    p50: quantileBetween(0.5, before.latency, after.latency),
    p99: quantileBetween(0.99, before.latency, after.latency),
    queue: after.queue,
    open: after.open,
    badShare: items === 0 ? undefined : (after.badItems - before.badItems) / items,
  };
}
