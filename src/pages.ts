/** Types and constants shared by pages and server: data embedded in a page, and answers to its calls. */

/** State of a sign-in for its page and its status (spec/sign-in.md#status). */
export type ShownState =
  /** The wallet has not fetched the request. */
  | 'waiting'
  /** The wallet has the request. */
  | 'connected'
  /** An answer has arrived and is being checked. */
  | 'verifying'
  | 'completed'
  /** The attempt failed; another one can be started. */
  | 'failed'
  /** The wallet, or the credential that it presented, ended the sign-in. */
  | 'refused'
  /** No answer arrived in time; another attempt can be started. */
  | 'expired';

/** Appearance of a status line. */
export type Mood = 'busy' | 'good' | 'bad';

/** Mood of each state. */
export const MOODS: Readonly<Record<ShownState, Mood>> = {
  waiting: 'busy',
  connected: 'busy',
  verifying: 'busy',
  completed: 'good',
  failed: 'bad',
  refused: 'bad',
  expired: 'bad',
};

/** Body of `…/status` (spec/sign-in.md#status). */
export interface StatusBody {
  readonly status: ShownState;
  readonly expires_in: number;
  readonly code: string | null;
  readonly detail: string | null;
  /** As in `SignInConfig`. */
  readonly attempt?: number;
}

/**
 * Returns the sentence of a state: that of its code, if the code has one. What a wallet reports is said in the same words
 * whether it ends the sign-in or may be tried again.
 */
export function sentenceOf(
  { state, code }: { readonly state: ShownState; readonly code: string | null },
  sentences: SignInConfig['sentences'],
): string {
  const ofRefusal = state === 'failed' ? sentences[`refused.${code}`] : undefined;
  return sentences[`${state}.${code}`] ?? ofRefusal ?? sentences[state] ?? '';
}

/** Data for the script of the sign-in page, JSON in `data-config` of `<main id="sign-in">`. */
export interface SignInConfig {
  /** Address of the status; relative to the origin. */
  readonly statusUrl: string;
  /** Address at which the browser continues once the sign-in is decided. */
  readonly continueUrl: string;
  readonly state: ShownState;
  /** Number of the attempt, where the service may begin another by itself; absent for World ID 3.0. */
  readonly attempt?: number;
  /** Whole seconds until the wallet's time has expired. */
  readonly expiresInSeconds: number;
  /**
   * Whether the response opens an app by a scheme of its own. The page then stays, and a browser may refuse to open the
   * app without a tap.
   */
  readonly opensApp: boolean;
  /** Sentences by state, and by `<state>.<code>` if a code has its own; the code `stays` is for a page that did not go on. */
  readonly sentences: Readonly<Record<string, string>>;
  /** Shown while the service does not answer. */
  readonly unreachable: string;
  /** Shown while the service makes the page wait. */
  readonly busy: string;
}

/** Data for a button that uses a passkey, JSON in `data-passkey` of its element. */
export interface PasskeyConfig {
  /** Path to which the answer of the browser is posted. */
  readonly url: string;
  readonly rpId: string;
  /** In base64url. */
  readonly challenge: string;
  /** Shown if the service refuses the passkey. */
  readonly failed: string;
  /** Shown if the person or the browser stops. */
  readonly stopped: string;
  /** Shown if no answer arrives, so that the page does not know what the service did. */
  readonly unanswered: string;
  /** Shown while the service makes the page wait. */
  readonly busy: string;
}

/** Data for a button that makes a passkey. */
export interface NewPasskeyConfig extends PasskeyConfig {
  /** In base64url. */
  readonly userHandle: string;
  /** Name of the service. */
  readonly rpName: string;
  /** Name in the list of a password manager. */
  readonly userName: string;
  /** COSE algorithms, by preference. */
  readonly algorithms: readonly number[];
}

/** Data for the script of a page that asks the person to wait, JSON in `data-config` of `<main id="wait">`. */
export interface WaitConfig {
  /** Whole seconds to wait. */
  readonly seconds: number;
  /** Language of the page (BCP 47), for the formatted time. */
  readonly language: string;
  /** Shown when the time is over. */
  readonly now: string;
  /** Whether the page then continues automatically; a form is not resubmitted. */
  readonly goesOn: boolean;
  /** Address at which it continues, relative to its own: the page of the form. If absent, it reloads. */
  readonly next?: string;
}

/** State of the development circuit, in the pages and in the answer of `…/wallet/api/circuit`. */
export type CircuitStatus =
  | { readonly status: 'ready' }
  /** It is not being built; a command builds it. */
  | { readonly status: 'missing' }
  /** The service is building it; `share` is from 0 to 1, and `what` describes the step. */
  | { readonly status: 'making'; readonly share: number; readonly what: string }
  /** The service could not build it. */
  | { readonly status: 'failed'; readonly reason: string };

