import type { Build } from '../contenders/builds.ts';
import { thin } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Budget } from '../suite.ts';
import { type Contestant, interleave } from './interleave.ts';

/** One contender of a group of hash or signature cases. */
export interface Entry extends Contestant {
  readonly isPeer: boolean;
}

/** Name of the contenders in plain JavaScript that are part of this bench. */
export const PLAIN = 'plain-javascript';

const SAMPLES_KEPT = 100;

/** Splits bytes into words of 32 bytes, each as a view. */
export function wordsOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: bytes.length / 32 }, (_, index) =>
    bytes.subarray(32 * index, 32 * (index + 1)),
  );
}

/** Times the entries in the same rounds and makes one case of each. */
export async function timeGroup(
  subject: string,
  parameters: Case['parameters'],
  entries: readonly Entry[],
  budget: Budget,
): Promise<Case[]> {
  const samples = await interleave(entries, { rounds: budget.rounds, sliceMs: budget.sliceMs / 3 });
  return entries.map((entry, index) => ({
    subject,
    contender: entry.name,
    parameters,
    unit: 'us_per_op',
    isPeer: entry.isPeer,
    samples: thin(samples[index] ?? [], SAMPLES_KEPT),
  }));
}

/** Makes one entry per build. */
export function entriesOf(
  builds: readonly Build[],
  operations: number,
  run: (build: Build) => () => void,
): Entry[] {
  return builds.map((build) => ({
    name: build.name,
    isPeer: false,
    operations,
    ...(build.before ? { before: build.before } : {}),
    run: run(build),
  }));
}

/**
 * Checks that all answers are equal.
 *
 * @throws Error naming the first whose answer differs
 */
export function assertSame(what: string, answers: readonly { name: string; answer: Uint8Array }[]): void {
  const [first, ...rest] = answers;
  for (const other of rest) {
    if (first && !Buffer.from(first.answer).equals(other.answer))
      throw new Error(`${what}: the answer of ${other.name} differs from that of ${first.name}`);
  }
}
