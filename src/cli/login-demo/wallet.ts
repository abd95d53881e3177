import { ServiceError } from '../../errors/index.ts';
import { seal, unseal } from '../../oidc/transaction/bridge/cipher.ts';
import {
  proveRequest,
  readConnectLink,
  readWalletRequest,
  type WalletParts,
} from '../commands/dev/wallet-answer.ts';
import { type Exchange, type Steps, unexpected } from './steps.ts';

/**
 * Answers the request of a connect link as a wallet does (spec/sign-in.md#wallet-bridge): takes it from the
 * bridge, decrypts it, proves, encrypts the answer, puts it on the bridge.
 *
 * @throws ServiceError `circuit.prover_failed`, `circuit.tools_missing`, `login_demo.unreachable`, `login_demo.failed`
 */
export async function answerRequest(steps: Steps, connectUrl: string, parts: WalletParts): Promise<void> {
  const { requestId, key, bridge } = readConnectLink(connectUrl);
  const taken = await steps.send({ method: 'GET', url: `${bridge}/request/${requestId}` });
  const plaintext = decrypted(key, taken);
  await steps.show(
    { actor: 'wallet', title: 'takes the request from the bridge and decrypts it', reads: plaintext },
    taken,
  );
  const request = readWalletRequest(plaintext);
  if (request === undefined) {
    throw new ServiceError('login_demo.failed', 'the request has no app_id, action or signal');
  }
  const answer = await proveRequest(request, parts);
  const put = await steps.send({
    method: 'PUT',
    url: `${bridge}/response/${requestId}`,
    json: seal(key, answer),
  });
  await steps.show(
    { actor: 'wallet', title: 'proves, encrypts the answer and puts it on the bridge', reads: answer },
    put,
  );
  if (put.status !== 201) throw unexpected(put, 'status 201');
}

function decrypted(key: Uint8Array, exchange: Exchange): Readonly<Record<string, unknown>> {
  const { iv, payload } = exchange.body;
  if (exchange.status !== 200 || typeof iv !== 'string' || typeof payload !== 'string') {
    throw unexpected(exchange, 'the encrypted request');
  }
  const request = unseal(key, { iv, payload });
  if (request === undefined) throw new ServiceError('login_demo.failed', 'the request does not decrypt');
  return request;
}
