import type { AcceptedProof, BridgeMessage, Bytes32, UsedProof } from '../values.ts';
import type { LiveSessions, SessionEnd } from './store-logout.ts';
import type { NewRefreshFamily } from './store-refresh-tokens.ts';
import type { SessionChange, SessionPlace, SessionRow } from './store-sessions.ts';

/** Use of a signing key. Credential keys have their own table (`IssuerKeyStore`). */
export type KeyUse = 'signin';

/** Published states of a signing key; a deleted key has no row (spec/sign-in.md#key-states). */
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
  /** When a retired key leaves the published set; null in the other states. */
  readonly expiresAt: number | null;
}

/** A rotation of keys, made only if the named keys are still active and next. */
export interface KeyRotation {
  readonly use: KeyUse;
  readonly activeKid: string;
  readonly nextKid: string;
  /** The key that is `next` afterwards. */
  readonly newNext: SigningKeyRow;
  /** When the rotation happens. */
  readonly at: number;
  /** When the key that was active leaves the published set; null deletes it immediately. */
  readonly retiredUntil: number | null;
}

/** Signing keys; each use has at most one `active` and one `next` key. A change is one transaction. */
export interface SigningKeyStore {
  /** Lists the published keys: active, next, then retired ones, the latest first. */
  list(use: KeyUse, now: number): Promise<SigningKeyRow[]>;
  /** Adds the first two keys; false if another process was faster and has written both. */
  initialise(active: SigningKeyRow, next: SigningKeyRow): Promise<boolean>;
  /** active → retired (or deleted), next → active, adds `newNext`; false if another process was faster. */
  rotate(rotation: KeyRotation): Promise<boolean>;
  /** Replaces the next key by another; false if `kid` is not the next key. */
  replaceNext(kid: string, newNext: SigningKeyRow): Promise<boolean>;
  /** Deletes a retired key; false if it does not exist or is not retired. */
  removeRetired(kid: string): Promise<boolean>;
  /** Replaces the stored private part if it is still `from`; otherwise returns false. */
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

/** What a person can agree to on the sign-in page (spec/sign-in.md#choices). */
export const CHOICES = ['stay', 'offline'] as const;

/** A choice of the sign-in page. */
export type Choice = (typeof CHOICES)[number];

/** Data of one attempt at a proof. */
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

/** A request on this service's bridge, stored with its attempt under a new random id. */
export interface AttemptMessage {
  readonly bridgeId: string;
  readonly message: BridgeMessage;
}

/** Bound of the open sign-ins: those that have neither expired nor been consumed. */
export interface PendingBound {
  readonly maxSignIns: number;
  /** Bytes of requests and signals, plus 6144 for each sign-in. */
  readonly maxBytes: number;
}

/** Bounds of open sign-ins, over all nodes. An expired sign-in counts until the end of its minute. */
export interface PendingBounds {
  readonly all: PendingBound;
  /** For the client of the sign-in. */
  readonly client: PendingBound;
  /** For the network that begins it; also counts consumed sign-ins, whose rows do not name the network. */
  readonly network: (PendingBound & { readonly networkKey: string }) | undefined;
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
  /** Ciphertext of the wallet's answer in state `answered`, otherwise null. */
  readonly answer: BridgeMessage | null;
  /** What the person has agreed to on the page. */
  readonly agreed: readonly Choice[];
  /** Error code to show in state `failed`, `refused` or `cancelled`. */
  readonly code: string | null;
  /** Set in state `completed`, otherwise null. */
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
  /** Thumbprint of the key to which the request bound the code, or null (RFC 9449 section 10). */
  readonly dpopJkt: string | null;
  /** JSON text, since it may contain any character; null if none was sent, and once the code was used. */
  readonly nonce: string | null;
  /** Null once the code was used. */
  readonly accepted: AcceptedProof | null;
  /** When the code expires. */
  readonly codeExpiresAt: number;
  readonly usedAt: number | null;
  /** The session that the sign-in began or was answered from; null without one. */
  readonly sid: string | null;
  /** Id of the access token that the code was exchanged for, or of the family of refresh tokens that it began. */
  readonly jti: string | null;
  /** When the row may be swept: when the code expires or, once it was used, when its tokens end. */
  readonly expiresAt: number;
}

/** An unused code. */
export type NewCode = Omit<CodeRow, 'usedAt' | 'jti' | 'accepted'> & { readonly accepted: AcceptedProof };

/**
 * Sign-ins as a state machine: each change of state (spec/sign-in.md#transaction-states) is one conditional
 * update, made only from the states named and, if an attempt is given, only while that attempt is the current
 * one. False means that another caller, in this or another process, was faster; the row then has the state
 * which that caller wrote. Every write is durable when it resolves.
 */
export interface TransactionStore {
  /**
   * Adds a sign-in; puts `message` on this service's bridge in the same transaction.
   *
   * @param pushed - SHA-256 of the reference of the pushed request that it begins with, which is removed in the same
   *   transaction; without one, `push_used` is not returned.
   */
  begin(
    row: NewTransaction,
    message: AttemptMessage | undefined,
    bounds: PendingBounds,
    pushed?: Bytes32,
  ): Promise<'stored' | 'full' | 'client_full' | 'network_full' | 'push_used'>;
  /** Looks up a sign-in that has not expired, consumed or not. */
  find(txn: string, now: number): Promise<TransactionRow | undefined>;
  /**
   * waiting → answered: moves the answer from this service's bridge into the row. Only an answer that reached
   * the bridge before the end of the attempt's window counts.
   *
   * @returns Whether there was an answer and it was taken.
   */
  takeAnswer(txn: string, attempt: number, now: number): Promise<boolean>;
  /** waiting → answered, with the answer from an external bridge, while the window is open. */
  storeAnswer(txn: string, attempt: number, message: BridgeMessage, now: number): Promise<boolean>;
  /** answered → completed; erases AES key and ciphertext, and records `spent` in the same transaction. */
  complete(
    txn: string,
    attempt: number,
    accepted: AcceptedProof,
    spent: SpentProof | undefined,
    now: number,
  ): Promise<'completed' | 'spent' | 'lost'>;
  /** answered → failed; erases the attempt's secrets and bridge rows. */
  fail(txn: string, attempt: number, code: string): Promise<boolean>;
  /** answered → refused; erases the attempt's secrets and bridge rows. */
  refuse(txn: string, attempt: number, code: string): Promise<boolean>;
  /** waiting, failed → waiting with a new attempt; erases the old attempt's bridge rows. */
  retry(
    txn: string,
    from: number,
    next: Attempt,
    message: AttemptMessage | undefined,
    now: number,
  ): Promise<'stored' | 'lost'>;
  /** Writes what the person agrees to, in every state before the response; false in `consumed`. */
  agree(txn: string, choices: readonly Choice[]): Promise<boolean>;
  /** waiting, failed → cancelled, keeping a failure's code; erases the attempt's secrets and bridge rows. */
  cancel(txn: string): Promise<boolean>;
  /**
   * completed, refused, cancelled → consumed; writes the code and the session in the same transaction. Erases
   * `accepted`, request and signal.
   */
  consume(txn: string, code: NewCode | undefined, session?: SessionChange): Promise<boolean>;
}

/** Sessions of sign-in. Every write is durable when it resolves. */
export interface SessionStore {
  /** Looks up a session of a client that has not expired. */
  find(sessionHash: Bytes32, clientId: string, now: number): Promise<SessionRow | undefined>;
  /**
   * Stores the code of an answer without a proof, if it has one.
   *
   * @param pushed - SHA-256 of the reference of the pushed request that is answered, which is removed in the same
   *   transaction; without one, `push_used` is not returned.
   * @returns `ended` if the session has ended meanwhile.
   */
  answer(
    session: Pick<SessionRow, 'sessionHash' | 'clientId'>,
    code: NewCode | undefined,
    now: number,
    pushed?: Bytes32,
  ): Promise<'answered' | 'ended' | 'push_used'>;
  /** Ends all sessions of clients, which are not told. */
  endOfClients(clientIds: readonly string[]): Promise<void>;
  /** Looks up a session by its name. */
  findBySid(sid: string, now: number): Promise<SessionRow | undefined>;
  /** Lists one page of live sessions of a client, the latest first. */
  page(live: LiveSessions, now: number, limit: number, after?: SessionPlace): Promise<SessionRow[]>;
  /** Counts the live sessions of a client. */
  count(live: LiveSessions, now: number): Promise<number>;
  /** Ends sessions that people leave, and writes the notices to their clients in the same transaction. */
  end(ends: readonly SessionEnd[], now: number): Promise<void>;
  /** Like `end` for what an operator ends, and records it in the audit log; returns how many sessions ended. */
  endByOperator(end: SessionEnd, now: number): Promise<number>;
}

/** Outcome when a client presents a code. */
export type CodeUse =
  /** This call used the code. */
  | { readonly outcome: 'used'; readonly row: CodeRow }
  /** The code was used before; the token issued for it is now revoked. */
  | { readonly outcome: 'replayed' }
  /** The proof of possession was used before: nothing changed. */
  | { readonly outcome: 'proof_used' }
  /** The code is unknown, of another client, or expired: nothing changed. */
  | { readonly outcome: 'unknown' };

/** Codes, revoked tokens, spent proofs and used proofs of possession. Every write is durable when it resolves. */
export interface GrantStore {
  /**
   * Uses a code once (spec/sign-in.md#token-endpoint, find-code and use-code): sets `usedAt` and `jti` and
   * erases `accepted` and `nonce`, which the returned row still has. A second use puts the stored jti on the
   * revocation list, and ends the family of refresh tokens with that id.
   *
   * @param jti - Id of the access token to be issued, or of the family of refresh tokens that begins.
   * @param tokensEndAt - When the tokens to be issued end, and with them a revocation.
   * @param familyFor - Returns the family of refresh tokens that begins in the same transaction, if one does, for the
   *   code before its use.
   * @param proof - Recorded as used in the same transaction.
   */
  useCode(
    codeHash: Bytes32,
    clientId: string,
    jti: string,
    tokensEndAt: number,
    now: number,
    familyFor?: (code: CodeRow) => NewRefreshFamily | undefined,
    proof?: UsedProof,
  ): Promise<CodeUse>;
  /** Records a proof of possession as used; false if it was used before. */
  useProof(proof: UsedProof): Promise<boolean>;
  /** Stores a code and spends a proof, for a sign-in without a transaction; false if it was spent already. */
  issue(code: NewCode | undefined, spent: SpentProof, now: number): Promise<boolean>;
  /** Puts a token on the revocation list until its end. */
  revoke(jti: string, expiresAt: number): Promise<void>;
  /** Like `revoke`, and records it in the audit log. */
  revokeByOperator(jti: string, expiresAt: number): Promise<void>;
  /**
   * Whether a token is on the revocation list.
   *
   * @param familyId - The family of refresh tokens that it belongs to: it is revoked with the family.
   */
  isRevoked(jti: string, now: number, familyId?: string): Promise<boolean>;
}

/** Response types that a client may use; the words of each are in this order. */
export type ResponseType =
  | 'code'
  | 'id_token'
  | 'id_token token'
  | 'code id_token'
  | 'code token'
  | 'code id_token token';

/** How a client authenticates at the token endpoint; `none` is a public client. */
export type TokenEndpointAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';
