/**
 * One sign-in from the accepted request to its response: the state machine of
 * spec/sign-in.md#transaction-states over the store, the proof checks (spec/sign-in.md#proof-checks), and the
 * wallet bridge (spec/sign-in.md#wallet-bridge), own or external.
 */

export type { StatusBody } from '../../pages.ts';

export { createTransactions } from './create-transactions.ts';
export { redirectHost } from './new-attempt.ts';
export type { TransactionsOptions } from './parts.ts';
export { type PendingConfig, pendingBounds, TOO_MANY, tooManyPending } from './pending-bounds.ts';
export {
  checkSigninProof,
  type ProofCheckParts,
  type ProofClaim,
  type ProofOutcome,
} from './proof/check-signin-proof.ts';
export { spentProof } from './proof/judge-answer.ts';
export type { BegunSignIn, Finish, OpenTransaction, SignInState, SignInView, Transactions } from './types.ts';
export { statusBody } from './view.ts';
