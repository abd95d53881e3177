import { seal } from '../../oidc/transaction/wallet-messages.ts';
import {
  openRequest,
  proveRequest,
  readConnectLink,
  type WalletParts,
} from '../commands/dev/wallet-answer.ts';
import { type Steps, unexpected } from './steps.ts';

/**
 * Answers the request of a connect link as a wallet does (spec/sign-in.md#wallet-bridge): takes it from the
 * bridge, decrypts it, makes the proof, encrypts the answer, and puts it on the bridge.
 *
 * @throws ServiceError `circuit.prover_failed`, `circuit.tools_missing`, `login_demo.unreachable`,
 *   `login_demo.failed`
 */
export async function answerRequest(steps: Steps, connectUrl: string, parts: WalletParts): Promise<void> {
  const { requestId, key, bridge } = readConnectLink(connectUrl);
  const taken = await steps.send({ method: 'GET', url: `${bridge}/request/${requestId}` });
  if (taken.status !== 200) throw unexpected(taken, 'the encrypted request');
  const { plaintext, request } = openRequest(key, taken.body, 'login_demo.failed');
  await steps.show(
    { actor: 'wallet', title: 'takes the request from the bridge and decrypts it', reads: plaintext },
    taken,
  );
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
