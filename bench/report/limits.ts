import { median } from './statistics.ts';
import type { Case } from './types.ts';

/**
 * Limits of one core at 3.9 GHz in µs per proof (spec/engine.md#reference-limits), from the operation counts
 * and the multiplier's bound. Another machine has another limit: the percentage measures the code, not the
 * machine.
 */
const LIMITS_US: readonly {
  readonly contenders: readonly string[];
  readonly parameters: Case['parameters'];
  readonly limit: number;
}[] = [
  { contenders: ['native-adx', 'native-portable'], parameters: { inputs: 4, batch: 1 }, limit: 140 },
  { contenders: ['native-adx', 'native-portable'], parameters: { inputs: 4, batch: 64 }, limit: 45 },
  { contenders: ['native-ifma'], parameters: { inputs: 4, batch: 64 }, limit: 9 },
];

/** Returns the percentage of the reference limit that a native case reaches; undefined without a limit. */
export function percentOfLimit(entry: Case): number | undefined {
  if (entry.subject !== 'groth16.verify' || entry.unit !== 'us_per_op') return undefined;
  const row = LIMITS_US.find(
    ({ contenders, parameters }) =>
      contenders.includes(entry.contender) && JSON.stringify(parameters) === JSON.stringify(entry.parameters),
  );
  return row && (100 * row.limit) / median(entry.samples);
}
