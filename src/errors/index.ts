/**
 * Errors of the service: the one table of codes (`catalogue.ts`, one file per area in `catalogue/`) and the one error
 * class. A caller acts on the wire code, a person reads the message, an operator reads the cause. Rules:
 * spec/operations.md#error-bodies and spec/operations.md#exit-codes.
 */
export { ERRORS, type ErrorCode } from './catalogue.ts';
export { type Explanation, explainCode, factsOf } from './explain.ts';
export { type ErrorDetails, type InputFault, isServiceError, ServiceError } from './service-error.ts';
export type { ErrorSpec, RefreshAnswer, SigninAnswer, VerifyAnswer, VerifyItemAnswer } from './spec.ts';
