/** Verdict of a core: valid, false, or not decided by the equation, with a code. */
export interface CoreVerdict {
  readonly ok: boolean;
  readonly code?: string | undefined;
}

/**
 * What differs between the engines of the library: worker threads in Node, one WASM instance elsewhere. Takes bytes
 * only; `EngineFacade` decodes the forms. Its errors have a `code`.
 */
export interface EngineCore {
  /** Statements that `verifyMany` keeps in flight: enough for full batches on every worker. */
  readonly window: number;
  /** Prepares a key; the same bytes under a known id are accepted. */
  addKey(keyId: string, key: Uint8Array, acceptsDegenerate: boolean): Promise<void>;
  /** Number of public inputs of a key, or undefined for an unknown id. */
  inputCount(keyId: string): number | undefined;
  /** Whether one more statement fits the queue. */
  hasRoom(): boolean;
  /**
   * Checks one statement; `engine.busy` if the queue is full.
   *
   * @param statement - Proof (256) ‖ inputs (32 each), not changed until the answer.
   * @param signal - A statement that still waits when it is aborted is not checked.
   */
  verify(keyId: string, statement: Uint8Array, signal: AbortSignal | undefined): Promise<CoreVerdict>;
  /** Finishes accepted work and frees everything. */
  close(): Promise<void>;
}
