import type { ProofProgress } from './prover-protocol.ts';

/** Fraction of the total time that loading the files takes; the rest is the proof. */
const LOADING_SHARE = 0.2;

/**
 * Stages of a proof: the first words of the snarkjs message that begins it, the fraction of the proving time
 * that has passed by then (measured on the development circuit), and the text for the person.
 */
const STAGES: readonly (readonly [string, number, string])[] = [
  ['Reading Wtns', 0.19, 'Proving: the witness is ready'],
  ['Reading A Points', 0.26, 'Proving: step 1 of 5'],
  ['Reading B1 Points', 0.37, 'Proving: step 2 of 5'],
  ['Reading B2 Points', 0.46, 'Proving: step 3 of 5'],
  ['Reading C Points', 0.76, 'Proving: step 4 of 5'],
  ['Reading H Points', 0.88, 'Proving: step 5 of 5'],
];

/** Returns the progress while circuit and key are loaded. */
export function loadingProgress(loadedBytes: number, totalBytes: number): ProofProgress {
  const share = totalBytes > 0 ? Math.min(1, loadedBytes / totalBytes) : 0;
  return { share: LOADING_SHARE * share, text: 'Loading the circuit' };
}

/** Progress before snarkjs reports anything: the witness is computed first. */
export const WITNESS_PROGRESS: ProofProgress = { share: LOADING_SHARE, text: 'Computing the witness' };

/** Returns the progress at a message of snarkjs; undefined if it begins no stage. */
export function provingProgress(message: string): ProofProgress | undefined {
  const stage = STAGES.find(([beginning]) => message.startsWith(beginning));
  if (!stage) return undefined;
  const [, share, text] = stage;
  return { share: LOADING_SHARE + (1 - LOADING_SHARE) * share, text };
}
