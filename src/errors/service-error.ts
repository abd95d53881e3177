import { ERRORS, type ErrorCode } from './catalogue.ts';
import type { ErrorSpec } from './spec.ts';

/** One invalid part of the input: its path, and the fault as text after its name. */
export interface InputFault {
  readonly path: string;
  readonly text: string;
}

/** Details of a `ServiceError`. `path` is a JSON pointer or field name of the offending input. */
export interface ErrorDetails {
  readonly path?: string;
  /** All invalid parts of the input, if there can be several; `path` is the first. */
  readonly faults?: readonly InputFault[];
  readonly retryAfterSeconds?: number;
  /** False for a refusal that repeats an earlier one of the same cause and window: it is counted but not logged. */
  readonly isFirstRefusal?: boolean;
  /** The check of a refresh that failed (spec/refresh.md#order-of-checks) and its rule, for the log. */
  readonly check?: number;
  readonly rule?: string;
  /** Value of the `WWW-Authenticate` header of a sign-in answer. */
  readonly challenge?: string;
  /** Remedy for an operator, if that of the catalogue is too general. */
  readonly cure?: string;
  /** Id of the affected sign-in client, for the log and for CORS. */
  readonly clientId?: string;
}

/**
 * The error class of this service. `code` is a row of the catalogue; `message` states the expected value, the actual
 * one and the place, and never contains a token, key, proof or nullifier.
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

  /** Remedy for an operator. */
  get cure(): string {
    return this.details.cure ?? this.spec.cure;
  }
}

/** Whether `value` is a `ServiceError`, optionally with one of `codes`. */
export function isServiceError(value: unknown, ...codes: ErrorCode[]): value is ServiceError {
  return value instanceof ServiceError && (codes.length === 0 || codes.includes(value.code));
}
