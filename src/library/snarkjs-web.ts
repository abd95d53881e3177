/**
 * The package `proofgate/snarkjs` outside Node: the exports of `snarkjs.ts` over the engine of `proofgate/web`, in the
 * calling thread. The WASM module is fetched from the location of this program; if that is not possible, pass it to
 * `proofgate/web`.
 */
import { createSnarkjs, type Snarkjs, type SnarkjsGroth16 } from './facade/snarkjs-verify.ts';
import { createEngine } from './web/create-engine.ts';

export { ProofgateError } from './facade/proofgate-error.ts';
export type { SnarkjsNumber, SnarkjsProof } from './facade/snarkjs-values.ts';
export type { SnarkjsGroth16, SnarkjsLogger } from './facade/snarkjs-verify.ts';

const MAX_KEYS = 16;

const shared: Snarkjs = createSnarkjs(createEngine, MAX_KEYS);

/** Verification with the interface of snarkjs. The engine is created at first use and shared by all calls. */
export const groth16: SnarkjsGroth16 = shared.groth16;

/** Ends the engine after the calls in progress, which frees its memory; a later call starts another. */
export const terminate: () => Promise<void> = shared.terminate;
