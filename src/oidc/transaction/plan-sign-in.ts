import { createHash } from 'node:crypto';
import { type SigninPolicy, signinPolicy } from '../../apps/signin-policy.ts';
import { decodeWord } from '../../semaphore/words.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { FoundPerson } from '../../storage/signin/people.ts';
import type { Bytes32 } from '../../storage/values.ts';
import type { AuthorizationRequest } from '../types.ts';
import { hintedSubOf, isAcceptable, type KnownPerson, type Plan, planFor } from '../worldid4/plan.ts';
import type { SigninWorldId4 } from './types.ts';

/** Facts by which a person may be recognised. */
export interface Recognition {
  readonly client: AppRow;
  readonly request: AuthorizationRequest;
  /** SHA-256 of the cookie of the browser; null without one. */
  readonly knownHash: Bytes32 | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Begins a `login_hint` that is a permission to begin anew. */
export const BEGINNING = 'beginning_';

/** Returns what sign-in to an app accepts for a request. */
export function policyOf(
  client: Pick<AppRow, 'appId' | 'policy'>,
  { requiresOrb }: Pick<AuthorizationRequest, 'requiresOrb'>,
  worldId4: Pick<SigninWorldId4, 'issuers'> | undefined,
): SigninPolicy {
  return signinPolicy(client, worldId4?.issuers, requiresOrb);
}

/** Returns the SHA-256 by which a pointer or a permission to begin anew is stored. */
export function pointerHashOf(text: string): Bytes32 {
  return Uint8Array.from(createHash('sha256').update(text).digest());
}

/**
 * Plans what to ask the wallet first, or, with people passed over, for somebody else.
 *
 * @param skipped - Number of known people to pass over; beyond them a stranger is asked.
 * @returns Undefined to ask for World ID 3.0 alone.
 * @throws ServiceError `store.unreachable`
 */
export async function planSignIn(
  recognition: Recognition,
  skipped: number,
  worldId4: SigninWorldId4 | undefined,
): Promise<Plan | undefined> {
  if (worldId4 === undefined) return undefined;
  const { client, request, at } = recognition;
  const policy = policyOf(client, request, worldId4);
  // The end of the sign-in refuses it.
  if (policy.code !== undefined) return undefined;
  const { loginHint } = request;
  const { sessionForm: form, people: store } = worldId4;
  const number = loginHint?.startsWith(BEGINNING)
    ? await store.findBeginning(client.appId, pointerHashOf(loginHint), at)
    : undefined;
  const people = number === undefined ? await findPeople(recognition, store) : [];
  return planFor({ client, policy, people, skipped, beginning: number ?? 1, form });
}

/** Finds the people whom the pointers of a request and a browser name, the likeliest first. */
async function findPeople(
  { client, request, knownHash, at }: Recognition,
  store: SigninWorldId4['people'],
): Promise<readonly KnownPerson[]> {
  const hinted = hintedSubOf(request);
  const sub = hinted === undefined ? undefined : decodeWord(hinted);
  const person = sub && (await store.findBySub(client.appId, sub, at));
  const isExpected = request.hintedSub !== undefined;
  const ofBrowser =
    knownHash === null || isExpected ? [] : await store.findByPointer(knownHash, client.appId, 'cookie', at);
  const others = ofBrowser.filter((other) => person === undefined || !isSame(other, person));
  const known: KnownPerson[] = others.map((other) => ({ ...other, by: 'browser' }));
  if (person !== undefined) known.unshift({ ...person, by: 'hint' });
  return known.filter((one) => isAcceptable(one, client));
}

function isSame(one: FoundPerson, other: FoundPerson): boolean {
  return Buffer.compare(one.sub, other.sub) === 0;
}
