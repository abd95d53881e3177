import { ServiceError } from '../../errors/index.ts';
import type { AppRow, ResponseType } from '../../storage/index.ts';
import { hasWord, type Parameters } from '../parameters.ts';

/**
 * Reads the nonce (spec/sign-in.md#checks-answered-to-the-app, nonce), which an ID token in the response
 * needs, and which is the signal of some clients.
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
