import { times } from './format.ts';
import { median } from './statistics.ts';
import type { Case } from './types.ts';

/** Subject of the batches that have one kind of members each. */
export const COST_OF_BAD = 'groth16.verify-kind';

/** The most that a batch may cost, times a valid one of its size (spec/engine.md#cost-of-bad-proofs). */
const LIMITS = { combined: 4.5, singly: 3.5 } as const;

/** Returns the table of what each kind of bad proofs costs; empty if the run did not measure it. */
export function costOfBad(cases: readonly Case[]): string[] {
  const ours = cases.filter(({ subject }) => subject === COST_OF_BAD);
  const contenders = [...new Set(ours.map(({ contender }) => contender))];
  if (contenders.length === 0) return [];
  const kinds = [...new Set(ours.map(({ parameters }) => parameters.members))];
  const timeOf = (
    contender: string,
    members: Case['parameters'][string] | undefined,
    check: string,
  ): number => {
    const found = ours.find(
      (one) =>
        one.contender === contender && one.parameters.members === members && one.parameters.check === check,
    );
    return found ? median(found.samples) : Number.NaN;
  };
  const columns = contenders.flatMap((contender) =>
    (['combined', 'singly'] as const).map((check) => ({ contender, check })),
  );
  return [
    '## Cost of bad proofs, times a valid batch of the same size',
    '',
    `Limits, which tests hold by counts of operations: ${LIMITS.combined} combined, ${LIMITS.singly} singly.`,
    '',
    `| members of the batch | ${columns.map(({ contender, check }) => `${contender}, ${check}`).join(' | ')} |`,
    `|---|${columns.map(() => '---:|').join('')}`,
    ...kinds.map((members) => {
      const cells = columns.map(({ contender, check }) =>
        times(timeOf(contender, members, check) / timeOf(contender, 'valid', 'combined')),
      );
      return `| ${members} | ${cells.join(' | ')} |`;
    }),
    '',
  ];
}
