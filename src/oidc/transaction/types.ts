import type { AddressKeysOf, BridgeIds } from '../../apps/address-keys.ts';
import type { Clients } from '../../apps/clients.ts';
import type { SigninIssuers } from '../../apps/signin-policy.ts';
import type { Config } from '../../config/settings/types.ts';
import type { Engine } from '../../engine/engine.ts';
import type { KeyRegistry } from '../../membership/keys/key-registry.ts';
import type { RootRegistry } from '../../membership/roots/root-registry.ts';
import type { CheckProofs4 } from '../../membership/worldid4/proofs4.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { ShownState } from '../../pages.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { PeopleStore } from '../../storage/signin/people.ts';
import type { Choice, TransactionRow, TransactionState } from '../../storage/signin/transactions.ts';
import type { Store } from '../../storage/store.ts';
import type { Bytes32 } from '../../storage/values.ts';
import type { AuthorizationResponse, Responder } from '../authorize/responder.ts';
import type { Passkeys, SentAssertion, SentPasskey } from '../known/passkeys.ts';
import type { KnownPersonView } from '../known/types.ts';
import type { Sessions } from '../sessions.ts';
import type { AuthorizationRequest } from '../types.ts';
import type { FoundBy, SessionForm } from '../worldid4/plan.ts';
import type { Ask } from '../worldid4/proof-request.ts';
import type { SignRequest } from '../worldid4/request-signer.ts';
import type { WalletBridge } from './wallet-bridge.ts';

/** The settings that sign-ins read. */
export type TransactionConfig = Pick<Config, 'profile' | 'baseUrl' | 'bridge' | 'signin' | 'wallet'>;

/** A sign-in that has begun. */
export interface BegunSignIn {
  /** 43 characters of base64url; the path of the page. */
  readonly txn: string;
  /** Value of the transaction's cookie: 43 characters of base64url. */
  readonly cookie: string;
  /** Value of a new cookie by which the browser is to be recognised; undefined if it has one or needs none. */
  readonly known?: string | undefined;
}

/** The row of a sign-in whose response can be given, with the state in which it ended. */
export type OpenRow = TransactionRow & { readonly state: Exclude<TransactionState, 'consumed'> };

/** A sign-in whose cookie the browser has presented. */
export interface OpenTransaction {
  readonly row: OpenRow;
  /** Whether its response was issued: nothing about it changes any more, and the browser gets the response again. */
  readonly isAnswered: boolean;
  /** Value of its cookie. */
  readonly cookie: string;
  readonly request: AuthorizationRequest;
  /** What the current attempt asks of World ID 4.0; undefined if it asks for 3.0 alone. */
  readonly ask: Ask | undefined;
}

/**
 * What else a person may ask the page for: another person than the one whom the request is for, or another version of
 * World ID.
 */
export const WAYS = ['other', '3.0', '4.0'] as const;

/** What else a person may ask the page for. */
export type Way = (typeof WAYS)[number];

/** What sign-in needs to ask for World ID 4.0 (spec/sign-in.md#world-id-40). */
export interface SigninWorldId4 {
  /** Relying party of the service. */
  readonly rpId: string;
  readonly issuers: SigninIssuers;
  readonly sessionForm: SessionForm;
  /** How long sessions and pointers are kept after their last use, in milliseconds. */
  readonly rememberMs: number;
  readonly sign: SignRequest;
  readonly check: CheckProofs4;
  readonly people: Omit<
    PeopleStore,
    'page' | 'count' | 'forgetByOperator' | 'addBeginning' | `${string}elyingParty`
  >;
  /** Undefined where browsers refuse passkeys. */
  readonly passkeys: Passkeys | undefined;
  /** Reports an error of a wallet that only the operator can cure. */
  readonly onAlarm: (code: string, clientId: string) => void;
}

/** State of a sign-in. */
export type SignInState = ShownState /** The person left. */ | 'cancelled';

