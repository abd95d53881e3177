import { type Bar, barChart, type Line, lineChart } from './charts.ts';
import { median } from './statistics.ts';
import type { Case, RunRecord } from './types.ts';

/** A plot of a run, and the suffix of its file name. */
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

/** Makes one line per contender over the numeric parameter `over`. */
function linesOver(cases: readonly Case[], over: string): Line[] {
  const names = [...new Set(cases.map((entry) => entry.contender))];
  return names.map((name) => ({
    label: name,
    isPeer: false,
    points: cases
      .filter((entry) => entry.contender === name)
      .map((entry): [number, number] => [Number(entry.parameters[over]), median(entry.samples)])
      .sort(([a], [b]) => a - b),
  }));
}

/** Makes a horizontal line for the single check of a peer. */
function level(entry: Case, [from, to]: readonly [number, number]): Line {
  const value = median(entry.samples);
  return {
    label: `${entry.contender}, single`,
    isPeer: true,
    points: [
      [from, value],
      [to, value],
    ],
  };
}

function batches(run: RunRecord): Plot[] {
  const all = ofSubject(run, 'groth16.verify');
  const lines = linesOver(
    all.filter((entry) => !entry.isPeer),
    'batch',
  ).filter((line) => line.points.length > 1);
  if (lines.length === 0) return [];
  const sizes = lines.flatMap((line) => line.points.map(([size]) => size));
  const ends = [Math.min(...sizes), Math.max(...sizes)] as const;
  const peers = all.filter(({ contender }) => contender === 'arkworks' || contender === 'gnark');
  const title = 'Groth16 proofs in one batch, 4 public inputs';
  const axes = { x: 'proofs in a batch', y: 'µs per proof, median (logarithmic)' } as const;
  const svg = lineChart(title, { ...axes, xKind: 'log2', yKind: 'log' }, [
    ...lines,
    ...peers.map((entry) => level(entry, ends)),
  ]);
  return [{ name: 'batch-size', svg }];
}

function badShares(run: RunRecord): Plot[] {
  const lines = linesOver(ofSubject(run, 'groth16.verify-bad'), 'bad_percent');
  if (lines.length === 0) return [];
  const title = 'False proofs in batches of 64, which pass every cheap check';
  const axes = { x: 'false proofs, percent', y: 'µs per proof, median (logarithmic)' } as const;
  return [{ name: 'bad-share', svg: lineChart(title, { ...axes, xKind: 'linear', yKind: 'log' }, lines) }];
}

function workers(run: RunRecord): Plot[] {
  const free = ofSubject(run, 'engine.verify').filter((entry) => !('cores' in entry.parameters));
  const lines = linesOver(free, 'workers').filter((line) => line.points.length > 1);
  if (lines.length === 0) return [];
  const axes = { x: 'workers', y: 'proofs per second, median', xKind: 'log2', yKind: 'linear' } as const;
  return [{ name: 'workers', svg: lineChart('Proofs per second of the engine', axes, lines) }];
}

function commits(run: RunRecord): Plot[] {
  const lines = linesOver(ofSubject(run, 'nullifier.commit'), 'concurrency');
  if (lines.length === 0) return [];
  const axes = { x: 'concurrent callers', y: 'commits per second, median' } as const;
  const svg = lineChart('Durable nullifier commits', { ...axes, xKind: 'log2', yKind: 'linear' }, lines);
  return [{ name: 'nullifier-commits', svg }];
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

/** Draws every plot for which the run has cases. */
export function plots(run: RunRecord): Plot[] {
  return [singleProof, batches, badShares, workers, throughput, commits, signIns, refreshes].flatMap((plot) =>
    plot(run),
  );
}
