/** Answer that refuses a whole request of the verification interface (spec/verification.md#order-of-checks). */
export interface VerifyAnswer {
  readonly status: number;
  readonly code: string;
  /** Fixed text; if absent, the message of the thrown error is the detail. */
  readonly detail?: string;
  readonly attribute?: string;
}

/** Answer that refuses one item of a verification request (spec/verification.md#item-codes). */
export interface VerifyItemAnswer {
  readonly code: string;
  readonly detail: string;
  readonly attribute?: string;
}

/** Answer that refuses one item of a World ID 4.0 request (spec/worldid4.md#items). */
export interface VerifyItem4Answer {
  readonly code: string;
  /** Fixed text; if absent, the item has its own. */
  readonly detail?: string;
}

/** Refusal by sign-in or the wallet bridge, in the union body (spec/sign-in.md#error-body). */
export interface SigninAnswer {
  readonly status: number;
  /** A registered OAuth or OIDC value. */
  readonly error: string;
  /** The member `code` (spec/sign-in.md#interface-codes and spec/sign-in.md#further-codes). */
  readonly code: string;
  /** Fixed text; if absent, the message of the thrown error is the text. */
  readonly text?: string;
}

/** Refusal by credential refresh: `{"success":false,"error","message"}` (spec/refresh.md#responses). */
export interface RefreshAnswer {
  readonly status: number;
  /** The `error` of the body; absent if the body has none. */
  readonly error?: string;
  /** Fixed text; if absent, the message of the thrown error is the text. */
  readonly text?: string;
}

/** One cause of failure: the source of the response, the metrics label, the exit code and the docs page. */
export interface ErrorSpec {
  readonly title: string;
  readonly cause: string;
  readonly cure: string;
  /** Whether the same call can succeed later unchanged. */
  readonly retry: 'never' | 'later';
  readonly verify?: VerifyAnswer;
  readonly verifyItem?: VerifyItemAnswer;
  /** Replaces `verifyItem` in World ID 4.0 requests. */
  readonly verifyItem4?: VerifyItem4Answer;
  readonly signin?: SigninAnswer;
  readonly refresh?: RefreshAnswer;
  /** Status of the admin listener; 500 if absent. */
  readonly admin?: number;
  /** Whether an operator intended this answer: it is then not logged as an error, for any status. */
  readonly isIntended?: true;
  /** Process exit code of a command that ends with this error; 1 if absent. */
  readonly exit?: 1 | 2 | 69 | 75 | 78;
}

/**
 * Wire answers that several causes share. The rows write `X as typeof X`, because `isolatedDeclarations` infers no type
 * from a bare name.
 */
export const LONG_INVALID_PROOF =
  'The provided proof is invalid and it cannot be verified. Please check all inputs and try again.';
export const PROVER_ERROR = {
  code: 'prover_error',
  detail: 'The prover encountered an error while verifying the proof. Please try again.',
} as const;
/** Every refusal of the bytes of a World ID 4.0 proof. */
export const INVALID_PROOF_4 = { code: 'invalid_proof', detail: 'The proof is invalid.' } as const;
export const NOT_A_UINT256 = 'This attribute is improperly formatted. Expected an ABI-encoded uint256.';
export const INTERNAL_ITEM = {
  code: 'internal_error',
  detail: 'There was an internal issue verifying this proof.',
} as const;
export const UNAVAILABLE = {
  status: 503,
  code: 'service_unavailable',
  detail: 'The service is temporarily unavailable. Please try again.',
} as const;
export const QUEUE_FULL = {
  status: 503,
  code: 'engine_busy',
  detail: 'The verification queue is full. Please try again later.',
} as const;
export const SIGNIN_SERVER_ERROR = {
  status: 500,
  error: 'server_error',
  code: 'server_error',
  text: 'Internal server error.',
} as const;
export const SIGNIN_UNAVAILABLE = {
  status: 503,
  error: 'temporarily_unavailable',
  code: 'server_error',
  text: 'The service is temporarily unavailable. Please try again.',
} as const;
export const REFRESH_INTERNAL = {
  status: 500,
  error: 'INTERNAL_ERROR',
  text: 'Internal server error',
} as const;
export const REFRESH_UNAVAILABLE = {
  status: 503,
  error: 'TEMPORARILY_UNAVAILABLE',
  text: 'The service is temporarily unavailable, please try again',
} as const;