/** A request of World ID 4.0, for the page. */
export interface AskView {
  /** What found the person; undefined if it is not for a person who was here before. */
  readonly foundBy: FoundBy | undefined;
  readonly step: number;
  readonly steps: number;
}

/** Data of a sign-in for its page. Strings are plain text and must be escaped. */
export interface SignInView {
  readonly txn: string;
  readonly state: SignInState;
  /** Whole seconds until the attempt's window ends; 0 once it is over. */
  readonly expiresInSeconds: number;
  /**
   * Reason of a failure, refusal or cancellation: a code of the service (spec/sign-in.md#further-codes) or of the
   * wallet (spec/sign-in.md#wallet-error-codes).
   */
  readonly code: string | null;
  /** One sentence that explains the code; ASCII. */
  readonly detail: string | null;
  readonly clientId: string;
  readonly clientName: string;
  readonly hasLogo: boolean;
  /** Host of the redirect URI, or its scheme if it has no host. */
  readonly redirectHost: string;
  readonly isStaging: boolean;
  /** Granted scopes, in the order of the request. */
  readonly scopes: readonly string[];
  readonly requiresOrb: boolean;
  /** Undefined if the attempt asks for World ID 3.0 alone. */
  readonly worldId4: AskView | undefined;
  /** Whether the person is signed in and adds the other version of World ID. */
  readonly isLinking: boolean;
  /** What else the person may ask for. */
  readonly ways: readonly Way[];
  /** How a passkey is asked for; undefined if none can be used. */
  readonly passkey: { readonly rpId: string; readonly challenge: string } | undefined;
  /** Whether the person asked to see, before the end, what recognises them. */
  readonly showsKnown: boolean;
  /** Number of the attempt, 1 for the first. */
  readonly attempt: number;
  /** Choices that the page offers. */
  readonly choices: readonly Choice[];
  /** Choices to which the person has agreed. */
  readonly agreed: readonly Choice[];
  /** Number of attempts that can still be begun. */
  readonly attemptsLeft: number;
  /** URL for the QR code (spec/sign-in.md#connect-url), while a wallet can answer. */
  readonly connectUrl: string | undefined;
  /** URL of the link to a wallet on the same device, to which it returns. */
  readonly tappedUrl: string | undefined;
  /** URL for the QR code in the format of World App, for simulators; undefined in production. */
  readonly worldAppUrl: string | undefined;
}

/** Cookies of the client that a browser sends to `…/continue`. */
export interface FinishCookies {
  readonly session: string | undefined;
  /** The one by which the browser is recognised. */
  readonly known: string | undefined;
}

/** Result of `…/continue`. */
export type Finish =
  | {
      readonly kind: 'response';
      readonly response: AuthorizationResponse;
      /** Change of the session of the browser: the cookie of a new one, or the end of the former one. */
      readonly session?: { readonly cookie: string } | 'ended';
      /** Cookie by which the browser is to be recognised; undefined to leave it as it is. */
      readonly known: string | undefined;
    }
  /** No response yet: the browser returns to the page. */
  | { readonly kind: 'pending' };

/**
 * Sign-ins from the accepted request to the response. Every method rejects with `store.unreachable` if the
 * store is unavailable; those that take an open transaction reject with `transaction.not_found` or
 * `transaction.redeemed` if it has ended meanwhile.
 */
