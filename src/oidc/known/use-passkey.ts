import { ServiceError } from '../../errors/service-error.ts';
import { toHex } from '../../semaphore/hex.ts';
import { retryAs } from '../transaction/next-attempt.ts';
import { pointerHashOf } from '../transaction/plan-sign-in.ts';
import type { OpenTransaction, TransactionParts } from '../transaction/types.ts';
import type { SentAssertion, SentPasskey } from './passkeys.ts';

/**
 * Finds the person whom a passkey names, and begins an attempt that asks the wallet for the session of that person
 * (spec/sign-in.md#passkeys). The passkey signs nobody in. No refusal says which check failed, or uses up an attempt.
 *
 * @throws ServiceError `transaction.passkey_refused`, `store.unreachable`
 */
export async function usePasskey(
  transaction: OpenTransaction,
  sent: SentAssertion,
  parts: TransactionParts,
): Promise<void> {
  const { row, request } = transaction;
  const { clientId, state } = row;
  const { worldId4 } = parts;
  if (worldId4?.passkeys === undefined || (state !== 'waiting' && state !== 'failed')) throw refusal();
  const { people, passkeys } = worldId4;
  const at = parts.now();
  const hash = pointerHashOf(sent.userHandle);
  const pointer = await people.findPasskey(hash, at);
  if (pointer === undefined) throw refusal();
  const { credentialId, publicKey, signCount, sub } = pointer;
  if (credentialId !== sent.id || publicKey === null) throw refusal();
  const stored = { credentialId, publicKey, signCount: signCount ?? 0 };
  const counter = await passkeys.checkUse(sent, row, stored);
  const isExpected = request.hintedSub === undefined || request.hintedSub === toHex(sub);
  if (counter === undefined || pointer.clientId !== clientId || !isExpected) throw refusal();
  const [found] = await people.findByPointer(hash, clientId, 'passkey', at);
  // Its own session may have been replaced by others of the person.
  const person = found ?? (await people.findBySub(clientId, sub, at));
  if (person === undefined) throw refusal();
  await people.usePasskey(hash, counter, at);
  if (!(await retryAs(transaction, person, parts))) throw refusal();
}

/**
 * Stores a passkey for the person of a completed sign-in with World ID 4.0.
 *
 * @throws ServiceError `transaction.passkey_refused`, `store.unreachable`
 */
export async function savePasskey(
  { row, isAnswered }: OpenTransaction,
  sent: SentPasskey,
  { worldId4, now }: TransactionParts,
): Promise<void> {
  const { clientId, accepted, txn } = row;
  if (isAnswered || worldId4?.passkeys === undefined || accepted?.evidence === undefined) throw refusal();
  const { people, passkeys, rememberMs } = worldId4;
  const { sub } = accepted;
  const at = now();
  const made = await passkeys.checkNew(sent, txn);
  const person = await people.findBySub(clientId, sub, at);
  if (made === undefined || person === undefined) throw refusal();
  const isStored = await people.addPointer({
    ...made,
    pointerHash: pointerHashOf(sent.userHandle),
    clientId,
    sub,
    sessionId: person.sessionId,
    kind: 'passkey',
    createdAt: at,
    usedAt: at,
    expiresAt: at + rememberMs,
  });
  if (!isStored) throw refusal();
}

function refusal(): ServiceError {
  return new ServiceError('transaction.passkey_refused');
}
