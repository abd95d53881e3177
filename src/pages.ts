/** Types and constants that the pages and the server share: data written into a page, and answers to its calls. */

/** State of a sign-in, as its page and its status tell it (spec/sign-in.md#status). */
export type ShownState =
  /** The wallet has not fetched the request. */
  | 'waiting'
  /** The wallet has the request. */
  | 'connected'
  /** An answer is there and is being checked. */
  | 'verifying'
  | 'completed'
  /** The attempt failed; another one can be begun. */
  | 'failed'
  /** The wallet, or what it showed, ended the sign-in. */
  | 'refused'
  /** Nothing came in time; another attempt can be begun. */
  | 'expired';

/** Appearance of a status line. */
export type Mood = 'busy' | 'good' | 'bad';

/** Mood in which each state is shown. */
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
}

/** Data for the script of the sign-in page, JSON in `data-config` of `<main id="sign-in">`. */
export interface SignInConfig {
  /** Where the status is read; counted from the origin. */
  readonly statusUrl: string;
  /** Where the browser goes on once the sign-in is decided. */
  readonly continueUrl: string;
  readonly state: ShownState;
  /** Whole seconds until the wallet's time is over. */
  readonly expiresInSeconds: number;
  /** Sentences by state, and by `<state>.<code>` where a code has one of its own. */
  readonly sentences: Readonly<Record<string, string>>;
  /** Said while the service does not answer. */
  readonly unreachable: string;
  /** Said while the service asks the page to wait. */
  readonly busy: string;
}

/** Data for the script of a page that asks to wait, JSON in `data-config` of `<main id="wait">`. */
export interface WaitConfig {
  /** Whole seconds to wait. */
  readonly seconds: number;
  /** Language of the page (BCP 47), in which the time is written. */
  readonly language: string;
  /** Said when the time is over. */
  readonly now: string;
  /** Whether the page loads itself again then; a form is not sent again. */
  readonly goesOn: boolean;
}

/** State of the development circuit, in the pages and in the answer of `…/wallet/api/circuit`. */
export type CircuitStatus =
  | { readonly status: 'ready' }
  /** Nobody is making it; a command does. */
  | { readonly status: 'missing' }
  /** The service is making it; `share` is from 0 to 1. */
  | { readonly status: 'making'; readonly share: number; readonly what: string }
  /** The service could not make it. */
  | { readonly status: 'failed'; readonly reason: string };

/** Data for the scripts of the demo, JSON in `data-config` of `<main id="demo">`. */
export interface DemoConfig {
  /** The address of the service, byte for byte. */
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly urls: DemoUrls;
}

/** Where the demo goes, absolute, and what it calls, counted from the origin. */
export interface DemoUrls {
  readonly demo: string;
  readonly authorize: string;
  readonly token: string;
  readonly jwks: string;
  readonly userinfo: string;
  readonly revoke: string;
}

/** Data for the first page. */
export interface DemoPageConfig extends DemoConfig {
  /** Whether the development wallet can prove, when the page was drawn. */
  readonly circuit: CircuitStatus;
  /** Path where the service answers with a `CircuitStatus`. */
  readonly circuitUrl: string;
}

/** Data for the callback page. */
export interface DemoCallbackConfig extends DemoConfig {
  /** Parameters that came as a form; absent where the response is in query or fragment. */
  readonly posted?: readonly (readonly [name: string, value: string])[];
}

/**
 * Data for the wallet page, JSON in `data-config` of `<main id="wallet">`. An address is absolute, or
 * a path that counts from the origin of the page: the service behind a port of its own choice knows no other.
 */
export interface WalletConfig {
  /** Path of the service: empty, or `/…` without a slash at the end. The calls of the wallet lie below it. */
  readonly basePath: string;
  /** What stands before `/api/v4/verify/{rp_id}`; a path alone, which may be empty, where this service verifies. */
  readonly verifyUrl: string;
  /** The service's own bridge; a request that lies on another one is shown with its host. */
  readonly bridgeUrl: string;
  /** Whether the page can prove, when it was drawn. */
  readonly circuit: CircuitStatus;
  /** Where the service answers with a `CircuitStatus`. */
  readonly circuitUrl: string;
  readonly urls: WalletUrls;
}

/** Addresses of the files that the prover loads. */
export interface WalletUrls {
  /** Classic script of the worker that proves. */
  readonly worker: string;
  /** The browser file of snarkjs, which the worker loads. */
  readonly snarkjs: string;
  /** Our WASM build, for Poseidon. */
  readonly cryptoWasm: string;
  /** Witness code of the development circuit, a WASM file. */
  readonly witnessCode: string;
  /** Proving key of the development circuit, a zkey. */
  readonly provingKey: string;
}

/** Tree that the development profile keeps itself, of the environment `staging`. */
export type DevelopmentTree = 'orb' | 'device';

/** Every tree, the one that says most about a person first. */
export const DEVELOPMENT_TREES: readonly DevelopmentTree[] = ['orb', 'device'];

/** Names of the trees on the page. */
export const TREE_NAMES: Readonly<Record<DevelopmentTree, string>> = { orb: 'Orb', device: 'Device' };
