import { type Bar, barChart, type Line, lineChart } from './charts.ts';
import { median } from './statistics.ts';
import type { Case, RunRecord } from './types.ts';

/** A plot of a run and the name that its file ends with. */
export interface Plot {
  readonly name: string;
  readonly svg: string;
}

const ofSubject = (run: RunRecord, subject: string): Case[] =>
  run.cases.filter((entry) => entry.subject === subject);

function singleProof(run: RunRecord): Plot[] {
  const bars: Bar[] = ofSubject(run, 'groth16.verify')
    .filter((entry) => entry.parameters.batch === 1)
    .map((entry) => ({
      label: entry.contender,
      value: median(entry.samples),
      kind: entry.isPeer ? ('peer' as const) : ('ours' as const),
    }))
    .sort((a, b) => a.value - b.value);
  if (bars.length === 0) return [];
  const title = 'One Groth16 proof, 4 public inputs';
  return [{ name: 'single-proof', svg: barChart(title, 'µs per proof, median (logarithmic)', bars) }];
}

/** One line per contender over the numeric parameter `over`. */
function linesOver(cases: readonly Case[], over: string): Line[] {
  const names = [...new Set(cases.map((entry) => entry.contender))];
  const kinds = ['ours', 'second', 'peer'] as const;
  return names.map((name, index) => ({
    label: name,
    kind: kinds[index % kinds.length] ?? 'peer',
    points: cases
      .filter((entry) => entry.contender === name)
      .map((entry): [number, number] => [Number(entry.parameters[over]), median(entry.samples)])
      .sort(([a], [b]) => a - b),
  }));
}

function batches(run: RunRecord): Plot[] {
  const ours = ofSubject(run, 'groth16.verify').filter(
    (entry) => !entry.isPeer && entry.contender !== 'native-portable',
  );
  const lines = linesOver(ours, 'batch').filter((line) => line.points.length > 1);
  if (lines.length === 0) return [];
  const title = 'Groth16 proofs in one batch, 4 public inputs';
  return [{ name: 'batch-size', svg: lineChart(title, 'proofs in a batch', 'µs per proof, median', lines) }];
}

function commits(run: RunRecord): Plot[] {
  const lines = linesOver(ofSubject(run, 'nullifier.commit'), 'concurrency');
  if (lines.length === 0) return [];
  const title = 'Durable nullifier commits';
  return [
    {
      name: 'nullifier-commits',
      svg: lineChart(title, 'concurrent callers', 'commits per second, median', lines),
    },
  ];
}

function throughput(run: RunRecord): Plot[] {
  const bars: Bar[] = [...ofSubject(run, 'engine.verify'), ...ofSubject(run, 'http.verify')].map((entry) => ({
    label: [
      entry.subject,
      entry.contender,
      ...['workers', 'proofs', 'connections', 'cores']
        .filter((key) => key in entry.parameters)
        .map((key) => `${key}=${entry.parameters[key]}`),
    ].join(' '),
    value: entry.figures?.proofs_per_s ?? median(entry.samples),
    kind: entry.subject === 'http.verify' ? 'ours' : 'peer',
  }));
  if (bars.length === 0) return [];
  const title = 'Proofs per second: engine alone and over HTTP';
  return [{ name: 'throughput', svg: barChart(title, 'proofs per second (logarithmic)', bars) }];
}

function signIns(run: RunRecord): Plot[] {
  const bars: Bar[] = run.cases
    .filter((entry) => entry.subject.startsWith('signin.'))
    .map((entry) => ({
      label: `${entry.subject} ${entry.contender} connections=${entry.parameters.connections}`,
      value: median(entry.samples),
      kind: entry.isPeer ? 'peer' : 'ours',
    }));
  if (bars.length === 0) return [];
  const title = 'Sign-in: ours with durable writes, the peer in memory and without proof';
  return [{ name: 'sign-in', svg: barChart(title, 'requests or sign-ins per second (logarithmic)', bars) }];
}

function refreshes(run: RunRecord): Plot[] {
  const bars: Bar[] = [...ofSubject(run, 'engine.refresh'), ...ofSubject(run, 'refresh.issue')].map(
    (entry) => ({
      label: [
        entry.subject,
        entry.contender,
        ...['package', 'connections', 'cores']
          .filter((key) => key in entry.parameters)
          .map((key) => `${key}=${entry.parameters[key]}`),
      ].join(' '),
      value: median(entry.samples),
      kind: entry.subject === 'refresh.issue' ? 'ours' : 'peer',
    }),
  );
  if (bars.length === 0) return [];
  const title = 'Credentials per second: the work of the engine alone, and issued over HTTP';
  return [{ name: 'refresh', svg: barChart(title, 'credentials per second (logarithmic)', bars) }];
}

/** Every plot that the cases of the run allow. */
export function plots(run: RunRecord): Plot[] {
  return [singleProof, batches, throughput, commits, signIns, refreshes].flatMap((plot) => plot(run));
}
