import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import type { Store } from '../../storage/index.ts';

/**
 * Refuses requests as soon as it is known that the store cannot be used.
 *
 * @param code - The row of the refusal, which decides its body.
 */
export function storeGuard(store: Pick<Store, 'health'>, code: ErrorCode = 'store.unreachable'): () => void {
  return () => {
    const { isReachable, isWritable, reason } = store.health();
    if (!isReachable || !isWritable) throw new ServiceError(code, reason);
  };
}
