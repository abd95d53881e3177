import { NoQuorum, type RpcFailureClass } from '../../chain/index.ts';
import { type ErrorCode, isServiceError, ServiceError } from '../../errors/index.ts';

/** Classes of failures of providers that have a code of their own. */
const CODE_OF: Readonly<Partial<Record<RpcFailureClass, ErrorCode>>> = {
  rate_limited: 'roots.rate_limited',
  refused: 'roots.refused',
  unreachable: 'roots.unreachable',
  bad_response: 'roots.bad_response',
  chain_mismatch: 'roots.chain_mismatch',
};

/** Returns the error of a round that failed. */
export function sourceError(cause: unknown): ServiceError {
  if (cause instanceof NoQuorum) {
    if (cause.reason !== 'quorum_missing') {
      return new ServiceError(`roots.${cause.reason}`, cause.message, {}, { cause });
    }
    const code = CODE_OF[cause.failure?.failureClass ?? 'range'] ?? 'roots.quorum_missing';
    return new ServiceError(code, cause.message, {}, { cause });
  }
  return isServiceError(cause) ? cause : new ServiceError('internal.unforeseen', undefined, {}, { cause });
}
