import type { Build } from '../contenders/builds.ts';
import { thin } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Budget } from '../suite.ts';
import { type Contestant, interleave } from './interleave.ts';

/** One contender of a group: cheap operations, so fewer samples are kept. */
export interface Entry extends Contestant {
  readonly isPeer: boolean;
}

/** Name of the contenders in plain JavaScript that are kept in this bench. */
export const PLAIN = 'plain-javascript';

const SAMPLES_KEPT = 100;

/** Words of 32 bytes one after another, each as a view. */
export function wordsOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: bytes.length / 32 }, (_, index) =>
    bytes.subarray(32 * index, 32 * (index + 1)),
  );
}

/** Times the entries against each other and makes one case of each. */
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

/** One entry per build. */
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
 * Compares what each build answers to one call.
 *
 * @throws Error naming the build whose answer is another one.
 */
export function assertSame(what: string, answers: readonly { name: string; answer: Uint8Array }[]): void {
  const [first, ...rest] = answers;
  for (const other of rest) {
    if (first && !Buffer.from(first.answer).equals(other.answer))
      throw new Error(`${what}: ${other.name} answers otherwise than ${first.name}`);
  }
}