export interface Transactions {
  /**
   * Stores a sign-in with its first attempt and its request on the bridge.
   *
   * @param address - Address of the browser, as used for rate limits.
   * @param known - Cookie by which the browser is recognised, if it has one.
   * @param pushed - SHA-256 of the reference of its pushed request.
   * @throws ServiceError one of `TOO_MANY`: `transaction.too_many` and its variants for a client or a network;
   *   `authorize.request_uri_used` if the pushed request was answered or has expired meanwhile
   */
  begin(
    client: AppRow,
    request: AuthorizationRequest,
    address: string,
    known?: string,
    pushed?: Bytes32,
  ): Promise<BegunSignIn>;
  /**
   * Opens the sign-in of a path for the browser with its cookie.
   *
   * @throws ServiceError `transaction.not_found`; `transaction.redeemed` once its code was redeemed;
   *   `transaction.finished` if an earlier release sent its response
   */
  open(txn: string, cookie: string | undefined): Promise<OpenTransaction>;
  /**
   * Collects and checks the answer of the wallet, if there is one, and returns the state of the sign-in.
   *
   * @param address - Client address as used for rate limits: proofs of a suspected source are batched separately.
   */
  poll(transaction: OpenTransaction, address: string): Promise<SignInView>;
  /**
   * Begins another attempt; at the limit of attempts, cancels the sign-in. Does nothing in a state without
   * retry.
   */
  retry(transaction: OpenTransaction): Promise<void>;
  /** Like `retry`, and asks the wallet for something else. Does nothing if the client does not accept it. */
  retryOtherwise(transaction: OpenTransaction, way: Way): Promise<void>;
  /**
   * Cancels the sign-in because the person leaves. Does nothing while an answer is being checked or in a
   * final state.
   */
  cancel(transaction: OpenTransaction): Promise<void>;
  /**
   * Asks the wallet for the session of the person whom a passkey finds; uses up no attempt otherwise.
   *
   * @throws ServiceError `transaction.passkey_refused`
   */
  usePasskey(transaction: OpenTransaction, sent: SentAssertion): Promise<void>;
  /** Stores a passkey for the person of a completed sign-in with World ID 4.0. @throws ServiceError `transaction.passkey_refused` */
  savePasskey(transaction: OpenTransaction, sent: SentPasskey): Promise<void>;
  /** Lists what recognises the person of a completed sign-in with World ID 4.0; undefined for any other sign-in. */
  viewKnown(transaction: OpenTransaction): Promise<KnownPersonView | undefined>;
  /**
   * Forgets something that `viewKnown` lists, or all of it.
   *
   * @returns Whether the browser is to drop its cookie.
   */
  forgetKnown(transaction: OpenTransaction, id: string): Promise<boolean>;
  /** Forgets everybody whom the client recognises on the browser, and asks for a stranger. */
  forgetBrowser(transaction: OpenTransaction): Promise<void>;
  /** Stores the consent of the person to offered choices until the response is delivered. */
  agree(transaction: OpenTransaction, choices: readonly Choice[]): Promise<void>;
  /**
   * Ends the sign-in and returns its authorization response, the first time and again. A new proof ends the former session
   * of the client in the browser.
   *
   * @throws ServiceError `transaction.redeemed`, `authorize.request_uri_used` if another sign-in has answered its pushed
   *   request, and those of a client or redirect URI that has been withdrawn meanwhile
   */
  finish(transaction: OpenTransaction, cookies: FinishCookies): Promise<Finish>;
}

/** Dependencies of `createTransactions`. */
export interface TransactionsOptions {
  readonly config: TransactionConfig;
  readonly store: Pick<Store, 'transactions' | 'answers' | 'grants' | 'bridge'>;
  readonly engine: Pick<Engine, 'verify'>;
  readonly keys: KeyRegistry;
  readonly roots: RootRegistry;
  readonly clients: Pick<Clients, 'find'>;
  readonly responder: Responder;
  readonly sessions: Pick<Sessions, 'isOn' | 'find' | 'begin' | 'hashOf'>;
  /** Undefined while sign-in takes World ID 3.0 alone. */
  readonly worldId4: SigninWorldId4 | undefined;
  readonly addressKeys: AddressKeysOf;
  readonly bridgeIds: Pick<BridgeIds, 'create'>;
  readonly metrics: Pick<Metrics, 'signinTransactionsTotal' | 'signinProofSeconds' | 'tokenIssuedTotal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives internal errors of a proof check: the root has no usable key. */
  readonly onFault: (fault: unknown) => void;
  /** Notified of the client of each completed sign-in. */
  readonly onSignedIn?: (clientId: string) => void;
}

/** The dependencies together with the configured bridge. */
export interface TransactionParts extends TransactionsOptions {
  readonly bridge: WalletBridge;
}
