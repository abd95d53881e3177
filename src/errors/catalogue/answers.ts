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
