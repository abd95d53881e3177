import type { BridgeMessage, Bytes32 } from './values.ts';

/** What a key of this table signs. Credential keys have a table of their own (`IssuerKeyStore`). */
export type KeyUse = 'signin';

/** Published states of a signing key; a key that is gone has no row (spec/sign-in.md#key-states). */
export type SigningKeyState = 'next' | 'active' | 'retired';

/** A signing key. Times are milliseconds since the epoch. */
export interface SigningKeyRow {
  readonly kid: string;
  readonly use: KeyUse;
  readonly state: SigningKeyState;
  /** Public JWK as JSON, with `kid`, `use` and `alg`. */
  readonly publicJwk: string;
  /** Private JWK as JSON, or sealed as a compact JWE. */
  readonly privateJwk: string;
  readonly isSealed: boolean;
  /** Made by the development profile; production refuses such rows. */
  readonly isDevelopment: boolean;
  readonly createdAt: number;
  readonly activatedAt: number | null;
  readonly retiredAt: number | null;
  /** When a retired key leaves the set; null in the other states. */
  readonly expiresAt: number | null;
}

/** A change of states, made only while the named keys still have theirs. */
export interface KeyRotation {
  readonly use: KeyUse;
  readonly activeKid: string;
  readonly nextKid: string;
  /** The key that is `next` afterwards. */
  readonly newNext: SigningKeyRow;
  /** When the rotation happens. */
  readonly at: number;
  /** When the key that was active leaves the set; null: it goes at once and is deleted. */
  readonly retiredUntil: number | null;
}

/** Signing keys; at most one of each use is `active` and one is `next`. A change is one transaction. */
export interface SigningKeyStore {
  /** Published keys: active, next, then retired ones, the latest first. */
  list(use: KeyUse, now: number): Promise<SigningKeyRow[]>;
  /** Adds the first two keys; false when another process was faster, which then has written both. */
  initialise(active: SigningKeyRow, next: SigningKeyRow): Promise<boolean>;
  /** active → retired (or gone), next → active, `newNext` is next; false when another process was faster. */
  rotate(rotation: KeyRotation): Promise<boolean>;
  /** Replaces the key that is next by another; false when it is no longer next. */
  replaceNext(kid: string, newNext: SigningKeyRow): Promise<boolean>;
  /** Deletes a retired key; false when it is not there or not retired. */
  removeRetired(kid: string): Promise<boolean>;
  /** Replaces the stored private part while it is still `from`; false when it is not. */
  reseal(kid: string, from: string, to: string): Promise<boolean>;
}

/** State of a sign-in (spec/sign-in.md#transaction-states). */
export type TransactionState =
  | 'waiting'
  | 'answered'
  | 'failed'
  | 'completed'
  | 'refused'
  | 'cancelled'
  | 'consumed';

/** Which tree a proof was made over. */
export type Level = 'orb' | 'device';

/** What one attempt at a proof needs. */
export interface Attempt {
  /** 1 for the first. */
  readonly attempt: number;
  /** Text whose hash the proof must carry. */
  readonly signal: string;
  readonly aesKey: Bytes32;
  /** Id of the request on the bridge; null when an external bridge could not be reached. */
  readonly bridgeId: string | null;
  /** Milliseconds since the epoch until which an answer counts. */
  readonly windowEndsAt: number;
}

/** A request on the own bridge that is stored with its attempt, under a new random id. */
export interface AttemptMessage {
  readonly bridgeId: string;
  readonly message: BridgeMessage;
}

/** How much of the store open sign-ins may take: those that live and were not consumed. */
export interface PendingBound {
  readonly maxSignIns: number;
  /** Of requests and signals, and 6144 for each sign-in. */
  readonly maxBytes: number;
}

/** Bounds of open sign-ins, over all nodes. A sign-in that has ended counts until the end of its minute. */
export interface PendingBounds {
  readonly all: PendingBound;
  /** For the client of the sign-in. */
  readonly client: PendingBound;
  /** For the network that begins it. There a consumed sign-in goes on to count, since its row does not say whose it was. */
  readonly network: (PendingBound & { readonly networkKey: string }) | undefined;
}

