import { threeDigits } from './format.ts';
import { best, caseName, median } from './statistics.ts';
import type { Case, Target } from './types.ts';

/** A bound on a figure: at most, or at least; the goal behind it, where there is one. */
export interface Bound {
  readonly kind: 'at most' | 'at least';
  readonly value: number;
  readonly next?: number;
}

/** Writes a figure of the goal's kind. */
export type Format = (value: number) => string;

/** `12.3 %`. */
export const percent: Format = (value) => `${threeDigits(value)} %`;
/** A share of a peer's time: `0.4` or, up to an eighth and a little more, `1/14`. */
export const share: Format = (value) =>
  value < 0.14 && value > 0 ? `1/${threeDigits(1 / value)}` : threeDigits(value);

const isWithin = (value: number, kind: Bound['kind'], bound: number): boolean =>
  kind === 'at most' ? value <= bound : value >= bound;

/** The line of a goal. */
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

/** The case with this name. */
export function findCase(cases: readonly Case[], name: string): Case | undefined {
  return cases.find((entry) => caseName(entry) === name);
}

/**
 * The goal for the time of one case as a share of another's, by medians, with the share of the least times beside it;
 * nothing where one of them did not run.
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
