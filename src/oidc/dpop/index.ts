/**
 * Demonstrating proof of possession (spec/sign-in.md#dpop, RFC 9449): the check of a proof and of the key in it, the
 * nonces of this service, and the challenges of `/userinfo`. Endpoints decide what a proof is for.
 */
export { DPOP_ALGORITHMS } from './algorithms.ts';
export {
  type CheckedProof,
  createDpop,
  type Dpop,
  type DpopParts,
  type ProofRequest,
  proofUsed,
} from './check-proof.ts';
export { createDpopNonces, type DpopNonces } from './nonces.ts';
export { invalidProof } from './read-proof.ts';
