import type { Groth16Contender } from '../contenders/contender.ts';
import type { ProofSet } from '../contenders/proof-set.ts';
import { thin } from '../report/statistics.ts';
import type { Case } from '../report/types.ts';
import type { SuiteContext } from '../suite.ts';
import { type Contestant, interleave } from './interleave.ts';

const SAMPLES_KEPT = 200;

/** A contestant and the case that its samples belong to. */
export interface Timed extends Pick<Case, 'contender' | 'parameters' | 'isPeer' | 'note'> {
  readonly contestant: Contestant;
}

/** Returns the name of a contestant: `native-avx2 4 64`. */
export function contestantName(contender: string, parameters: Case['parameters']): string {
  return [contender, ...Object.values(parameters)].join(' ');
}

/** Returns a function that calls the given ones in turn, so that successive calls verify different proofs. */
export function roundRobin<T>(functions: readonly (() => T)[]): () => T {
  let next = 0;
  return () => (functions[next++ % functions.length] as () => T)();
}

/** Makes a contestant that verifies the valid proofs of a set one by one. */
export function timedSingle(contender: Groth16Contender, set: ProofSet): Timed {
  const { name, isPeer, scope, before, measure, clock } = contender;
  const parameters = { ...set.parameters, batch: 1 };
  const contestant: Contestant = {
    name: contestantName(name, parameters),
    operations: 1,
    ...(before ? { before } : {}),
    ...(measure ? { measure } : {}),
    ...(clock ? { clock } : {}),
    run: roundRobin(contender.prepare(set.valid) as (() => unknown)[]) as Contestant['run'],
  };
  const note = isPeer ? { note: clock === 'wall' ? `${scope}; wall time` : scope } : {};
  return { contestant, parameters, contender: name, isPeer, ...note };
}

function assertDistinctNames(timed: readonly Timed[]): void {
  const names = timed.map(({ contestant }) => contestant.name);
  if (new Set(names).size !== names.length)
    throw new Error(`expected distinct names of contestants, got ${names.join(', ')}`);
}

/** Times all in the same rounds, so that batches are compared with peers measured next to them. */
export async function timeAll(
  subject: string,
  timed: readonly Timed[],
  { budget }: SuiteContext,
): Promise<Case[]> {
  assertDistinctNames(timed);
  const samples = await interleave(
    timed.map(({ contestant }) => contestant),
    budget,
  );
  return timed.map(({ contender, parameters, isPeer, note }, index) => ({
    subject,
    contender,
    parameters,
    unit: 'us_per_op',
    isPeer,
    samples: thin(samples[index] ?? [], SAMPLES_KEPT),
    ...(note === undefined ? {} : { note }),
  }));
}
