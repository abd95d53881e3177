import { loadProofSet, snarkjsForm } from '../contenders/proof-set.ts';
import { COORDINATE_ABOVE_P } from '../contenders/refused-members.ts';
import { type Contestant, interleave } from '../micro/interleave.ts';
import { median, thin } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { Suite, SuiteContext } from '../suite.ts';
import { coldStarts } from './library/cold-start.ts';
import { installSizes } from './library/install-size.ts';
import type { Spent } from './library/library-calls.ts';
import { type LibraryContender, NODE_CONTENDERS, type OpenLibrary } from './library/library-contender.ts';
import { openWebRuntimes } from './library/web/web-runtimes.ts';

const MANY = { smoke: 256, quick: 10_000, full: 10_000 } as const;
const SAMPLES_KEPT = 200;
const NOTES = {
  processorMs: 'processor time of the process',
  wallMs: 'wall time',
} as const;

interface Subject extends LibraryContender {
  readonly library: OpenLibrary;
}

const titleOf = ({ name, runtime, threads }: LibraryContender): string =>
  `${name} in ${runtime ?? 'node'}, ${threads} thread(s)`;

function timeOf(subject: Subject, spent: Spent): number {
  const time = spent[subject.clock];
  if (time === undefined) throw new Error(`${titleOf(subject)}: the runtime does not tell ${subject.clock}`);
  return time;
}

/** Adds the contenders that this machine has to `subjects`, which the caller closes. */
async function openAll(
  context: SuiteContext,
  contenders: readonly LibraryContender[],
  subjects: Subject[],
  key: unknown,
  statements: Statements,
): Promise<void> {
  for (const contender of contenders) {
    try {
      subjects.push({ ...contender, library: await contender.open(key, statements.pool) });
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'engine.backend_unavailable') throw error;
      context.leaveOut(`library, ${contender.name}`, 'the backend is not available');
    }
  }
}

interface Statements {
  readonly pool: readonly ReturnType<typeof snarkjsForm>[];
  readonly asked: readonly ReturnType<typeof snarkjsForm>[];
  readonly expected: readonly boolean[];
}

async function assertAgreement(subjects: readonly Subject[], { asked, expected }: Statements): Promise<void> {
  for (const subject of subjects) {
    const found = await subject.library.answers(asked);
    const wrong = found.findIndex((answer, index) => answer !== expected[index]);
    if (wrong >= 0)
      throw new Error(
        `${titleOf(subject)}: expected ${expected[wrong]} for proof ${wrong}, got ${found[wrong]}`,
      );
  }
}

function caseOf(subject: Subject, proofs: number, samples: readonly number[], addition?: string): Case {
  const { name, runtime, threads, clock, isPeer, library } = subject;
  return {
    subject: 'library.verify',
    contender: name,
    parameters: { inputs: 4, threads, proofs, ...(runtime && { runtime }) },
    unit: 'us_per_op',
    isPeer,
    samples: thin(samples, SAMPLES_KEPT),
    note: [NOTES[clock], library.remark, addition].filter((text) => text !== undefined).join('; '),
  };
}

async function singles(subjects: readonly Subject[], { budget }: SuiteContext): Promise<Case[]> {
  const contestants = subjects.map(
    (subject): Contestant => ({
      name: titleOf(subject),
      operations: 1,
      run: () => undefined,
      measure: async (calls) => timeOf(subject, await subject.library.single(calls)),
    }),
  );
  const samples = await interleave(contestants, budget);
  return subjects.map((subject, index) => caseOf(subject, 1, samples[index] ?? []));
}

async function many(subjects: readonly Subject[], { budget }: SuiteContext): Promise<Case[]> {
  const proofs = MANY[budget.mode];
  const samples = subjects.map((): number[] => []);
  for (let round = 0; round < budget.loadRounds; round++) {
    for (let turn = 0; turn < subjects.length; turn++) {
      const index = (turn + round) % subjects.length;
      const subject = subjects[index] as Subject;
      const count = Math.min(proofs, subject.mostProofs);
      samples[index]?.push((1000 * timeOf(subject, await subject.library.many(count))) / count);
    }
  }
  return subjects.map((subject, index) => {
    const isShort = subject.mostProofs < proofs;
    return caseOf(
      subject,
      proofs,
      samples[index] ?? [],
      isShort ? `measured with ${subject.mostProofs} proofs` : undefined,
    );
  });
}

/** The library against snarkjs, in the forms of snarkjs: single and many proofs, cold start, and install size. */
export const library: Suite = {
  name: 'library',
  async run(context) {
    const set = loadProofSet();
    const members = [
      ...set.valid.slice(0, 8),
      ...set.invalid.slice(0, 12),
      ...set.refused.filter(({ kind }) => kind !== COORDINATE_ABOVE_P),
    ];
    const statements: Statements = {
      pool: set.valid.map(snarkjsForm),
      asked: members.map(snarkjsForm),
      expected: members.map(({ expected }) => expected === true),
    };
    const web = await openWebRuntimes(context);
    const subjects: Subject[] = [];
    const made: Case[] = [];
    try {
      await openAll(context, [...NODE_CONTENDERS, ...web.contenders], subjects, set.json, statements);
      await assertAgreement(subjects, statements);
      made.push(...(await singles(subjects, context)), ...(await many(subjects, context)));
      for (const { library: open } of subjects.splice(0)) await open.close();
      const rounds = 2 * context.budget.rounds;
      const [first] = statements.pool;
      if (first) {
        made.push(...coldStarts(rounds, context.folder, set.json, first));
        made.push(...(await web.coldStarts(rounds, set.json, first)));
      }
    } finally {
      for (const { library: open } of subjects) await open.close();
      await web.end();
    }
    made.push(...installSizes());
    for (const { subject, contender, parameters, unit, samples } of made)
      context.say(
        `${subject} ${contender} ${Object.values(parameters).join(' ')}: ${median(samples).toFixed(1)} ${unit}`,
      );
    return made;
  },
};
