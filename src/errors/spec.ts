/** How a whole request of the verification interface is refused (spec/verification.md#order-of-checks). */
export interface VerifyAnswer {
  readonly status: number;
  readonly code: string;
  /** Fixed text, or absent where the message of the thrown error is the detail. */
  readonly detail?: string;
  readonly attribute?: string;
}

/** How one item of a verification request is refused (spec/verification.md#item-codes). */
export interface VerifyItemAnswer {
  readonly code: string;
  readonly detail: string;
  readonly attribute?: string;
}

/** How sign-in and the wallet bridge refuse, in the union body (spec/sign-in.md#error-body). */
export interface SigninAnswer {
  readonly status: number;
  /** A registered OAuth or OIDC value. */
  readonly error: string;
  /** The member `code` (spec/sign-in.md#interface-codes and spec/sign-in.md#further-codes). */
  readonly code: string;
  /** Fixed text, or absent where the message of the thrown error is the text. */
  readonly text?: string;
}

/** How credential refresh refuses: `{"success":false,"error","message"}` (spec/refresh.md#responses). */
export interface RefreshAnswer {
  readonly status: number;
  /** The `error` of the body; absent where the body has none. */
  readonly error?: string;
  /** Fixed text, or absent where the message of the thrown error is the text. */
  readonly text?: string;
}

/** One cause of failure: feeds the response, the metrics label, the exit code and the docs page. */
export interface ErrorSpec {
  readonly title: string;
  readonly cause: string;
  readonly cure: string;
  /** Whether the same call can succeed later without being changed. */
  readonly retry: 'never' | 'later';
  readonly verify?: VerifyAnswer;
  readonly verifyItem?: VerifyItemAnswer;
  readonly signin?: SigninAnswer;
  readonly refresh?: RefreshAnswer;
  /** An operator asked for this answer: its log line is no error and has no stack, whatever the status. */
  readonly isIntended?: true;
  /** Process exit code of a command that ends with this error; 1 where absent. */
  readonly exit?: 1 | 2 | 69 | 75 | 78;
}
