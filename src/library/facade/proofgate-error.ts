/**
 * The error of the library: wrong use, an engine that cannot take work, or a failure of the engine. A proof that does
 * not hold is no error but a verdict.
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
 * Runs a step that reads values of the caller. What their getters, traps or buffers throw becomes an error with a code;
 * refusals of the step stay as they are.
 */
export function reading<T>(code: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof ProofgateError || isOurs(error)) throw error;
    throw new ProofgateError(code, 'a value cannot be read', { cause: error });
  }
}

/** Turns an error with a `code` of the engine into a `ProofgateError`; returns any other error as it is. */
export function publicError(error: unknown): unknown {
  return isOurs(error) ? new ProofgateError(error.code, error.message, { cause: error }) : error;
}

/** Whether an error has a code of the engine. */
function isOurs(error: unknown): error is Error & { readonly code: string } {
  if (!(error instanceof Error) || (error.name !== 'ServiceError' && error.name !== 'FormError'))
    return false;
  return typeof (error as { readonly code?: unknown }).code === 'string';
}
