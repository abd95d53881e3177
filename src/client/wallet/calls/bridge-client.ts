import { isObject } from '../../../json.ts';
import { call, explain } from './call.ts';
import type { SealedMessage } from './cipher.ts';
import type { ConnectRequest } from './connect-request.ts';
import { WalletError } from './wallet-error.ts';

/**
 * Takes the request from the bridge, which hands it out once (spec/sign-in.md#bridge-calls).
 *
 * @throws WalletError `gone`, `answer`, `network`
 */
export async function takeRequest({ bridge, requestId }: ConnectRequest): Promise<SealedMessage> {
  const answer = await call('GET', `${bridge}/request/${encodeURIComponent(requestId)}`);
  const { status, body } = answer;
  if (status === 404) {
    const text = 'This sign-in request is no longer there: it expired, or a wallet has already opened it.';
    throw new WalletError('gone', `${text} Go back to the app and start again.`);
  }
  const { iv, payload } = isObject(body) ? body : {};
  if (status !== 200 || typeof iv !== 'string' || typeof payload !== 'string') {
    throw new WalletError('answer', `The bridge did not give the request ${explain(answer)}.`);
  }
  return { iv, payload };
}

/**
 * Puts the sealed answer on the bridge.
 *
 * @throws WalletError `over`, `answer`, `network`
 */
export async function putAnswer(
  { bridge, requestId }: ConnectRequest,
  { iv, payload }: SealedMessage,
): Promise<void> {
  const address = `${bridge}/response/${encodeURIComponent(requestId)}`;
  const answer = await call('PUT', address, { iv, payload });
  if (answer.status === 400 || answer.status === 409) {
    const text = 'The bridge takes no answer to this request any more: it expired or was already answered.';
    throw new WalletError('over', `${text} Go back to the app and start again.`);
  }
  if (answer.status !== 201) {
    throw new WalletError('answer', `The bridge did not take the answer ${explain(answer)}.`);
  }
}
