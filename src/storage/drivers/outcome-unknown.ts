import { ServiceError } from '../../errors/service-error.ts';

/**
 * Reports a transaction whose outcome is not known: the connection broke or a limit was reached while it was being
 * committed, or the server ended its wait for a standby. The transaction may also be committed later than this error.
 * Callers answer it like any unreachable store, or find out by reading the row that only this transaction writes.
 */
export class OutcomeUnknownError extends ServiceError {
  constructor(message: string) {
    super('store.unreachable', message);
  }
}