/** Data for the scripts of the demo, JSON in `data-config` of `<main id="demo">`. */
export interface DemoConfig {
  /** The address of the service, byte for byte. */
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly urls: DemoUrls;
}

/** Addresses of the demo: absolute for navigations, relative to the origin for calls. */
export interface DemoUrls {
  readonly demo: string;
  readonly authorize: string;
  readonly token: string;
  readonly jwks: string;
  readonly userinfo: string;
  readonly revoke: string;
}

/** Data for the first page of the demo. */
export interface DemoPageConfig extends DemoConfig {
  /** Path of the wallet page. */
  readonly walletUrl: string;
  /** Whether the service verifies World ID 4.0 proofs. */
  readonly hasWorldId4: boolean;
  /** Client ids by binding, where sign-in asks for World ID 4.0; else empty. */
  readonly bindings: Readonly<Record<string, string>>;
  /** State of the development circuit when the page was rendered. */
  readonly circuit: CircuitStatus;
  /** Path that returns a `CircuitStatus`. */
  readonly circuitUrl: string;
}

/** Data for the callback page of the demo. */
export interface DemoCallbackConfig extends DemoConfig {
  /** Parameters that arrived as a form; absent if the response is in query or fragment. */
  readonly posted?: readonly (readonly [name: string, value: string])[];
}

/**
 * Data for the wallet page, JSON in `data-config` of `<main id="wallet">`. An address is absolute or a path relative to
 * the origin of the page, since the service does not know its origin if the system chose its port.
 */
export interface WalletConfig {
  /** Path of the service: empty, or `/…` without trailing slash. The calls of the wallet are below it. */
  readonly basePath: string;
  /** Prefix of `/api/v4/verify/{rp_id}`; only a path, possibly empty, if this service verifies. */
  readonly verifyUrl: string;
  /** The bridge of this service; a request on another bridge is shown with its host. */
  readonly bridgeUrl: string;
  /** Whether the service verifies World ID 4.0 proofs, and makes development proofs. */
  readonly hasWorldId4: boolean;
  /** State of the development circuit when the page was rendered. */
  readonly circuit: CircuitStatus;
  /** Address that returns a `CircuitStatus`. */
  readonly circuitUrl: string;
  readonly urls: WalletUrls;
}

/** Addresses of the files that the prover loads. */
export interface WalletUrls {
  /** Classic script of the prover's worker. */
  readonly worker: string;
  /** The browser file of snarkjs, which the worker loads. */
  readonly snarkjs: string;
  /** The WASM module of this project, for Poseidon. */
  readonly cryptoWasm: string;
  /** Witness code of the development circuit, a WASM file. */
  readonly witnessCode: string;
  /** Proving key of the development circuit, a zkey. */
  readonly provingKey: string;
}

/** Tree that the development profile maintains itself, in the environment `staging`. */
export type DevelopmentTree = 'orb' | 'device';

/** All development trees, the strongest credential first. */
export const DEVELOPMENT_TREES: readonly DevelopmentTree[] = ['orb', 'device'];

/** Names of the trees on the page. */
export const TREE_NAMES: Readonly<Record<DevelopmentTree, string>> = { orb: 'Orb', device: 'Device' };

/**
 * Kinds of wallets for World ID 4.0. A new one has the protocol library since August 2026 (world-id-primitives 0.14 and
 * later): it creates a session by `session` with the session id `create`, binds uniqueness to a new session, and ignores
 * unknown members. An old one (0.11 to 0.13) creates a session by `create_session`, binds nothing, and refuses unknown
 * members.
 */
export type WalletKind = 'new' | 'old';

/** All kinds of wallets, the default first. */
export const WALLET_KINDS: readonly WalletKind[] = ['new', 'old'];

/** What a World ID 4.0 request asks for; `bound` is a uniqueness proof together with a new session. */
export type RequestKind = 'uniqueness' | 'bound' | 'create-session' | 'prove-session';

/** Error codes that a wallet sends instead of a proof (spec/sign-in.md#wallet-error-codes); the most frequent ones first. */
export const WALLET_ERROR_CODES = [
  'user_rejected',
  'verification_rejected',
  'world_id_4_not_available',
  'world_id_3_not_available',
  'credential_unavailable',
  'nullifier_replayed',
  'nullifier_replay',
  'malformed_request',
  'feature_unavailable',
  'invalid_network',
  'inclusion_proof_pending',
  'inclusion_proof_failed',
  'max_verifications_reached',
  'user_presence_failed',
  'identity_attributes_not_matched',
  'invalid_rp_signature',
  'duplicate_nonce',
  'unknown_rp',
  'inactive_rp',
  'timestamp_too_old',
  'timestamp_too_far_in_future',
  'invalid_timestamp',
  'rp_signature_expired',
  'unexpected_response',
  'connection_failed',
  'generic_error',
] as const;

/** Error code that a wallet sends; `nullifier_replay` is the spelling of the library of wallets. */
export type WalletErrorCode = (typeof WALLET_ERROR_CODES)[number];
