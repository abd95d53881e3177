/** What a sign-in is doing, as its status says it (signin.md 5.4). */
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
}
