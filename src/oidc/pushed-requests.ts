/**
 * Pushed authorization requests (spec/sign-in.md#pushed-requests, RFC 9126): a client sends its request itself; the
 * service checks and stores it, and finds it by its reference when the browser arrives.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { AddressKeysOf } from '../apps/address-keys.ts';
import type { Clients } from '../apps/clients.ts';
import type { Config } from '../config/settings/types.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { AnswerStore } from '../storage/signin/answers.ts';
import type { PushedRequestStore } from '../storage/signin/pushed-requests.ts';
import type { Bytes32 } from '../storage/values.ts';
import { identifyClient } from './authorize/identify-client.ts';
import { AUTHORIZE_PARAMETERS, type ReadRequestParts, readRequest } from './authorize/read-request.ts';
import { type CheckedProof, type Dpop, proofUsed } from './dpop/check-proof.ts';
import { invalidProof } from './dpop/read-proof.ts';
import type { ClientAuthentication, ClientCall } from './endpoints/authenticate-client.ts';
import { type Parameters, parseParameters, refuseRepeated, required } from './parameters.ts';
import { type PendingConfig, pendingBounds, tooManyPending } from './transaction/pending-bounds.ts';

/** Prefix of references, which distinguishes them from any other `request_uri` (RFC 9126 section 2.2). */
const REFERENCE_PREFIX = 'urn:ietf:params:oauth:request_uri:';
const REFERENCE_BYTES = 32;

/** Creates a reference: the prefix and 43 characters of base64url. */
function newReference(): string {
  return REFERENCE_PREFIX + randomBytes(REFERENCE_BYTES).toString('base64url');
}

/** Whether a `request_uri` has the form of a reference. */
function isReference(requestUri: string): boolean {
  return requestUri.startsWith(REFERENCE_PREFIX);
}

/** Returns the SHA-256 of a reference or a cookie; only the hash is stored. */
function hashOf(secret: string): Bytes32 {
  return new Uint8Array(createHash('sha256').update(secret).digest());
}

