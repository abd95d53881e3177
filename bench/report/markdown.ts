import { costOfBad } from './cost-of-bad.ts';
import { threeDigits, times } from './format.ts';
import { percentOfLimit } from './limits.ts';
import { best, caseName, median, peersOf, timesBetter } from './statistics.ts';
import type { Case, RunRecord } from './types.ts';

const COLUMNS = ['case', 'unit', 'median', 'best', 'samples', 'to best peer', 'of limit', 'further'] as const;

/** Returns the factor of a case over the best of the given peers; undefined without peers. */
function factor(entry: Case, peers: readonly Case[]): number | undefined {
  const factors = peers.map((peer) => timesBetter(entry, peer));
  return factors.length === 0 ? undefined : Math.min(...factors);
}

function row(entry: Case, cases: readonly Case[]): string {
  const peers = entry.isPeer ? [] : peersOf(entry, cases);
  const percent = percentOfLimit(entry);
  const cells = [
    `\`${caseName(entry)}\``,
    entry.unit,
    threeDigits(median(entry.samples)),
    threeDigits(best(entry.samples, entry.unit)),
    String(entry.samples.length),
    times(factor(entry, peers)),
    percent === undefined ? '' : `${threeDigits(percent)} %`,
    [
      ...Object.entries(entry.figures ?? {}).map(([key, value]) => `${key} ${threeDigits(value)}`),
      ...(entry.note === undefined ? [] : [`**${entry.note}**`]),
    ].join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

const judged = (isMet: boolean): string => (isMet ? 'met' : '**not met**');

function notMeasured({ notMeasured: reasons = {} }: RunRecord): string[] {
  const lines = Object.entries(reasons).map(([name, reason]) => `- ${name} not measured: ${reason}`);
  return lines.length === 0 ? [] : [...lines, ''];
}

function ratios(cases: readonly Case[]): string[] {
  const peers = [...new Set(cases.filter((one) => one.isPeer).map((one) => one.contender))];
  const ours = cases.filter((one) => !one.isPeer && peersOf(one, cases).length > 0);
  if (ours.length === 0) return [];
  const line = (entry: Case): string => {
    const cells = peers.map((name) =>
      times(
        factor(
          entry,
          peersOf(entry, cases).filter((one) => one.contender === name),
        ),
      ),
    );
    return `| \`${caseName(entry)}\` | ${cells.join(' | ')} |`;
  };
  return [
    '## Times faster than the peers, by medians of this run',
    '',
    `| case | ${peers.join(' | ')} |`,
    `|---|${peers.map(() => '---:|').join('')}`,
    ...ours.map(line),
    '',
  ];
}

/** Formats a run as a Markdown page; `plots` are the names of files in the same folder. */
export function markdown(run: RunRecord, plots: readonly string[]): string {
  const { machine } = run;
  return [
    `# Benchmark of ${run.date}, commit ${run.commit}${run.isDirty ? ' with local changes' : ''}, ${run.mode} run`,
    '',
    `${machine.cpu}, ${machine.cores} cores (${machine.flags.join(' ') || 'no special instructions'}), ` +
      `${machine.memoryGib} GiB, Linux ${machine.kernel}, databases on ${machine.fileSystem}; ` +
      `load before the run ${threeDigits(machine.loadBefore)}. The run took ${Math.round(run.durationSeconds)} s.`,
    '',
    `Versions: ${Object.entries(run.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
    `Settings: ${Object.entries(run.settings)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}.`,
    '',
    '## Targets',
    '',
    '| target | required | measured | | then |',
    '|---|---|---|---|---|',
    ...run.targets.map(
      (target) =>
        `| ${target.name} | ${target.required} | ${target.measured} | ${judged(target.isMet)} | ${target.next ? `${target.next.required}: ${judged(target.next.isMet)}` : ''} |`,
    ),
    '',
    ...notMeasured(run),
    ...ratios(run.cases),
    ...costOfBad(run.cases),
    '## All cases',
    '',
    `| ${COLUMNS.join(' | ')} |`,
    '|---|---|---:|---:|---:|---:|---:|---|',
    ...run.cases.map((entry) => row(entry, run.cases)),
    '',
    'Contenders gave the same answers to the same inputs before they were timed, and ran interleaved. "of limit": ' +
      'percent of the limit of a core at 3.9 GHz (spec/engine.md#reference-limits). A batch is counted per proof. ' +
      'Times of groth16 and of the hashes are processor time, unless a note says wall time.',
    '',
    ...plots.map((file) => `![${file.replace(/\.svg$/, '')}](${file})`),
    '',
  ].join('\n');
}
