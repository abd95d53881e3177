/** Classes of failures of a JSON-RPC provider, by what the caller can do about them: spec/roots.md#provider-failures. */
export type RpcFailureClass =
  | 'rate_limited'
  | 'range'
  | 'refused'
  | 'not_there'
  | 'unreachable'
  | 'bad_response'
  | 'chain_mismatch'
  | 'invalid_params'
  | 'reverted';

/** Details of a failure. */
export interface RpcFailureDetails {
  /** Pause that the provider asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Number of blocks that the provider names as what it accepts. */
  readonly acceptedBlocks?: number;
  /** Whether the logs of a single block were refused as too large a range. */
  readonly isSingleBlock?: boolean;
  /** Data of a revert, as 0x hex. */
  readonly revertData?: string;
}

/** A call that a provider did not answer as asked. The message never contains the URL. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly failureClass: RpcFailureClass;
  readonly details: RpcFailureDetails;

  constructor(
    failureClass: RpcFailureClass,
    message: string,
    details: RpcFailureDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.failureClass = failureClass;
    this.details = details;
  }
}
