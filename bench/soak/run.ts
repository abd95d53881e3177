/**
 * Runs a soak: mixed honest load at a steady pace while each attack runs in turn, with quiet phases between
 * them.
 *
 *   node .scripts/soak.mjs MINUTES [ATTACK ...]
 *
 * Server, load and attack are separate processes on the same machine; the attacker has the lowest priority,
 * so that losses of the honest load are due to the server. Prints a table and exits with 1 unless, under
 * every attack, at least 99.9 % of the honest operations succeed, with a 99th percentile of at most three
 * times that of the quiet phases of the same run.
 */
import { setPriority } from 'node:os';
import { residentMib } from '../load/processes/process-cpu.ts';
import { quantile } from '../report/statistics.ts';
import { type Child, startChild } from '../support/child.ts';
import { temporaryFolder } from '../support/paths.ts';
import type { AttackProcess } from './attacker.ts';
import { ATTACKS } from './attacks.ts';
import type { HonestFigures, HonestKind, HonestPhase, HonestProcess } from './honest.ts';
import { type SoakServer, startSoakServer } from './target.ts';

const QUIET = 'quiet';
const KINDS: readonly HonestKind[] = ['verify', 'sign-in', 'refresh'];
const PER_SECOND: HonestPhase['perSecond'] = { verify: 100, 'sign-in': 5, refresh: 10 };
/** The attack begins this long before the honest load. */
const LEAD_SECONDS = 2;
const MAX_PHASE_SECONDS = 30;
const LEAST_SUCCESS = 0.999;
const MOST_TIMES_QUIET = 3;
const LOWEST_PRIORITY = 19;

/** Results of the operations of one kind under one attack, over all rounds. */
interface Total {
  succeeded: number;
  readonly failures: Record<string, number>;
  readonly latenciesMs: number[];
}

type Totals = Map<string, Record<HonestKind, Total>>;

const emptyTotal = (): Total => ({ succeeded: 0, failures: {}, latenciesMs: [] });
const failedOf = ({ failures }: Total): number =>
  Object.values(failures).reduce((sum, count) => sum + count, 0);
const successOf = (total: Total): number => total.succeeded / Math.max(1, total.succeeded + failedOf(total));
const p99Of = ({ latenciesMs }: Total): number =>
  latenciesMs.length === 0 ? Number.NaN : quantile(latenciesMs, 0.99);
const say = (text: string): void => void process.stderr.write(`soak: ${text}\n`);

function add(total: Total, { succeeded, failures, latenciesMs }: HonestFigures): void {
  total.succeeded += succeeded;
  for (const latency of latenciesMs) total.latenciesMs.push(latency);
  for (const [reason, count] of Object.entries(failures)) {
    total.failures[reason] = (total.failures[reason] ?? 0) + count;
  }
}

/** Runs rounds of all attacks until the time is over; a quiet phase precedes each attack. */
async function soak(minutes: number, names: readonly string[], folder: string): Promise<Totals> {
  const soaked = await startSoakServer(folder);
  const load = startChild<HonestProcess>(new URL('./honest.ts', import.meta.url));
  const totals: Totals = new Map();
  const rounds = Math.max(
    1,
    Math.ceil((minutes * 60) / (2 * names.length * (MAX_PHASE_SECONDS + LEAD_SECONDS))),
  );
  const seconds = Math.max(3, Math.floor((minutes * 60) / (2 * names.length * rounds)) - LEAD_SECONDS);
  let firstProof = 0;
  const phase = async (name: string): Promise<void> => {
    const count = Math.ceil(PER_SECOND.refresh * seconds);
    const firstHolder = await soaked.enrolments.enrol(count);
    const attacking = name === QUIET ? undefined : await beginAttack(name, soaked, seconds);
    const figures = await load.call('run', {
      target: soaked.target,
      seconds,
      perSecond: PER_SECOND,
      firstProof,
      firstHolder,
    });
    firstProof += Math.ceil(PER_SECOND.verify * seconds);
    await attacking?.stop();
    const total = totals.get(name) ?? {
      verify: emptyTotal(),
      'sign-in': emptyTotal(),
      refresh: emptyTotal(),
    };
    totals.set(name, total);
    for (const kind of KINDS) add(total[kind], figures[kind]);
    const failed = KINDS.flatMap((kind) => Object.entries(figures[kind].failures));
    say(
      `${name}: ${failed.length === 0 ? 'no failure' : JSON.stringify(failed)}, ${residentMib(soaked.server.pid)} MiB`,
    );
  };
  try {
    await phase(QUIET);
    totals.clear();
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        await phase(QUIET);
        await phase(name);
      }
    }
  } finally {
    await load.stop();
    await soaked.stop();
  }
  return totals;
}

async function beginAttack(
  name: string,
  { target }: SoakServer,
  seconds: number,
): Promise<Child<AttackProcess>> {
  const child = startChild<AttackProcess>(new URL('./attacker.ts', import.meta.url));
  setPriority(child.pid, LOWEST_PRIORITY);
  const ended = child.call('run', { name, target, seconds: seconds + LEAD_SECONDS + 5 });
  // The attack is stopped before its time is over; the rejected call is not a failure.
  ended.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, LEAD_SECONDS * 1000));
  return child;
}

/** Returns the 99th percentile of one kind under an attack, as a multiple of that in the quiet phases. */
function timesQuiet(totals: Totals, name: string, kind: HonestKind): number {
  const [under, quiet] = [totals.get(name), totals.get(QUIET)];
  return under === undefined || quiet === undefined ? Number.NaN : p99Of(under[kind]) / p99Of(quiet[kind]);
}

/** Formats the totals as a Markdown table. */
function report(totals: Totals): string {
  const lines = [
    '| attack | work | done | failed | success | p50 ms | p99 ms | p99 to quiet |',
    '|---|---|---:|---:|---:|---:|---:|---:|',
  ];
  for (const [name, total] of totals) {
    for (const kind of KINDS) {
      const { succeeded, latenciesMs } = total[kind];
      const p50 = latenciesMs.length === 0 ? Number.NaN : quantile(latenciesMs, 0.5);
      const cells = [
        name,
        kind,
        succeeded,
        failedOf(total[kind]),
        `${(100 * successOf(total[kind])).toFixed(2)} %`,
        ...[p50, p99Of(total[kind]), timesQuiet(totals, name, kind)].map((figure) => figure.toFixed(1)),
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function isWithinBounds(totals: Totals): boolean {
  return [...totals].every(([name, total]) =>
    KINDS.every(
      (kind) => successOf(total[kind]) >= LEAST_SUCCESS && timesQuiet(totals, name, kind) <= MOST_TIMES_QUIET,
    ),
  );
}

const [minutes = '60', ...wanted] = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(ATTACKS);
const folder = temporaryFolder('soak');
try {
  const totals = await soak(Number(minutes), names, folder.path);
  process.stdout.write(report(totals));
  process.exitCode = isWithinBounds(totals) ? 0 : 1;
} finally {
  folder.remove();
}
process.exit();
