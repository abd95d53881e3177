/** What a sign-in is doing, as its status says it (spec/sign-in.md#status). */
export type SignInState =
  | 'waiting'
  | 'connected'
  | 'verifying'
  | 'completed'
  | 'failed'
  | 'refused'
  | 'expired';

/** What the server tells the script of the sign-in page, as JSON in `data-config` of `<main id="sign-in">`. */
export interface SignInConfig {
  /** Where the status is read; counted from the origin. */
  readonly statusUrl: string;
  /** Where the browser goes on once the sign-in is decided. */
  readonly continueUrl: string;
  readonly state: SignInState;
  /** Whole seconds until the wallet's time is over. */
  readonly expiresInSeconds: number;
  /** Sentences by state, and by `<state>.<code>` where a code has one of its own. */
  readonly sentences: Readonly<Record<string, string>>;
  /** Said while the service does not answer. */
  readonly unreachable: string;
  /** Said while the service asks the page to wait. */
  readonly busy: string;
}

/** What the server tells the script of a page that asks to wait, as JSON in `data-config` of `<main id="wait">`. */
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
