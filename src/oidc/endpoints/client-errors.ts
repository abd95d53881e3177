import { isServiceError, ServiceError } from '../../errors/index.ts';

/**
 * Does the work of a client that is known, so that its refusals name the client, for the log and for CORS.
 *
 * @throws what the work throws, a ServiceError with `clientId` among its details
 */
export async function onBehalfOf<T>(clientId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(error.code, error.message, { ...error.details, clientId }, { cause: error });
  }
}
