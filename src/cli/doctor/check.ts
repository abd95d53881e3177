import type { ErrorCode } from '../../errors/index.ts';

/** What a check found. */
export type CheckStatus = 'ok' | 'warn' | 'fail';

/** One line of `doctor`. */
export interface CheckResult {
  readonly name: string;
  readonly status: CheckStatus;
  /** What was found. */
  readonly detail: string;
  /** What to do; present unless all is well. */
  readonly cure?: string;
  /** The error of the catalogue that a check met. */
  readonly code?: ErrorCode;
}

/** All is well. */
export function ok(name: string, detail: string): CheckResult {
  return { name, status: 'ok', detail };
}

/** Works, but not as it should. */
export function warn(name: string, detail: string, cure: string): CheckResult {
  return { name, status: 'warn', detail, cure };
}

/** Does not work. */
export function fail(name: string, detail: string, cure: string): CheckResult {
  return { name, status: 'fail', detail, cure };
}
