import type { ErrorCode } from '../../errors/catalogue.ts';

/** Outcome of a check. */
export type CheckStatus = 'ok' | 'warn' | 'fail';

/** One line of `doctor`. */
export interface CheckResult {
  readonly name: string;
  readonly status: CheckStatus;
  /** The finding. */
  readonly detail: string;
  /** Remedy; absent if the status is `ok`. */
  readonly cure?: string;
  /** Error of the catalogue that the check met. */
  readonly code?: ErrorCode;
}

/** Returns the result of a check that found no problem. */
export function ok(name: string, detail: string): CheckResult {
  return { name, status: 'ok', detail };
}

/** Returns the result of a check of something that works, but not as it should. */
export function warn(name: string, detail: string, cure: string): CheckResult {
  return { name, status: 'warn', detail, cure };
}

/** Returns the result of a check of something that does not work. */
export function fail(name: string, detail: string, cure: string): CheckResult {
  return { name, status: 'fail', detail, cure };
}
