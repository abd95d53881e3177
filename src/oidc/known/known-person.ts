import { createHash } from 'node:crypto';
import type { PointerRow } from '../../storage/signin/people.ts';
import type { OpenTransaction, TransactionParts } from '../transaction/types.ts';
import type { KnownPersonView } from './types.ts';

/** A member of the forms of the page that stands for everything. */
export const ALL_KNOWN = 'all';

/**
 * Lists everything by which the person of a completed sign-in with World ID 4.0 is recognised; undefined for any other
 * sign-in.
 *
 * @throws ServiceError `store.unreachable`
 */
export async function viewKnownPerson(
  { row }: OpenTransaction,
  { worldId4, clients, now }: TransactionParts,
): Promise<KnownPersonView | undefined> {
  const { txn, clientId, accepted, knownHash } = row;
  if (worldId4 === undefined || accepted?.evidence === undefined) return undefined;
  const at = now();
  const { sessions, pointers } = await worldId4.people.of(clientId, accepted.sub, at);
  const { passkeys } = worldId4;
  const itemOf = (id: Uint8Array, { createdAt, usedAt }: Pick<PointerRow, 'createdAt' | 'usedAt'>) => ({
    id: nameIn(txn, id),
    createdAt,
    usedAt,
  });
  const pointersOf = (kind: PointerRow['kind']): PointerRow[] => pointers.filter((one) => one.kind === kind);
  return {
    txn,
    at,
    clientId,
    clientName: (await clients.find(clientId))?.name ?? clientId,
    sessions: sessions.map((one) => ({ ...itemOf(one.sessionId, one), binding: one.binding })),
    browsers: pointersOf('cookie').map((one) => ({
      ...itemOf(one.pointerHash, one),
      isThis: isSame(one.pointerHash, knownHash),
    })),
    passkeys: pointersOf('passkey').map((one) => itemOf(one.pointerHash, one)),
    newPasskey:
      passkeys === undefined || sessions.length === 0
        ? undefined
        : { rpId: passkeys.rpId, ...passkeys.offerNew(txn) },
  };
}

/**
 * Forgets one of the things that `viewKnownPerson` lists, or all of them.
 *
 * @param id - Its name, or `ALL_KNOWN`; any other text names nothing.
 * @returns Whether the browser is to drop its cookie, which finds nobody any more.
 * @throws ServiceError `store.unreachable`
 */
export async function forgetKnown(
  { row }: OpenTransaction,
  id: string,
  parts: TransactionParts,
): Promise<boolean> {
  const { txn, clientId, accepted, knownHash } = row;
  const { worldId4, now } = parts;
  if (worldId4 === undefined || accepted?.evidence === undefined) return false;
  const { people } = worldId4;
  const { sub } = accepted;
  const { sessions, pointers } = await people.of(clientId, sub, now());
  const session = sessions.find(({ sessionId }) => nameIn(txn, sessionId) === id);
  const pointer = pointers.find(({ pointerHash }) => nameIn(txn, pointerHash) === id);
  if (session !== undefined) await people.forget(clientId, sub, { sessionId: session.sessionId });
  else if (pointer !== undefined) await people.forget(clientId, sub, { pointerHash: pointer.pointerHash });
  else if (id === ALL_KNOWN) await people.forget(clientId, sub);
  else return false;
  if (knownHash === null) return false;
  const left = await people.of(clientId, sub, now());
  if (left.pointers.some(({ pointerHash }) => isSame(pointerHash, knownHash))) return false;
  await parts.store.transactions.forgetBrowser(txn);
  // The cookie may find other people of this browser, who would be locked out without it.
  return (await people.findByPointer(knownHash, clientId, 'cookie', now())).length === 0;
}

function nameIn(txn: string, id: Uint8Array): string {
  return createHash('sha256').update(`${txn}\0`).update(id).digest('base64url');
}

function isSame(hash: Uint8Array, other: Uint8Array | null): boolean {
  return other !== null && Buffer.compare(hash, other) === 0;
}
