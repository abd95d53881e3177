import type { Case, Unit } from './types.ts';

/** Returns the quantile `q` (0..1) of the samples, interpolated between neighbours. */
export function quantile(samples: readonly number[], q: number): number {
  if (samples.length === 0) throw new RangeError('quantile: no samples');
  const sorted = Float64Array.from(samples).sort();
  const position = (sorted.length - 1) * q;
  const low = Math.floor(position);
  const below = sorted[low] as number;
  const above = sorted[Math.min(low + 1, sorted.length - 1)] as number;
  return below + (above - below) * (position - low);
}

/** Returns the median of the samples. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Returns the best sample: the least time, or the greatest rate. */
export function best(samples: readonly number[], unit: Unit): number {
  return quantile(samples, unit === 'ops_per_s' ? 1 : 0);
}

/** Returns the name of a case: `groth16.verify/native/inputs=4/batch=1`. */
export function caseName(entry: Pick<Case, 'subject' | 'contender' | 'parameters'>): string {
  const parameters = Object.entries(entry.parameters).map(([key, value]) => `${key}=${value}`);
  return [entry.subject, entry.contender, ...parameters].join('/');
}

/** Returns how many times better `ours` is than `other`, by medians; above 1 is better, whatever the unit. */
export function timesBetter(ours: Case, other: Case): number {
  if (ours.unit !== other.unit) throw new TypeError(`${caseName(ours)}: ${ours.unit} against ${other.unit}`);
  const [mine, theirs] = [median(ours.samples), median(other.samples)];
  return ours.unit === 'ops_per_s' ? mine / theirs : theirs / mine;
}

/** Returns the peers that do the same work: equal subject, unit and parameters except the batch size. */
export function peersOf(entry: Case, cases: readonly Case[]): Case[] {
  const work = (one: Case): string =>
    JSON.stringify([
      one.subject,
      one.unit,
      Object.entries(one.parameters).filter(([key]) => key !== 'batch'),
    ]);
  return cases.filter((other) => other.isPeer && work(other) === work(entry));
}

/** Keeps at most `limit` samples, evenly spaced, with the six digits that the clock is precise to. */
export function thin(samples: readonly number[], limit: number): number[] {
  const step = Math.max(1, samples.length / limit);
  const kept = Array.from(
    { length: Math.min(limit, samples.length) },
    (_, i) => samples[Math.floor(i * step)] as number,
  );
  return kept.map((value) => Number(value.toPrecision(6)));
}
