import type { TransactionRow } from '../../storage/signin/transactions.ts';
import type { AcceptedProof } from '../../storage/values.ts';
import { pointerHashOf } from '../transaction/plan-sign-in.ts';
import type { TransactionParts } from '../transaction/types.ts';

/**
 * Makes sure that the browser is recognised after a sign-in with World ID 4.0. Its cookie may be another one than that with
 * which the sign-in began: two sign-ins can begin at once, and another tab can have forgotten everybody.
 *
 * @param cookie - Cookie of the browser at the end of the sign-in, or a new one.
 * @returns The cookie that it keeps; undefined if it is not to be recognised.
 * @throws ServiceError `store.unreachable`
 */
export async function keepRecognised(
  {
    clientId,
    knownHash,
    accepted,
  }: Pick<TransactionRow, 'clientId' | 'knownHash'> & { readonly accepted: AcceptedProof },
  cookie: string,
  { worldId4, now }: Pick<TransactionParts, 'worldId4' | 'now'>,
): Promise<string | undefined> {
  if (worldId4 === undefined || accepted.evidence === undefined || knownHash === null) return undefined;
  const pointerHash = pointerHashOf(cookie);
  if (Buffer.compare(pointerHash, knownHash) === 0) return cookie;
  const { people, rememberMs } = worldId4;
  const at = now();
  const person = await people.findBySub(clientId, accepted.sub, at);
  if (person === undefined) return undefined;
  const { sub, sessionId } = person;
  const noPasskey = { credentialId: null, publicKey: null, signCount: null };
  const times = { createdAt: at, usedAt: at, expiresAt: at + rememberMs };
  const pointer = { pointerHash, clientId, sub, sessionId, kind: 'cookie', ...noPasskey, ...times } as const;
  return (await people.addPointer(pointer, knownHash)) ? cookie : undefined;
}
