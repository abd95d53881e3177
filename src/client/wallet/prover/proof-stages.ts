import type { ProofProgress } from './prover-protocol.ts';

/** Share of the whole that loading the files takes; the rest is the proof. */
const LOADING_SHARE = 0.2;

/**
 * The stages of a proof by the first words of what snarkjs reports: the share of the proof's time that is over when
 * the stage begins, as measured on the development circuit.
 */
const STAGES: readonly (readonly [string, number, string])[] = [
  ['Reading Wtns', 0.19, 'Proving: the witness is ready'],
  ['Reading A Points', 0.26, 'Proving: step 1 of 5'],
  ['Reading B1 Points', 0.37, 'Proving: step 2 of 5'],
  ['Reading B2 Points', 0.46, 'Proving: step 3 of 5'],
  ['Reading C Points', 0.76, 'Proving: step 4 of 5'],
  ['Reading H Points', 0.88, 'Proving: step 5 of 5'],
];

/** Progress while circuit and key are loaded. */
export function loadingProgress(loadedBytes: number, totalBytes: number): ProofProgress {
  const share = totalBytes > 0 ? Math.min(1, loadedBytes / totalBytes) : 0;
  return { share: LOADING_SHARE * share, text: 'Loading the circuit' };
}

/** Progress before snarkjs reports anything: the witness is computed first. */
export const WITNESS_PROGRESS: ProofProgress = { share: LOADING_SHARE, text: 'Computing the witness' };

/** Progress of a message that snarkjs writes; undefined when it begins no stage. */
export function provingProgress(message: string): ProofProgress | undefined {
  const stage = STAGES.find(([beginning]) => message.startsWith(beginning));
  if (!stage) return undefined;
  const [, share, text] = stage;
  return { share: LOADING_SHARE + (1 - LOADING_SHARE) * share, text };
}
