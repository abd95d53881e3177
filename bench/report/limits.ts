import { median } from './statistics.ts';
import type { Case } from './types.ts';

/**
 * Limits of one core at 3.9 GHz in µs per proof or hash, from the operation counts and the multiplier's bound.
 * Another machine has another limit: a percentage tells how far the code is, not how good the machine is.
 */
const LIMITS_US: readonly {
  readonly subject: string;
  readonly parameters: Case['parameters'];
  readonly limit: number;
}[] = [
  { subject: 'groth16.verify', parameters: { inputs: 4, batch: 1 }, limit: 140 },
  { subject: 'groth16.verify', parameters: { inputs: 4, batch: 64 }, limit: 45 },
];

/** Percent of the reference core's scalar limit that a native case reaches, or undefined where none is stated. */
export function percentOfLimit(entry: Case): number | undefined {
  if (entry.contender !== 'native' || entry.unit !== 'us_per_op') return undefined;
  const row = LIMITS_US.find(
    ({ subject, parameters }) =>
      subject === entry.subject && JSON.stringify(parameters) === JSON.stringify(entry.parameters),
  );
  return row && (100 * row.limit) / median(entry.samples);
}
