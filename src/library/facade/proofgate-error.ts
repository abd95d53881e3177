import { KEY_ERRORS } from '../../errors/catalogue/keys.ts';

const CURES: Readonly<Record<string, { readonly cure: string }>> = KEY_ERRORS;

/**
 * The error of the library: wrong use, an engine that cannot take work, or a failure of the engine. An invalid proof is
 * a verdict, not an error.
 */
export class ProofgateError extends Error {
  override readonly name = 'ProofgateError';
  /** Stable, `area.cause`, for example `engine.busy` (src/docs/library.md, Errors). */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Runs a step that reads values of the caller. Errors thrown by getters, proxies or buffers become an error with
 * `code`; refusals of the step are unchanged.
 */
export function reading<T>(code: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof ProofgateError || isEngineError(error)) throw error;
    throw new ProofgateError(code, 'a value cannot be read', { cause: error });
  }
}

/**
 * Converts an error with a `code` of the engine to a `ProofgateError`, that of a key with its cure; returns any other error
 * unchanged.
 */
export function publicError(error: unknown): unknown {
  if (!isEngineError(error)) return error;
  const { code, message } = error;
  const cure = code.startsWith('key.') ? CURES[code]?.cure : undefined;
  return new ProofgateError(code, cure === undefined ? message : `${message}. ${cure}`, { cause: error });
}

/** Whether an error has a code of the engine. */
function isEngineError(error: unknown): error is Error & { readonly code: string } {
  if (!(error instanceof Error) || (error.name !== 'ServiceError' && error.name !== 'FormError'))
    return false;
  return typeof (error as { readonly code?: unknown }).code === 'string';
}
