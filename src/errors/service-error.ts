import { ERRORS, type ErrorCode } from './catalogue.ts';
import type { ErrorSpec } from './spec.ts';

/** One wrong part of the input: where it is, and what is wrong in words that follow its name. */
export interface InputFault {
  readonly path: string;
  readonly text: string;
}

/** Details of a `ServiceError`. `path` is a JSON pointer or field name of the offending input. */
export interface ErrorDetails {
  readonly path?: string;
  /** Every wrong part of the input, if there can be several; `path` is the first. */
  readonly faults?: readonly InputFault[];
  readonly retryAfterSeconds?: number;
  /** False for a refusal that repeats an earlier one of the same cause and window: it is counted but not logged. */
  readonly isFirstRefusal?: boolean;
  /** The check of a refresh that failed (spec/refresh.md#order-of-checks) and its rule, for the log. */
  readonly check?: number;
  readonly rule?: string;
  /** Value of the `WWW-Authenticate` header of a sign-in answer. */
  readonly challenge?: string;
  /** What an operator does about it, if that of the catalogue is too general. */
  readonly cure?: string;
  /** Id of the sign-in client that the error concerns, for the log and for CORS. */
  readonly clientId?: string;
}

/**
 * The one error of this service. `code` is a row of the catalogue; `message` says what was expected, what
 * arrived and where, and never holds a token, key, proof or nullifier.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message?: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message ?? ERRORS[code].title, options);
    this.code = code;
    this.details = details;
  }

  /** The catalogue row of this error. */
  get spec(): ErrorSpec {
    return ERRORS[this.code];
  }

  /** What an operator does about it. */
  get cure(): string {
    return this.details.cure ?? this.spec.cure;
  }
}

/** Whether `value` is a `ServiceError`, optionally with one of `codes`. */
export function isServiceError(value: unknown, ...codes: ErrorCode[]): value is ServiceError {
  return value instanceof ServiceError && (codes.length === 0 || codes.includes(value.code));
}
