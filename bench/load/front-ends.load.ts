import { POSTGRES_BIN } from '../../test/support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../test/support/postgres/postgres-server.ts';
import { median, quantile } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { type HttpFigures, type HttpTarget, startHttpTarget } from './http/http-target.ts';
import type { LoadPlan } from './plan.ts';
import type { ThreadRole } from './processes/process-cpu.ts';
import { SHARED_KEYS } from './processes/server-process.ts';
import { inRounds, type LoadResult } from './rounds.ts';

const FRONT_ENDS = [1, 2];
/** Workers of every server, whatever its front ends. */
const WORKERS = 2;
/** Proofs per second for which new requests are prepared, if no run was faster. */
const FIRST_RATE = 4000;

type Kind = 'new' | 'known' | 'groth16';

interface Load {
  readonly kind: Kind;
  readonly proofs: number;
  readonly connections: number;
}

/** With 16 proofs to a request, 64 connections have as many proofs in flight as 1,000 with one. */
const LOADS: readonly Load[] = [
  ...(['new', 'known', 'groth16'] as const).flatMap((kind) =>
    [64, 1000].map((connections) => ({ kind, proofs: 1, connections })),
  ),
  { kind: 'new', proofs: 16, connections: 64 },
  { kind: 'groth16', proofs: 16, connections: 64 },
];

const SUBJECTS: Readonly<Record<Kind, string>> = {
  new: 'front-ends.verify',
  known: 'front-ends.verify-known',
  groth16: 'front-ends.groth16',
};

interface Subject {
  readonly store: 'libsql' | 'postgres';
  readonly frontEnds: number;
  readonly target: HttpTarget;
  /** Most proofs per second of a run with new nullifiers. */
  proofsPerSecond: number;
}

async function run(
  subject: Subject,
  { kind, proofs, connections }: Load,
  plan: LoadPlan,
): Promise<HttpFigures> {
  const { target } = subject;
  if (kind === 'groth16') return target.runGroth16({ proofs, connections, plan });
  if (kind === 'known') return target.runKnown({ connections, plan });
  const expectedRate = (1.5 * subject.proofsPerSecond) / proofs;
  const figures = await target.run({ proofs, connections, expectedRate, plan });
  subject.proofsPerSecond = Math.max(subject.proofsPerSecond, ...figures.rates.map((rate) => rate * proofs));
  return figures;
}

/** Median, over the runs, of the busiest and of the least busy thread of a role; undefined if there is none. */
function ofRole(runs: readonly HttpFigures[], role: ThreadRole): readonly [number, number] | undefined {
  const times = runs.map(({ threadsUs }) => threadsUs.get(role) ?? []).filter(({ length }) => length > 0);
  if (times.length === 0) return undefined;
  return [median(times.map((list) => list[0] ?? 0)), median(times.map((list) => list.at(-1) ?? 0))];
}

function caseOf(
  { store, frontEnds }: Subject,
  { kind, proofs, connections }: Load,
  { samples, figures }: LoadResult,
  runs: readonly HttpFigures[],
): Case {
  const frontEnd = ofRole(runs, 'front_end');
  const threads = (['main', 'worker', 'database', 'runtime'] as const).flatMap((role) => {
    const times = ofRole(runs, role);
    return times === undefined ? [] : [[`${role}_us`, times[0]] as const];
  });
  const busiest = runs.map(({ threadsUs }) => Math.max(...[...threadsUs.values()].flat()));
  const spread = quantile(samples, 0.75) - quantile(samples, 0.25);
  return {
    subject: SUBJECTS[kind],
    contender: store,
    parameters: { frontEnds, workers: WORKERS, proofs, connections, cores: 'all' },
    unit: 'ops_per_s',
    isPeer: false,
    samples,
    figures: {
      ...figures,
      spread_percent: (100 * spread) / median(samples),
      busiest_thread_us: median(busiest),
      ...(frontEnd === undefined ? {} : { front_end_us: frontEnd[0], least_busy_front_end_us: frontEnd[1] }),
      ...Object.fromEntries(threads),
      all_workers_us: median(runs.map(({ serverUs, outsideUs }) => serverUs - outsideUs)),
      server_us: median(runs.map(({ serverUs }) => serverUs)),
      client_cores: median(runs.map(({ ownCpuShare }) => ownCpuShare)),
    },
  };
}

async function startSubjects(
  postgres: PostgresServer | undefined,
  { folder }: SuiteContext,
  started: Subject[],
): Promise<void> {
  for (const store of postgres === undefined ? (['libsql'] as const) : (['libsql', 'postgres'] as const)) {
    for (const frontEnds of FRONT_ENDS) {
      const url = store === 'postgres' ? postgres?.url(await postgres.createDatabase()) : undefined;
      const target = await startHttpTarget(
        {
          backend: 'native',
          workers: WORKERS,
          frontEnds,
          variables: {
            PROOFGATE_ENGINE_MAX_QUEUE: '4096',
            ...(url === undefined ? {} : { ...SHARED_KEYS, PROOFGATE_STORAGE_URL: url }),
          },
        },
        folder,
        undefined,
        { name: store },
      );
      started.push({ store, frontEnds, target, proofsPerSecond: FIRST_RATE });
    }
  }
}

/**
 * Verification over HTTP with one and with two front ends that have equally many workers, on the same cores as the client:
 * the processor time per request of the busiest thread is what bounds a machine with more cores.
 */
export const frontEnds: Suite = {
  name: 'front-ends',
  async run(context) {
    const { budget, say, leaveOut } = context;
    if (POSTGRES_BIN === undefined) leaveOut('postgres', 'no PostgreSQL server is installed');
    const postgres = POSTGRES_BIN === undefined ? undefined : await PostgresServer.create();
    const subjects: Subject[] = [];
    try {
      await startSubjects(postgres, context, subjects);
      const plan: LoadPlan = budget;
      const warmUp = { warmUpMs: 0, windowMs: budget.serverWarmUpMs / 4, windows: 1 };
      for (const subject of subjects) {
        for (const load of LOADS.filter(({ connections }) => connections === 64))
          await run(subject, load, warmUp);
        say(`${subject.store}, ${subject.frontEnds} front ends: warm`);
      }
      const runs = LOADS.flatMap((load) =>
        subjects.map((subject) => ({ load, subject, kept: [] as HttpFigures[] })),
      );
      const results = await inRounds(
        runs.map(({ load, subject, kept }) => async () => {
          const figures = await run(subject, load, plan);
          kept.push(figures);
          return figures;
        }),
        budget.loadRounds,
      );
      return runs.map(({ load, subject, kept }, index) =>
        caseOf(subject, load, results[index] as LoadResult, kept),
      );
    } finally {
      for (const { target } of subjects) await target.stop();
      await postgres?.remove();
    }
  },
};
