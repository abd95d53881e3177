import { ServiceError } from '../../errors/index.ts';
import type { AppRow, ResponseType } from '../../storage/index.ts';
import { hasWord, type Parameters } from '../parameters.ts';

/**
 * Reads the nonce (spec/sign-in.md#checks-answered-to-the-app, nonce). It is required if the response
 * contains an ID token, or if the client uses the nonce as the signal.
 *
 * @throws ServiceError `signin.parameter_required`
 */
export function readNonce(
  parameters: Parameters,
  type: ResponseType,
  { client }: AppRow,
): string | undefined {
  const nonce = parameters.get('nonce');
  if (nonce === undefined && (hasWord(type, 'id_token') || client.signalIsNonce)) {
    throw new ServiceError('signin.parameter_required', undefined, { path: 'nonce' });
  }
  return nonce;
}
