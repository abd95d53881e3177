import type { ErrorCode } from '../../errors/index.ts';
import type { JsonObject } from '../../json.ts';
import type { Environment, Tree } from '../../storage/index.ts';

/** The statement of an item that the engine checks. */
export interface Statement {
  readonly code?: undefined;
  /** Proof ‖ public inputs; those that depend on the app are written once it is known. */
  readonly bytes: Uint8Array;
}

/** Catalogue code of an item with a word that cannot be decoded; its row has an answer for items. */
export interface StatementFault {
  readonly code: ErrorCode;
  /** Text of the answer where the row has none. */
  readonly detail?: string;
}

/** One item of `responses` in any protocol version, with decoded words. */
export interface ItemBase {
  readonly identifier: string;
  /** The tree of its root. */
  readonly tree: Tree;
  /** As sent. */
  readonly nullifier: string;
  readonly statement: Statement | StatementFault;
}

/** Kind of the proofs of a request. */
export type ProofKind = 'uniqueness' | 'session';

/** Members of a request in any protocol version. */
export interface RequestBase {
  readonly kind: ProofKind;
  /** Empty for session proofs. */
  readonly action: string;
  readonly actionDescription: string;
  readonly environment: Environment;
  readonly items: readonly ItemBase[];
  /** The parsed body if it has an `integrity_bundle`. */
  readonly bundledBody: JsonObject | undefined;
}
