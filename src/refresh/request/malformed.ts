import { ServiceError } from '../../errors/index.ts';

/** The refusal of a body that two readers could take differently; `reason` says where and what, without a value. */
export function malformed(reason: string, options?: ErrorOptions): ServiceError {
  return new ServiceError('refresh.malformed_body', reason, {}, options);
}
