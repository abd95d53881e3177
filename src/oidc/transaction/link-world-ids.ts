import { toHex } from '../../semaphore/hex.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { FirstProof } from '../../storage/signin/transactions.ts';
import type { AuthorizationRequest } from '../types.ts';
import type { Plan } from '../worldid4/plan.ts';
import { planSignIn, policyOf } from './plan-sign-in.ts';
import type { OpenTransaction, SigninWorldId4, TransactionParts } from './types.ts';

/** Whether a client lets its people add the other version of World ID, and accepts both (spec/sign-in.md#both-versions). */
export function mayLink(
  client: AppRow,
  request: AuthorizationRequest,
  worldId4: SigninWorldId4 | undefined,
): boolean {
  if (!client.client.linkWorldIds || worldId4 === undefined) return false;
  const policy = policyOf(client, request, worldId4);
  return policy.code === undefined && policy.levels.length > 0 && policy.credentials.length > 0;
}

/** A request for the other version of World ID; for 3.0 there is no plan. */
export interface LinkRequest {
  readonly plan: Plan | undefined;
}

/**
 * Plans the request for the other version of World ID than the one that was proven, where the person asked for it.
 *
 * @returns Undefined if the sign-in ends with this proof.
 * @throws ServiceError `store.unreachable`
 */
export async function planLink(
  { row, request }: OpenTransaction,
  { accepted }: FirstProof,
  { clients, worldId4, now }: Pick<TransactionParts, 'clients' | 'worldId4' | 'now'>,
): Promise<LinkRequest | undefined> {
  if (row.accepted !== null || request.mayLink !== true || !row.agreed.includes('link')) return undefined;
  const client = await clients.find(row.clientId);
  if (client === undefined || !mayLink(client, request, worldId4)) return undefined;
  if (accepted.evidence !== undefined) return { plan: undefined };
  // The hints are about the person who is signed in.
  const { hintedSub: _, loginHint: __, ...other } = request;
  const recognition = { client, request: other, knownHash: row.knownHash, at: now() };
  const plan = await planSignIn(recognition, 0, worldId4);
  return plan && { plan: { ...plan, takes3: false } };
}

/** Whether a proof is of another person than the one whom the app expects; what is added may be of any. */
export function isUnexpected({ row, request }: OpenTransaction, sub: Uint8Array): boolean {
  return row.accepted === null && request.hintedSub !== undefined && request.hintedSub !== toHex(sub);
}
