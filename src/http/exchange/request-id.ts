import { randomUUID } from 'node:crypto';

/** Digits of an id that count; the others are random and change after each run of the count. */
const COUNTING_DIGITS = 3;
const COUNTS: readonly string[] = Array.from({ length: 16 ** COUNTING_DIGITS }, (_, count) =>
  count.toString(16).padStart(COUNTING_DIGITS, '0'),
);

let prefix = '';
let count = COUNTS.length;

/**
 * An id for a request, in the form of a UUID. Ids are unique over all processes, by 110 random bits; within a run of
 * 4,096 they count, which costs a fiftieth of a new random one. They are names, not secrets.
 */
export function newRequestId(): string {
  if (count === COUNTS.length) {
    prefix = randomUUID().slice(0, -COUNTING_DIGITS);
    count = 0;
  }
  return prefix + COUNTS[count++];
}
