/**
 * Authentication of the holder: the header `x-zkp-proof` and its proof of the identity behind idComm (checks
 * 7 to 9 of spec/refresh.md#order-of-checks), the count of attempts and the challenges of freshness mode.
 */
export { type Attempts, type AttemptsParts, createAttempts } from './attempts.ts';
export { type Challenge, type Challenges, type ChallengesParts, createChallenges } from './challenges.ts';
export {
  createHolderCheck,
  type HolderCheck,
  type HolderCheckOptions,
  type HolderCheckParts,
} from './check-holder-proof.ts';
export { decodeProofHeader, type HolderProof } from './decode-proof-header.ts';
