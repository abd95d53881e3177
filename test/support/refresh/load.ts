/** Refreshes by many holders at once: first ones and repeats, with and without a package, and for contested subs. */

import type { RefreshAnswer, RefreshCall, RefreshClient } from './client.ts';
import { makePackage } from './custody-package.ts';
import { type TestHolder, testHolder } from './holder.ts';

/** What a record has of a package. */
export interface LoadPackage {
  readonly manifest: Uint8Array;
  readonly operatorId: string;
}

/** A complete request that can be sent any number of times. */
export interface LoadRequest {
  readonly holder: TestHolder;
  readonly package: LoadPackage | undefined;
  readonly call: RefreshCall;
}

/** A request that was sent; times in milliseconds since the epoch. */
export interface SentRefresh extends Pick<LoadRequest, 'holder' | 'package'> {
  readonly sentAt: number;
  /** Absent when the connection ended without a whole answer. */
  readonly end?: { readonly answer: RefreshAnswer; readonly at: number };
}

/** The orb of every package of a load. */
export const LOAD_ORB: { readonly orbId: string; readonly pem: string } = (() => {
  const { orbId, orbKey } = makePackage();
  return { orbId, pem: orbKey.pem };
})();

/** Signup id of the enrolment of a load's holder. */
export function loadSignupId(name: string): string {
  return `signup_${name}`;
}

/**
 * The requests of the holder of a name, whose enrolment has `loadSignupId(name)` and the orb of `LOAD_ORB`.
 *
 * @param kind - `plain`: without a package; `package`: both ways; `contested`: two subs, of which one gets bound.
 */
export async function loadRequests(
  client: RefreshClient,
  name: string,
  kind: 'plain' | 'package' | 'contested',
): Promise<LoadRequest[]> {
  const holder = testHolder(name);
  const call = await client.call(holder, { encryptedUserId: `user of ${name}` });
  const plain: LoadRequest = { holder, package: undefined, call };
  if (kind === 'plain') return [plain];
  if (kind === 'contested') {
    const rival = testHolder(name, `rival of ${name}`);
    return [plain, { holder: rival, package: undefined, call: await client.call(rival) }];
  }
  const { fields, manifest, operatorId } = makePackage({ seed: name });
  const withPackage = { ...call, fields: { ...call.fields, ...fields } };
  return [{ holder, package: { manifest, operatorId }, call: withPackage }, plain];
}

/** Sends a request; an ended connection is no error. */
export async function sendRefresh(
  client: Pick<RefreshClient, 'send'>,
  request: LoadRequest,
): Promise<SentRefresh> {
  const { holder, package: custody, call } = request;
  const sent = { holder, package: custody, sentAt: Date.now() };
  try {
    const answer = await client.send(call);
    return { ...sent, end: { answer, at: Date.now() } };
  } catch (error) {
    // `fetch` says why a connection was cut or refused
    if (!(error instanceof TypeError && error.cause)) throw error;
    return sent;
  }
}

/**
 * Sends the requests in turn, over and over, from several clients at once until a connection ends.
 *
 * @param onCredential - Called at each answer that has a credential.
 * @returns All that was sent.
 */
export async function refreshUntilGone(
  client: Pick<RefreshClient, 'send'>,
  requests: readonly LoadRequest[],
  clients: number,
  onCredential: () => void,
): Promise<SentRefresh[]> {
  const all: SentRefresh[] = [];
  let isGone = false;
  let turn = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (!isGone) {
        const request = requests[turn++ % requests.length];
        if (request === undefined) throw new Error('a load needs requests');
        const sent = await sendRefresh(client, request);
        all.push(sent);
        if (sent.end?.answer.credential !== undefined) onCredential();
        isGone ||= sent.end === undefined;
      }
    }),
  );
  return all;
}
