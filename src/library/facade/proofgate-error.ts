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

/** Turns an error with a `code` of the engine into a `ProofgateError`; returns any other error as it is. */
export function publicError(error: unknown): unknown {
  if (error instanceof ProofgateError || !(error instanceof Error)) return error;
  const { code } = error as { readonly code?: unknown };
  const isOurs = error.name === 'ServiceError' || error.name === 'FormError';
  return isOurs && typeof code === 'string'
    ? new ProofgateError(code, error.message, { cause: error })
    : error;
}
