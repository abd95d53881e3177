import { threeDigits } from './format.ts';
import { best, caseName, median } from './statistics.ts';
import type { Case, Target } from './types.ts';

/** Bound of a figure; `next` is a more ambitious value, if there is one. */
export interface Bound {
  readonly kind: 'at most' | 'at least';
  readonly value: number;
  readonly next?: number;
}

/** Formats a figure of a target. */
export type Format = (value: number) => string;

/** Formats a percentage as `12.3 %`. */
export const percent: Format = (value) => `${threeDigits(value)} %`;
/** Formats a share of a peer's time as `0.4` or, below 0.14, as `1/14`. */
export const share: Format = (value) =>
  value < 0.14 && value > 0 ? `1/${threeDigits(1 / value)}` : threeDigits(value);

const isWithin = (value: number, kind: Bound['kind'], bound: number): boolean =>
  kind === 'at most' ? value <= bound : value >= bound;

/** Judges a figure against a bound. */
export function target(name: string, value: number, bound: Bound, format: Format): Target {
  const sign = bound.kind === 'at most' ? '≤' : '≥';
  const { next } = bound;
  return {
    name,
    required: `${sign} ${format(bound.value)}`,
    measured: format(value),
    isMet: isWithin(value, bound.kind, bound.value),
    ...(next === undefined
      ? {}
      : { next: { required: `${sign} ${format(next)}`, isMet: isWithin(value, bound.kind, next) } }),
  };
}

/** Finds the case with a name. */
export function findCase(cases: readonly Case[], name: string): Case | undefined {
  return cases.find((entry) => caseName(entry) === name);
}

/**
 * Judges the time of one case as a share of another's, by medians, and adds the share of the least times.
 * Returns an empty list if one of them did not run.
 */
export function shareTarget(
  cases: readonly Case[],
  ours: string,
  peer: string,
  name: string,
  bound: Bound,
): Target[] {
  const [mine, theirs] = [findCase(cases, ours), findCase(cases, peer)];
  if (!mine || !theirs) return [];
  const judged = target(name, median(mine.samples) / median(theirs.samples), bound, share);
  const ofBest = best(mine.samples, mine.unit) / best(theirs.samples, theirs.unit);
  return [{ ...judged, measured: `${judged.measured} (least times ${share(ofBest)})` }];
}
