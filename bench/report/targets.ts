import { threeDigits } from './format.ts';
import { caseName, median, timesBetter } from './statistics.ts';
import type { Case, Target } from './types.ts';

function find(cases: readonly Case[], name: string): Case | undefined {
  return cases.find((entry) => caseName(entry) === name);
}

function ratioTarget(
  cases: readonly Case[],
  ours: string,
  peer: string,
  required: number,
  name: string,
): Target[] {
  const [mine, theirs] = [find(cases, ours), find(cases, peer)];
  if (!mine || !theirs) return [];
  const factor = timesBetter(mine, theirs);
  return [
    {
      name,
      required: `≥ ${threeDigits(required)}×`,
      measured: `${threeDigits(factor)}×`,
      isMet: factor >= required,
    },
  ];
}

/** HTTP against the engine alone: same backend, workers and cores, both in proofs per second. */
function httpTargets(cases: readonly Case[]): Target[] {
  return cases
    .filter((entry) => entry.subject === 'http.verify')
    .flatMap((entry) => {
      const { workers, cores, proofs, connections } = entry.parameters;
      const engine = cases.find(
        (other) =>
          other.subject === 'engine.verify' &&
          other.contender === entry.contender &&
          other.parameters.workers === workers &&
          other.parameters.cores === cores,
      );
      if (!engine) return [];
      const share = (median(entry.samples) * Number(proofs)) / median(engine.samples);
      return [
        {
          name: `HTTP proofs/s to engine proofs/s, ${entry.contender}, ${proofs} per request on ${connections} connections, ${workers} worker(s), cores ${cores}`,
          required: '≥ 60 %',
          measured: `${threeDigits(100 * share)} %`,
          isMet: share >= 0.6,
        },
      ];
    });
}

/** The goals that this run can judge; a goal whose cases did not run is absent. */
export function judgeTargets(cases: readonly Case[]): Target[] {
  const single = (contender: string): string => `groth16.verify/${contender}/inputs=4/batch=1`;
  return [
    ...ratioTarget(cases, single('native'), single('snarkjs'), 12, 'single native verification to snarkjs'),
    ...ratioTarget(
      cases,
      single('native'),
      single('snarkjs-one-thread'),
      12,
      'single native verification to snarkjs without its threads',
    ),
    ...ratioTarget(
      cases,
      single('wasm'),
      single('mcl-wasm-pairing'),
      1,
      'single WASM verification to the bare pairing check of mcl-wasm',
    ),
    ...httpTargets(cases),
  ];
}