/** Who an accepted proof shows. */
export interface AcceptedProof {
  /** The nullifier, 32 bytes. */
  readonly sub: Bytes32;
  readonly level: Level;
  /** Milliseconds since the epoch at which the proof was verified. */
  readonly authTime: number;
}

/** A sign-in. Times are milliseconds since the epoch. */
export interface TransactionRow {
  readonly txn: string;
  readonly clientId: string;
  /** The checked authorization request as JSON text, so that every character of it survives. */
  readonly request: string;
  /** SHA-256 of the value of the transaction's cookie. */
  readonly cookieHash: Bytes32;
  readonly state: TransactionState;
  readonly attempt: number;
  readonly signal: string;
  /** Null once the attempt has ended. */
  readonly aesKey: Bytes32 | null;
  readonly bridgeId: string | null;
  readonly windowEndsAt: number;
  /** Ciphertext of the wallet's answer while the state is `answered`. */
  readonly answer: BridgeMessage | null;
  /** Why, while the state is `failed`, `refused` or `cancelled`: the code to show. */
  readonly code: string | null;
  /** While the state is `completed`. */
  readonly accepted: AcceptedProof | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A new sign-in, in state `waiting`. */
export interface NewTransaction {
  readonly txn: string;
  readonly clientId: string;
  readonly request: string;
  readonly cookieHash: Bytes32;
  readonly first: Attempt;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A proof that must not be used twice (spec/sign-in.md#spent-proofs). */
export interface SpentProof {
  readonly hash: Bytes32;
  readonly expiresAt: number;
}

/** An authorization code. Times are milliseconds since the epoch. */
export interface CodeRow {
  /** SHA-256 of the code. */
  readonly codeHash: Bytes32;
  readonly clientId: string;
  readonly redirectUri: string;
  /** Granted scopes, separated by spaces. */
  readonly scope: string;
  /** S256 challenge, or null without PKCE. */
  readonly codeChallenge: string | null;
  /** JSON text, since it may hold any character; null when none was sent, and once the code was used. */
  readonly nonce: string | null;
  /** Null once the code was used. */
  readonly accepted: AcceptedProof | null;
  /** End of the code's own life. */
  readonly codeExpiresAt: number;
  readonly usedAt: number | null;
  /** Id of the access token that the code was exchanged for. */
  readonly jti: string | null;
  /** When the row may be swept: end of life, and once used the end of its tokens. */
  readonly expiresAt: number;
}

/** A code that nobody has used. */
export type NewCode = Omit<CodeRow, 'usedAt' | 'jti' | 'accepted'> & { readonly accepted: AcceptedProof };

/**
 * Sign-ins as a state machine: each change of state (spec/sign-in.md#transaction-states) is one conditional
 * update, made only from the states named and, where an attempt is given, only while that attempt is the
 * current one. False means that another caller, in whichever process, was faster; the row then has what that
 * one wrote. Every write is durable when it resolves.
 */
export interface TransactionStore {
  /** Adds a sign-in; `message` goes onto the own bridge in the same transaction. */
  begin(
    row: NewTransaction,
    message: AttemptMessage | undefined,
    bounds: PendingBounds,
  ): Promise<'stored' | 'full' | 'client_full' | 'network_full'>;
  /** The row while it lives, consumed or not. */
  find(txn: string, now: number): Promise<TransactionRow | undefined>;
  /**
   * waiting → answered: moves the answer of the own bridge into the row and deletes it there. Counts only when it
   * reached the bridge before the attempt's window ended.
   *
   * @returns Whether an answer was there and was taken.
   */
  takeAnswer(txn: string, attempt: number, now: number): Promise<boolean>;
  /** waiting → answered, with an answer that another bridge gave, while the window is open. */
  storeAnswer(txn: string, attempt: number, message: BridgeMessage, now: number): Promise<boolean>;
  /** answered → completed; erases AES key and ciphertext. `spent` is recorded in the same transaction. */
  complete(
    txn: string,
    attempt: number,
    accepted: AcceptedProof,
    spent: SpentProof | undefined,
    now: number,
  ): Promise<'completed' | 'spent' | 'lost'>;
  /** answered → failed; the attempt's secrets and bridge rows are erased. */
  fail(txn: string, attempt: number, code: string): Promise<boolean>;
  /** answered → refused. */
  refuse(txn: string, attempt: number, code: string): Promise<boolean>;
  /** waiting, failed → waiting with a new attempt; the old one's bridge rows go. */
  retry(
    txn: string,
    from: number,
    next: Attempt,
    message: AttemptMessage | undefined,
    now: number,
  ): Promise<'stored' | 'lost'>;
  /** waiting, failed → cancelled, keeping the code of a failure; the attempt's secrets and bridge rows are erased. */
  cancel(txn: string): Promise<boolean>;
  /**
   * completed, refused, cancelled → consumed; the code is written in the same transaction. Erases `accepted`, request
   * and signal.
   */
  consume(txn: string, code: NewCode | undefined): Promise<boolean>;
}

/** What a presentation of a code by its client came to. */
export type CodeUse =
  /** This call used it. */
  | { readonly outcome: 'used'; readonly row: CodeRow }
  /** It was used before; the token that came of it is revoked now. */
  | { readonly outcome: 'replayed' }
  /** Unknown, of another client, or its life is over: nothing changed. */
  | { readonly outcome: 'unknown' };

/** Codes, revoked tokens and spent proofs. Every write is durable when it resolves. */
export interface GrantStore {
  /**
   * Uses a code once (spec/sign-in.md#token-endpoint, find-code and use-code): sets `usedAt` and `jti` and
   * erases `accepted` and `nonce`, which the returned row still has. A second use puts the stored jti on the
   * revocation list.
   *
   * @param jti - Id of the access token to come.
   * @param tokensEndAt - End of the tokens to come, and of the revocation.
   */
  useCode(
    codeHash: Bytes32,
    clientId: string,
    jti: string,
    tokensEndAt: number,
    now: number,
  ): Promise<CodeUse>;
  /** Stores a code and records a proof as spent, for a sign-in without a transaction; false when it was spent. */
  issue(code: NewCode | undefined, spent: SpentProof, now: number): Promise<boolean>;
  /** Puts a token on the revocation list until its end. */
  revoke(jti: string, expiresAt: number): Promise<void>;
  isRevoked(jti: string, now: number): Promise<boolean>;
}

/** Response types that a client may use, each with its words in this order. */
export type ResponseType =
  | 'code'
  | 'id_token'
  | 'id_token token'
  | 'code id_token'
  | 'code token'
  | 'code id_token token';

/** How a client says who it is at the token endpoint; `none` is a public client. */
export type TokenEndpointAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

/**
 * What sign-in knows of an app (spec/sign-in.md#client-fields); without redirect URIs the app only verifies
 * proofs.
 */
export interface ClientMetadata {
  readonly redirectUris: readonly string[];
  readonly responseTypes: readonly ResponseType[];
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod;
  readonly applicationType: 'web' | 'native';
  readonly requirePkce: boolean;
  readonly signalIsNonce: boolean;
}

/** A picture of an app. */
export interface Logo {
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly bytes: Uint8Array;
}

/** A live secret of a client; never its value. */
export interface ClientSecretRow {
  readonly secretId: string;
  readonly appId: string;
  /** HMAC-SHA256 under the server's key. */
  readonly hash: Bytes32;
  /** Made by the development profile. */
  readonly isDevelopment: boolean;
  readonly createdAt: number;
  /** Null while it has no end. */
  readonly expiresAt: number | null;
  /** Which key it is hashed under; null for one of an earlier release, which did not record it. */
  readonly keyId: string | null;
}

/** A hash of a secret that takes the place of one under another key. */
export interface SecretRehash {
  readonly appId: string;
  readonly secretId: string;
  readonly from: Bytes32;
  readonly to: Bytes32;
  /** The key of `to`. */
  readonly keyId: string;
}

/** How many secrets are hashed under a key; null for those whose key is not recorded. */
export interface SecretCount {
  readonly keyId: string | null;
  readonly count: number;
}
