import { type CircuitFiles, identityOf, type Member } from '../../development/index.ts';
import { type ProofCheck, proveAndCheck } from '../../development/prove.ts';
import { ServiceError } from '../../errors/index.ts';
import { seal, unseal } from '../../oidc/transaction/cipher.ts';
import { decodeWord, externalNullifier, toHex } from '../../semaphore/index.ts';
import { type Exchange, type Steps, unexpected } from './steps.ts';

/** What the wallet proves with. */
export interface WalletParts {
  readonly member: Member;
  readonly files: CircuitFiles;
  readonly check: ProofCheck;
  /** Says that a proof is being made, which takes some seconds. */
  readonly note: (line: string) => void;
}

/**
 * Answers the request of a connect link as a wallet does (signin.md section 8): takes it from the bridge, decrypts it,
 * proves, encrypts the answer, puts it on the bridge.
 *
 * @throws ServiceError `circuit.prover_failed`, `circuit.tools_missing`, `login_demo.unreachable`, `login_demo.failed`
 */
export async function answerRequest(steps: Steps, connectUrl: string, parts: WalletParts): Promise<void> {
  const { requestId, key, bridge } = readLink(connectUrl);
  const taken = await steps.send({ method: 'GET', url: `${bridge}/request/${requestId}` });
  const request = decrypted(key, taken);
  await steps.show(
    { actor: 'wallet', title: 'takes the request from the bridge and decrypts it', reads: request },
    taken,
  );
  const answer = await prove(request, parts);
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

function readLink(connectUrl: string): {
  readonly requestId: string;
  readonly key: Uint8Array;
  readonly bridge: string;
} {
  const { hash, search } = new URL(connectUrl);
  const members = new URLSearchParams(hash.length > 1 ? hash.slice(1) : search);
  const bridge = members.get('b');
  if (bridge === null) {
    throw new ServiceError('login_demo.failed', 'the link names no bridge: it is meant for a public wallet');
  }
  return {
    requestId: members.get('i') ?? '',
    key: Buffer.from(members.get('k') ?? '', 'base64'),
    bridge,
  };
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

async function prove(
  { app_id, action, signal }: Readonly<Record<string, unknown>>,
  { member, files, check, note }: WalletParts,
): Promise<Readonly<Record<string, string>>> {
  const signalHash = typeof signal === 'string' ? decodeWord(signal) : undefined;
  if (typeof app_id !== 'string' || typeof action !== 'string' || signalHash === undefined) {
    throw new ServiceError('login_demo.failed', 'the request has no app_id, action or signal');
  }
  note(`proving as person ${member.person.personId} of tree ${member.tree}, about 2 s …`);
  const statement = {
    identity: identityOf(member.person),
    inclusion: member.inclusion,
    signalHash,
    externalNullifier: externalNullifier(app_id, action),
  };
  const { proof, inputs } = await proveAndCheck(statement, files, check);
  return {
    proof: toHex(proof),
    merkle_root: toHex(inputs.subarray(0, 32)),
    nullifier_hash: toHex(inputs.subarray(32, 64)),
    verification_level: member.tree,
  };
}
