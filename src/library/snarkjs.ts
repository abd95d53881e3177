/**
 * The package `proofgate/snarkjs` in Node: `groth16.verify` with the arguments and the answer of snarkjs, for programs
 * that change only their import.
 */
import { createSnarkjs, type Snarkjs, type SnarkjsGroth16 } from './facade/snarkjs-verify.ts';
import { createEngine } from './node/create-engine.ts';

export { ProofgateError } from './facade/proofgate-error.ts';
export type { SnarkjsNumber, SnarkjsProof } from './facade/snarkjs-values.ts';
export type { SnarkjsGroth16, SnarkjsLogger } from './facade/snarkjs-verify.ts';

const MAX_KEYS = 64;

const shared: Snarkjs = createSnarkjs(createEngine, MAX_KEYS);

/** Verification with the interface of snarkjs. The engine is created at first use and shared by all calls. */
export const groth16: SnarkjsGroth16 = shared.groth16;

/**
 * Ends the engine after the calls in progress; a later call starts another. Not needed before the process ends, since an
 * idle engine does not keep it alive.
 */
export const terminate: () => Promise<void> = shared.terminate;
