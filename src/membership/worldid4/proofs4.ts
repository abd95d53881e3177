import type { VerificationPolicy } from '../../config/apps/policy.ts';
import type { ProofSource } from '../../engine/engine.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { Environment } from '../../storage/values.ts';

/** What proofs show: that an account is new to an action, or that it is the one of a session. */
export type ProofType = 'uniqueness' | 'session';

/** Kind of the proofs of a request: their type, or `bound` for proofs of uniqueness that are bound to a session. */
export type ProofKind = ProofType | 'bound';

/** One proof of an answer, in the texts of spec/worldid4.md#numbers. */
export interface Proof4 {
  readonly identifier: string;
  /** Decimal digits, below 2^64. */
  readonly issuerSchemaId: string;
  readonly nullifier: string;
  /** Second word of a `session_nullifier`; empty for other proofs. */
  readonly sessionAction: string;
  /** Seconds since the epoch. */
  readonly expiresAtMin: number;
  readonly signalHash: string;
  /** Four words of compressed points, and the root. */
  readonly words: readonly string[];
}

/** Proofs of one answer, and what they must show. */
export interface Proofs4Claim {
  readonly environment: Environment;
  readonly rpId: string;
  readonly policy: VerificationPolicy;
  readonly kind: ProofKind;
  /** Empty for session proofs. */
  readonly action: string;
  readonly nonce: string;
  /** Undefined for proofs of uniqueness that are not bound to a session. */
  readonly sessionId: string | undefined;
  readonly proofs: readonly Proof4[];
  readonly source: ProofSource;
}

/** Outcome of a check. */
export type Proofs4Outcome =
  | { readonly kind: 'valid' }
  /** The first proof that does not hold, with its reason. */
  | { readonly kind: 'false'; readonly code: ErrorCode }
  /** The engine has no room now. */
  | { readonly kind: 'busy' };

/** Checks that all proofs of an answer hold. @throws ServiceError `store.unreachable`, `verify.worldid_key_missing` */
export type CheckProofs4 = (claim: Proofs4Claim) => Promise<Proofs4Outcome>;
