import { threeDigits, times } from './format.ts';
import { caseName, median, timesBetter } from './statistics.ts';
import type { Case, RunRecord } from './types.ts';

/** A case in two runs. */
export interface Change {
  readonly name: string;
  readonly before: Case;
  readonly after: Case;
  /** Times better than before; above 1 is better, whatever the unit. */
  readonly factor: number;
  readonly judgement: 'better' | 'worse' | 'within noise' | 'too few samples';
}

// Fewer samples do not show the spread.
const LEAST_SAMPLES = 3;

/** Returns the median absolute deviation from the median. */
export function deviation(samples: readonly number[]): number {
  const middle = median(samples);
  return median(samples.map((value) => Math.abs(value - middle)));
}

// A difference counts if it exceeds this many deviations of both runs. In a normal distribution, 3 are about
// two standard deviations. The median of many samples varies less than one sample, but two runs also differ
// by the state of the machine.
const DEVIATIONS = 3;

function judge(before: Case, after: Case, factor: number): Change['judgement'] {
  if (Math.min(before.samples.length, after.samples.length) < LEAST_SAMPLES) return 'too few samples';
  const gap = Math.abs(median(before.samples) - median(after.samples));
  if (gap <= DEVIATIONS * (deviation(before.samples) + deviation(after.samples))) return 'within noise';
  return factor > 1 ? 'better' : 'worse';
}

/** Returns the name of a case in older runs, which name the chosen build by its kind; else undefined. */
function olderName(entry: Case, run: RunRecord): string | undefined {
  const kind = Object.entries(run.chosen ?? {}).find(([, name]) => name === entry.contender)?.[0];
  return kind === undefined ? undefined : caseName({ ...entry, contender: kind });
}

/** Maps the names of a run's cases to the cases, older names included unless they are taken. */
function byName(run: RunRecord): Map<string, Case> {
  const names = new Map<string, Case>();
  for (const entry of run.cases) names.set(caseName(entry), entry);
  for (const entry of run.cases) {
    const older = olderName(entry, run);
    if (older !== undefined && !names.has(older)) names.set(older, entry);
  }
  return names;
}

/** Compares the cases that both runs have, in the order of the later run. */
export function changes(before: RunRecord, after: RunRecord): Change[] {
  const known = byName(before);
  return after.cases.flatMap((entry) => {
    const former = known.get(caseName(entry)) ?? known.get(olderName(entry, after) ?? '');
    if (former === undefined || former.unit !== entry.unit) return [];
    const factor = timesBetter(entry, former);
    const judgement = judge(former, entry, factor);
    return [{ name: caseName(entry), before: former, after: entry, factor, judgement }];
  });
}

const of = (run: RunRecord): string => `${run.date.slice(0, 16)} ${run.commit} (${run.mode})`;

/** Formats the comparison of two runs as a Markdown page. */
export function comparison(before: RunRecord, after: RunRecord): string {
  const rows = changes(before, after);
  const machines = [before, after].map(({ machine }) => `${machine.cpu} ${machine.flags.join(' ')}`);
  const row = ({ name, before: was, after: is, factor, judgement }: Change): string =>
    `| \`${name}\` | ${is.unit} | ${threeDigits(median(was.samples))} | ${threeDigits(median(is.samples))} | ${times(factor)} | ${judgement} |`;
  return [
    `# ${of(before)} against ${of(after)}`,
    '',
    ...(machines[0] === machines[1] ? [] : [`**Different machines**: ${machines.join('; ')}.`, '']),
    `Load before the runs: ${threeDigits(before.machine.loadBefore)} and ${threeDigits(after.machine.loadBefore)}.`,
    '',
    '| case | unit | before | after | times better | |',
    '|---|---|---:|---:|---:|---|',
    ...rows.map(row),
    '',
    `${rows.length} cases in both runs, by medians. "within noise": they differ by no more than ${DEVIATIONS} times the median ` +
      'absolute deviations of both runs together.',
    '',
  ].join('\n');
}