/** Dependencies of `createPush`. */
export interface PushParts extends ReadRequestParts {
  readonly authentication: ClientAuthentication;
  readonly clients: Pick<Clients, 'find'>;
  readonly pushedRequests: Pick<PushedRequestStore, 'add'>;
  readonly addressKeys: AddressKeysOf;
  readonly dpop: Dpop;
  readonly config: Pick<Config, 'baseUrl'> & {
    readonly signin: PendingConfig & Pick<Config['signin'], 'pushedRequestSeconds'>;
  };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Reference of a request that a client has pushed, with members named as they are sent. */
export interface PushedRequest {
  readonly request_uri: string;
  /** Seconds. */
  readonly expires_in: number;
}

const DPOP_JKT = 'dpop_jkt';

/** Parameters that must not be sent twice. */
const KNOWN = [...AUTHORIZE_PARAMETERS, 'client_secret'];

/**
 * Creates the endpoint to which clients push authorization requests (spec/sign-in.md#pushed-requests), which begins
 * with the check for repeated parameters. The request is checked as at /authorize and is durable when the call
 * resolves. A proof of possession binds its code to the key (RFC 9449 section 10.1).
 *
 * @returns A function that throws ServiceError `signin.repeated_parameter`, those of client authentication,
 *   `authorize.request_uri_pushed`, those of an authorization request, `dpop.invalid_proof`, `dpop.use_nonce`,
 *   `transaction.too_many` and its variants for a client or a network, `store.unreachable`
 */
export function createPush(parts: PushParts): (call: ClientCall) => Promise<PushedRequest> {
  return async (call) => {
    refuseRepeated(call.parameters, KNOWN);
    const client = await parts.authentication.authenticate(call, 'any_client');
    call.facts.client = client.appId;
    if (call.proof !== undefined) call.facts.nonce = parts.dpop.nonce;
    return await push(client, call, parts);
  };
}

async function push({ appId: clientId }: AppRow, call: ClientCall, parts: PushParts): Promise<PushedRequest> {
  const { parameters, address } = call;
  const { clients, pushedRequests, addressKeys, config, now } = parts;
  if (parameters.get('request_uri') !== undefined) {
    throw new ServiceError('authorize.request_uri_pushed', undefined, { path: 'request_uri' });
  }
  // `client_id` is required; if it was sent, authentication has compared it with the credentials.
  await readRequest(parameters, await identifyClient(parameters, clients), 'pushed', parts);
  const proof = await checkedProof(call, parts);
  const { signin } = config;
  const reference = newReference();
  const at = now();
  const row = {
    referenceHash: hashOf(reference),
    clientId,
    parameters: formOf(parameters, proof?.jkt),
    expiresAt: at + signin.pushedRequestSeconds * 1000,
  };
  const bounds = pendingBounds(signin, addressKeys(address).networkKey);
  const outcome = await pushedRequests.add(row, bounds, at, proof?.use);
  if (outcome === 'proof_used') throw proofUsed();
  if (outcome !== 'stored') throw tooManyPending(outcome, clientId);
  return { request_uri: reference, expires_in: signin.pushedRequestSeconds };
}

/** Returns the proof of possession of a request, with its use not yet recorded; undefined without one. */
async function checkedProof(
  { parameters, proof }: ClientCall,
  { dpop, config }: PushParts,
): Promise<CheckedProof | undefined> {
  if (proof === undefined) return undefined;
  const checked = await dpop.check({ method: 'POST', address: `${config.baseUrl}/par`, proof });
  if ((parameters.get(DPOP_JKT) ?? checked.jkt) !== checked.jkt) {
    throw invalidProof(`its key is not that of ${DPOP_JKT}.`);
  }
  return checked;
}

/** Encodes the parameters of an authorization request, without credentials and unknown ones, as a form. */
function formOf(parameters: Parameters, boundKey: string | undefined): string {
  const textOf = (name: string): string | undefined =>
    name === DPOP_JKT && boundKey !== undefined ? boundKey : parameters.get(name);
  return AUTHORIZE_PARAMETERS.flatMap((name) => {
    const value = textOf(name);
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  }).join('&');
}

/** A pushed request that a browser uses. */
export interface PushedReference {
  /** SHA-256 of the reference. */
  readonly referenceHash: Bytes32;
  /** Number of codes that a session got for it; 0 if none has answered it. */
  readonly answers: number;
}

/** The parameters of an authorization request, sent or pushed. */
export interface FoundRequest {
  readonly parameters: Parameters;
  /** The pushed request; undefined if the browser sent the parameters. */
  readonly pushed: PushedReference | undefined;
  readonly begun?: undefined;
}

/** The sign-in that a browser has begun with the reference that it sends again. */
export interface BegunByReference {
  readonly begun: { readonly txn: string; readonly clientId: string };
}

/** Cookies of the browser that sends a reference. */
export interface ReferenceCookies {
  /** Values of the cookies of its sign-ins. */
  readonly transactions: readonly string[];
  /** Returns the cookie of its session with a client. */
  session(clientId: string): string | undefined;
}

/**
 * Finds the parameters of an authorization request (spec/sign-in.md#use-of-a-pushed-request): the pushed ones if the
 * browser sends a reference, in which case its other parameters except `client_id` are ignored; or the sign-in that the
 * browser has begun with it.
 *
 * @throws ServiceError `signin.repeated_parameter`, `signin.parameter_required`, `authorize.request_uri_invalid`,
 *   `authorize.request_uri_used`, `authorize.request_uri_expired`, `store.unreachable`
 */
export type PushedRequestFinder = (
  sent: Parameters,
  cookies: ReferenceCookies,
) => Promise<FoundRequest | BegunByReference>;

/** Dependencies of `createPushedRequestFinder`. */
export interface PushedRequestFinderParts {
  readonly pushedRequests: Pick<PushedRequestStore, 'find' | 'isUsed'>;
  readonly answers: Pick<AnswerStore, 'begunWith'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Creates the finder over the store. */
export function createPushedRequestFinder(parts: PushedRequestFinderParts): PushedRequestFinder {
  return async (sent, cookies) => {
    const requestUri = sent.get('request_uri');
    if (requestUri === undefined || !isReference(requestUri) || sent.isRepeated('request_uri')) {
      return { parameters: sent, pushed: undefined };
    }
    refuseRepeated(sent, ['client_id']);
    const clientId = required(sent, 'client_id');
    return await findPushed(hashOf(requestUri), clientId, cookies, parts);
  };
}

async function findPushed(
  referenceHash: Bytes32,
  clientId: string,
  { transactions, session }: ReferenceCookies,
  { pushedRequests, answers, now }: PushedRequestFinderParts,
): Promise<FoundRequest | BegunByReference> {
  const at = now();
  const txn =
    transactions.length === 0
      ? undefined
      : await answers.begunWith(referenceHash, clientId, transactions.map(hashOf), at);
  if (txn !== undefined) return { begun: { txn, clientId } };
  const row = await pushedRequests.find(referenceHash);
  if (row?.clientId !== clientId) {
    const isUsed = await pushedRequests.isUsed(referenceHash, clientId, at);
    throw isUsed ? usedPush(clientId) : refused('authorize.request_uri_invalid');
  }
  if (row.sessionHash !== null && !isOf(row.sessionHash, session(clientId))) throw usedPush(clientId);
  if (row.expiresAt <= at) throw refused('authorize.request_uri_expired', clientId);
  return { parameters: parseParameters(row.parameters), pushed: { referenceHash, answers: row.answers } };
}

function isOf(sessionHash: Bytes32, cookie: string | undefined): boolean {
  return cookie !== undefined && Buffer.compare(hashOf(cookie), sessionHash) === 0;
}

/** Returns the refusal of a pushed request that was answered before, in another browser or to the end. */
export function usedPush(clientId: string): ServiceError {
  return refused('authorize.request_uri_used', clientId);
}

function refused(code: ErrorCode, clientId?: string): ServiceError {
  return new ServiceError(code, undefined, {
    path: 'request_uri',
    ...(clientId === undefined ? {} : { clientId }),
  });
}

/** Settings that say how long the use of a pushed request is remembered. */
export type PushUseConfig = Pick<Config['signin'], 'transactionTtlSeconds' | 'pushedRequestSeconds'>;

/** Returns when every sign-in is over that began with a pushed request until now, in milliseconds since the epoch. */
export function useEndsAt(signin: PushUseConfig, now: number): number {
  return now + (signin.transactionTtlSeconds + signin.pushedRequestSeconds) * 1000;
}
