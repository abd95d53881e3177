/**
 * Concurrent refreshes of many holders: first and repeated ones, with and without a package, and with
 * contested subs.
 */

import type { RefreshAnswer, RefreshCall, RefreshClient } from './client.ts';
import { makePackage } from './custody-package.ts';
import { type TestHolder, testHolder } from './holder.ts';

/** Parts of a package that a record contains. */
export interface LoadPackage {
  readonly manifest: Uint8Array;
  readonly operatorId: string;
}

/** A complete request that can be sent repeatedly. */
export interface LoadRequest {
  readonly holder: TestHolder;
  readonly package: LoadPackage | undefined;
  readonly call: RefreshCall;
}

/** A request that was sent; times in milliseconds since the epoch. */
export interface SentRefresh extends Pick<LoadRequest, 'holder' | 'package'> {
  readonly sentAt: number;
  /** Absent when the connection ended without a complete answer. */
  readonly end?: { readonly answer: RefreshAnswer; readonly at: number };
}

/** Orb of all packages of a load. */
export const LOAD_ORB: { readonly orbId: string; readonly pem: string } = (() => {
  const { orbId, orbKey } = makePackage();
  return { orbId, pem: orbKey.pem };
})();

/** Signup id of the enrolment of a holder. */
export function loadSignupId(name: string): string {
  return `signup_${name}`;
}

/**
 * Makes the requests of a holder whose enrolment has `loadSignupId(name)` and the orb of `LOAD_ORB`.
 *
 * @param kind - `plain`: without a package; `package`: with and without; `contested`: two subs, one of which
 * is bound.
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

/** Sends a request. A connection that ends early is not an error. */
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
    // `fetch` sets a cause when a connection was cut or refused
    if (!(error instanceof TypeError && error.cause)) throw error;
    return sent;
  }
}

/**
 * Sends the requests in turn, repeatedly, from several concurrent clients until a connection ends.
 *
 * @param onCredential - Called for each answer with a credential.
 * @returns All sent requests.
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
        if (request === undefined) throw new Error('expected at least one request, got none');
        const sent = await sendRefresh(client, request);
        all.push(sent);
        if (sent.end?.answer.credential !== undefined) onCredential();
        isGone ||= sent.end === undefined;
      }
    }),
  );
  return all;
}
