/**
 * Sign-in without a page, for native wallets that answer an `/authorize` link themselves
 * (spec/sign-in.md#mobile-sign-in): the request is checked as in `authorize`, the proof as in `transaction`.
 */

import type { Clients } from '../apps/clients.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';
import type { AppRow } from '../storage/apps/apps.ts';
import type { GrantStore } from '../storage/signin/grants.ts';
import type { PeopleStore } from '../storage/signin/people.ts';
import type { Bytes32 } from '../storage/values.ts';
import { identifyClient } from './authorize/identify-client.ts';
import { AUTHORIZE_PARAMETERS, readRequest } from './authorize/read-request.ts';
import { withoutOfflineAccess } from './authorize/request-parameters.ts';
import type { AuthorizationResponse, Responder } from './authorize/responder.ts';
import type { AnswerFacts } from './endpoints/authenticate-client.ts';
import type { ReadIdTokenHint } from './id-token-hints.ts';
import type { Parameters } from './parameters.ts';
import { checkSigninProof, type ProofCheckParts } from './transaction/check-signin-proof.ts';
import { spentProof } from './transaction/judge-answer.ts';
import type { AuthorizationRequest } from './types.ts';

/** Request of a wallet: the authorization request that it intercepted, and its answer. */
export interface WalletRequest {
  readonly parameters: Parameters;
  /** All members, including those of the proof. */
  readonly answer: JsonObject;
}

// JSON can contain an unpaired surrogate; a URL cannot.
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads the request body (spec/sign-in.md#mobile-sign-in): a JSON object with the parameters of /authorize as
 * strings; `max_age` may be a number. An empty string counts as absent. If a name occurs twice, the last
 * member counts, as in `JSON.parse`.
 *
 * @throws ServiceError `authorize.body_not_an_object`
 */
function readWalletRequest(body: Uint8Array): WalletRequest {
  const answer = parseObject(body);
  const values = new Map(AUTHORIZE_PARAMETERS.map((name) => [name, textOf(answer, name)]));
  return { parameters: { get: (name) => values.get(name) || undefined, isRepeated: () => false }, answer };
}

function parseObject(body: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    // Without the cause: the parser's message quotes the body, which holds a proof.
    throw new ServiceError('authorize.body_not_an_object', 'body: expected JSON in UTF-8.');
  }
  if (isObject(value)) return value;
  throw new ServiceError('authorize.body_not_an_object', 'body: expected a JSON object.');
}

function textOf(members: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  if (value === undefined || (typeof value === 'string' && !LONE_SURROGATE.test(value))) return value;
  if (name === 'max_age' && typeof value === 'number') return String(value);
  throw new ServiceError('authorize.body_not_an_object', `${name}: expected a text.`, { path: name });
}

/** Dependencies of `createWalletSignIn`. */
export interface WalletSignInParts extends ProofCheckParts {
  readonly clients: Pick<Clients, 'find'>;
  readonly readHint: ReadIdTokenHint;
  /** Undefined while sign-in takes World ID 3.0 alone. */
  readonly worldId4: { readonly people: Pick<PeopleStore, 'resolve'> } | undefined;
  readonly responder: Pick<Responder, 'success'>;
  readonly grants: Pick<GrantStore, 'issue'>;
  readonly metrics: Pick<Metrics, 'signinTransactionsTotal' | 'tokenIssuedTotal'>;
  /** Notified of the client of each completed sign-in. */
  readonly onSignedIn?: (clientId: string) => void;
}

/**
 * Signs a person in through a wallet. The wallet opens the response, whose mode is `query` or `fragment`.
 *
 * @param address - Client address, as used for rate limits.
 * @param facts - Receives the client as soon as it is known.
 */
export type WalletSignIn = (
  body: Uint8Array,
  address: string,
  facts: Pick<AnswerFacts, 'client'>,
) => Promise<AuthorizationResponse>;

type NonceRequest = AuthorizationRequest & { readonly nonce: string };

/**
 * Creates the sign-in for wallets that intercept the `/authorize` link and answer it themselves
 * (spec/sign-in.md#mobile-sign-in). The proof is over the nonce, and a person cannot sign in twice with the
 * same nonce.
 *
 * @returns A function that throws ServiceError `authorize.body_not_an_object`, those of an authorization request, `authorize.form_post_to_wallet`,
 *   `authorize.signal_is_not_nonce`, `transaction.*` of a proof, `http.unavailable` while the engine is busy,
 *   `store.unreachable`
 */
export function createWalletSignIn(parts: WalletSignInParts): WalletSignIn {
  return async (body, address, facts) => {
    const { parameters, answer } = readWalletRequest(body);
    const identified = await identifyClient(parameters, parts.clients);
    const { client } = identified;
    facts.client = client.appId;
    // Pushed requests are not accepted: the wallet proves over the nonce, which it could not know.
    const checked = await readRequest(parameters, identified, 'direct', { ...parts, issuers: undefined });
    const { request, freshness } = checked;
    // A wallet has no session and always interacts.
    if (freshness.isSilent) {
      throw new ServiceError('authorize.login_required', undefined, { path: 'prompt' });
    }
    return await signIn(client, checkForWallet(request, client), address, answer, parts);
  };
}

function checkForWallet(request: AuthorizationRequest, { client }: AppRow): NonceRequest {
  if (request.responseMode === 'form_post') {
    throw new ServiceError('authorize.form_post_to_wallet', undefined, { path: 'response_mode' });
  }
  const { nonce } = request;
  if (!client.signalIsNonce || nonce === undefined) {
    throw new ServiceError('authorize.signal_is_not_nonce', undefined, { path: 'client_id' });
  }
  // There is no page on which the person could agree to offline_access.
  return withoutOfflineAccess({ ...request, nonce });
}

async function signIn(
  app: AppRow,
  request: NonceRequest,
  address: string,
  answer: WalletRequest['answer'],
  parts: WalletSignInParts,
): Promise<AuthorizationResponse> {
  const { clientId, nonce: signal, requiresOrb, hintedSub } = request;
  const { grants, responder, metrics, worldId4, now } = parts;
  const resolve = worldId4 && ((nullifier: Bytes32) => worldId4.people.resolve(clientId, nullifier));
  const count = (result: string): void => metrics.signinTransactionsTotal.inc({ result });
  count('begun');
  const claim = { app, signal, requiresOrb, hintedSub, resolve, address, answer };
  const outcome = await checkSigninProof(claim, parts);
  if (outcome.kind === 'busy') throw new ServiceError('http.unavailable', 'the engine takes no work now');
  if (outcome.kind !== 'accepted') {
    count(outcome.kind);
    throw new ServiceError(outcome.code);
  }
  const { sub, level, signalHash } = outcome;
  const at = now();
  const { response, code, hasAccessToken } = await responder.success(request, { sub, level, authTime: at });
  // One store transaction marks the proof as spent and stores the code; both are durable before the response
  // is sent.
  if (!(await grants.issue(code, spentProof(clientId, sub, signalHash, at), at))) {
    count('failed');
    throw new ServiceError('transaction.proof_spent');
  }
  count('completed');
  parts.onSignedIn?.(clientId);
  if (hasAccessToken) metrics.tokenIssuedTotal.inc({ grant: 'implicit' });
  return response;
}
