import type { Config } from '../../config/settings/types.ts';
import type { ShownState } from '../../pages.ts';
import type { AppRow, TransactionRow, TransactionState } from '../../storage/index.ts';
import type { AuthorizationResponse } from '../authorize/authorization-response.ts';
import type { AuthorizationRequest } from '../types.ts';

/** The settings that sign-ins read. */
export type TransactionConfig = Pick<Config, 'profile' | 'baseUrl' | 'bridge' | 'signin' | 'wallet'>;

/** A sign-in that has begun. */
export interface BegunSignIn {
  /** 43 characters of base64url; the path of the page. */
  readonly txn: string;
  /** Value of the transaction's cookie: 43 characters of base64url. */
  readonly cookie: string;
}

/** The row of a sign-in whose response was not delivered. */
export type OpenRow = TransactionRow & { readonly state: Exclude<TransactionState, 'consumed'> };

/** A sign-in whose cookie was shown. */
export interface OpenTransaction {
  readonly row: OpenRow;
  readonly request: AuthorizationRequest;
}

/** State of a sign-in. */
export type SignInState = ShownState /** The person left. */ | 'cancelled';

/** All that the page shows of a sign-in. Texts are plain text, to be escaped. */
export interface SignInView {
  readonly txn: string;
  readonly state: SignInState;
  /** Whole seconds until the attempt's window ends; 0 once it is over. */
  readonly expiresInSeconds: number;
  /**
   * Why it failed, was refused or cancelled: a code of the service (spec/sign-in.md#further-codes) or of the
   * wallet (spec/sign-in.md#wallet-error-codes).
   */
  readonly code: string | null;
  /** The code in a sentence; ASCII. */
  readonly detail: string | null;
  readonly clientId: string;
  readonly clientName: string;
  readonly hasLogo: boolean;
  /** Host of the redirect URI; its scheme where it has no host. */
  readonly redirectHost: string;
  readonly isStaging: boolean;
  /** Granted scopes, in the order of the request. */
  readonly scopes: readonly string[];
  readonly requiresOrb: boolean;
  /** Attempts that can still be begun. */
  readonly attemptsLeft: number;
  /** What the QR code holds (spec/sign-in.md#connect-url), while a wallet can answer. */
  readonly connectUrl: string | undefined;
  /** The same in the form of World App, for simulators; undefined in production. */
  readonly worldAppUrl: string | undefined;
}

/** What `…/continue` comes to. */
export type Finish =
  | { readonly kind: 'response'; readonly response: AuthorizationResponse }
  /** Nothing to deliver yet: back to the page. */
  | { readonly kind: 'pending' };

/**
 * Sign-ins from the accepted request to the response. Each rejects with `store.unreachable` when the store is away,
 * and all that take an open transaction with `transaction.not_found` or `transaction.finished` when it ended meanwhile.
 */
export interface Transactions {
  /**
   * Stores a sign-in with its first attempt and its request on the bridge.
   *
   * @param address - Of the browser, as rate limits take it.
   * @throws ServiceError one of `TOO_MANY`: `transaction.too_many`, and the same of the client or of the network
   */
  begin(client: AppRow, request: AuthorizationRequest, address: string): Promise<BegunSignIn>;
  /**
   * The sign-in of a path, for the browser that has its cookie.
   *
   * @throws ServiceError `transaction.not_found`; `transaction.finished` once its response was delivered
   */
  open(txn: string, cookie: string | undefined): Promise<OpenTransaction>;
  /**
   * Takes and checks what the wallet answered, if it did, and tells how far the sign-in is.
   *
   * @param address - Of the client that asks, as rate limits take it: who brings bad proofs is batched apart.
   */
  poll(transaction: OpenTransaction, address: string): Promise<SignInView>;
  /** Begins another attempt; at the limit of attempts the sign-in is cancelled. Nothing in a state without retry. */
  retry(transaction: OpenTransaction): Promise<void>;
  /** The person leaves. Nothing while an answer is being checked, and in a state that is final. */
  cancel(transaction: OpenTransaction): Promise<void>;
  /**
   * Ends the sign-in and gives its authorization response, once.
   *
   * @throws ServiceError `transaction.finished`, and those of a client or redirect URI that was withdrawn meanwhile
   */
  finish(transaction: OpenTransaction): Promise<Finish>;
}
