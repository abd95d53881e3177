import type { Clients } from '../../../../../apps/clients.ts';
import type { Config } from '../../../../../config/settings/types.ts';
import { basePathOf } from '../../../../../config/values/public-address.ts';
import type { ErrorCode } from '../../../../../errors/catalogue.ts';
import { isServiceError, ServiceError } from '../../../../../errors/service-error.ts';
import { checkAuthorization, oauthError } from '../../../../../oidc/authorize/check-authorization.ts';
import type { ReadRequest, ReadRequestParts } from '../../../../../oidc/authorize/read-request.ts';
import { type AuthorizationResponse, refusalResponse } from '../../../../../oidc/authorize/responder.ts';
import { readUiLocales } from '../../../../../oidc/languages.ts';
import { parseParameters } from '../../../../../oidc/parameters.ts';
import type { FoundRequest, PushedRequestFinder } from '../../../../../oidc/pushed-requests.ts';
import type { AnswerFromSession } from '../../../../../oidc/session-answers.ts';
import { TOO_MANY } from '../../../../../oidc/transaction/pending-bounds.ts';
import type { Transactions } from '../../../../../oidc/transaction/types.ts';
import type { AuthorizationRequest } from '../../../../../oidc/types.ts';
import type { AppRow } from '../../../../../storage/apps/apps.ts';
import { signinRefusal } from '../../../../errors/signin.ts';
import type {
  ErrorContext,
  ErrorRenderer,
  HttpRequest,
  HttpResponse,
  RateGuard,
  Route,
} from '../../../../exchange/exchange-types.ts';
import { prefersJson, requireForm } from '../../../../headers/request-headers.ts';
import { pageLanguage } from '../../../../pages/page-language.ts';
import { type PageTexts, pageTexts } from '../../../../pages/texts/page-texts.ts';
import type { PrefixFallback } from '../../../../server.ts';
import {
  readKnownCookie,
  readSessionCookie,
  readTransactionCookies,
  removeOldKnownCookies,
  removeOldTransactionCookies,
  setKnownCookie,
  setTransactionCookie,
} from '../cookies.ts';
import { MAX_PARAMETER_BYTES } from '../endpoint-rules.ts';
import { answerOf, SIGNIN_HEADERS } from './authorization-answer.ts';

/** Parts of the service that the routes need. */
export interface AuthorizeParts extends ReadRequestParts {
  readonly config: Pick<Config, 'baseUrl'> & {
    readonly signin: Pick<Config['signin'], 'transactionTtlSeconds'> & {
      readonly worldid4: Pick<Config['signin']['worldid4'], 'rpId' | 'rememberSeconds'>;
    };
  };
  readonly clients: Pick<Clients, 'find'>;
  readonly findRequest: PushedRequestFinder;
  readonly answerFromSession: AnswerFromSession;
  readonly transactions: Pick<Transactions, 'begin'>;
  /** Error renderer of the sign-in pages: `renderSigninPageError`. */
  readonly renderError: ErrorRenderer;
  /** Guard of `rateLimits.authorize`, shared by both methods; undefined if the setting is 0. */
  readonly rateGuard: RateGuard | undefined;
  /** Throws to refuse while the store is down. */
  readonly admit?: NonNullable<Route['admit']>;
}

/** Refusals of a checked request, which go to the relying party. */
const APP_REFUSALS: readonly ErrorCode[] = [
  ...TOO_MANY,
  'authorize.login_required',
  'authorize.interaction_required',
];

/** Builds `GET` and `POST {base_path}/authorize` (spec/sign-in.md#authorization-request). */
export function authorizeRoutes(parts: AuthorizeParts): Route[] {
  const { config, renderError, rateGuard, admit } = parts;
  const shared = {
    path: `${basePathOf(config.baseUrl)}/authorize`,
    headers: SIGNIN_HEADERS,
    refusesOptions: true,
    renderError,
    ...(rateGuard === undefined ? {} : { rateGuard }),
    ...(admit === undefined ? {} : { admit }),
  };
  return [
    {
      ...shared,
      method: 'GET',
      bodyLimitBytes: 0,
      handler: (request) => {
        const { query } = request;
        if (Buffer.byteLength(query) > MAX_PARAMETER_BYTES) {
          throw new ServiceError('authorize.query_too_large');
        }
        return authorize(query, request, parts);
      },
    },
    {
      ...shared,
      method: 'POST',
      bodyLimitBytes: MAX_PARAMETER_BYTES,
      checkHead: ({ headers }) => requireForm(headers),
      handler: (request) => authorize(request.body, request, parts),
    },
  ];
}

/** Returns the fallback for unknown paths below `/authorize`, with the error answers of `/authorize`. */
export function authorizeFallback({
  config,
  renderError,
}: Pick<AuthorizeParts, 'config' | 'renderError'>): PrefixFallback {
  return { prefix: `${basePathOf(config.baseUrl)}/authorize/`, headers: SIGNIN_HEADERS, renderError };
}

async function authorize(
  source: string | Uint8Array,
  sender: HttpRequest,
  parts: AuthorizeParts,
): Promise<HttpResponse> {
  const header = sender.headers.get('cookie');
  const sent = parseParameters(source);
  // A form of another site comes without the cookie of the sign-in that the browser may have begun with the reference.
  const isForm = sender.method === 'POST' && sender.headers.get('sec-fetch-site') === 'cross-site';
  const repeated = isForm && sent.get('request_uri') !== undefined ? asQuery(sender, parts) : undefined;
  if (repeated !== undefined) return repeated;
  const found = await parts.findRequest(sent, {
    transactions: readTransactionCookies(header),
    session: (clientId) => readSessionCookie(header, clientId),
  });
  if (found.begun !== undefined) {
    const { txn, clientId } = found.begun;
    return toPage(txn, clientId, parts);
  }
  const language = readUiLocales(found.parameters.get('ui_locales'));
  const texts = pageTexts(pageLanguage(language, sender.headers.get('accept-language')));
  sender.context.language = language;
  return await check(found, texts, sender, parts);
}

async function check(
  found: FoundRequest,
  texts: PageTexts,
  sender: HttpRequest,
  parts: AuthorizeParts,
): Promise<HttpResponse> {
  const issuer = parts.config.baseUrl;
  const { parameters, pushed } = found;
  const origin = pushed === undefined ? 'direct' : 'pushed';
  const outcome = await checkAuthorization(parameters, origin, { ...parts, issuer });
  if (outcome.kind === 'accepted') return await serve(outcome, pushed, texts, sender, parts);
  return refusalOf(outcome.client, outcome.response, outcome.error, texts, sender);
}

/**
 * Answers a checked request from the session of the browser, or begins a sign-in within the limits
 * (spec/sign-in.md#checks-answered-to-the-app, session and room).
 */
async function serve(
  { client, request, freshness }: ReadRequest & { readonly client: AppRow },
  pushed: FoundRequest['pushed'],
  texts: PageTexts,
  sender: HttpRequest,
  parts: AuthorizeParts,
): Promise<HttpResponse> {
  try {
    const cookie = readSessionCookie(sender.headers.get('cookie'), client.appId);
    const response = await parts.answerFromSession(client, { request, freshness }, cookie, pushed);
    if (response !== undefined) return { ...answerOf(response, texts), clientId: client.appId };
    return await begin(client, request, pushed, sender, parts);
  } catch (error) {
    const oauth = isServiceError(error, ...APP_REFUSALS) ? oauthError(error) : undefined;
    if (!isServiceError(error) || oauth === undefined) throw error;
    const refused = refusalResponse(request, oauth.error, oauth.description, parts.config.baseUrl);
    return refusalOf(client, refused, error, texts, sender);
  }
}

/** Sites of the sender of a request that has the cookies of the browser, by `Sec-Fetch-Site`. */
const SEEN_SITES: readonly (string | undefined)[] = ['same-origin', 'same-site', 'none'];
/** Longest query to which a request is redirected: reverse proxies limit the head of an answer, some to 4 kB. */
const MAX_REPEATED = 3000;

/** Begins a sign-in and redirects to its page. */
async function begin(
  client: AppRow,
  request: AuthorizationRequest,
  pushed: FoundRequest['pushed'],
  sender: HttpRequest,
  { config, transactions }: AuthorizeParts,
): Promise<HttpResponse> {
  const { signin } = config;
  const header = sender.headers.get('cookie');
  const { appId } = client;
  const recognised = readKnownCookie(header, appId);
  const isPost = sender.method === 'POST' && signin.worldid4.rpId !== undefined;
  // A form of another site comes without the cookie, and a new one would replace it.
  const isUnseen =
    isPost && recognised === undefined && !SEEN_SITES.includes(sender.headers.get('sec-fetch-site'));
  const repeated = isUnseen ? asQuery(sender, { config }) : undefined;
  if (repeated !== undefined) return { ...repeated, clientId: appId };
  const begun = await transactions.begin(
    client,
    request,
    sender.addressKey,
    recognised,
    pushed?.referenceHash,
  );
  const { txn, cookie, known } = begun;
  return {
    ...toPage(txn, appId, { config }),
    cookies: [
      ...removeOldTransactionCookies(header),
      setTransactionCookie(txn, cookie, signin.transactionTtlSeconds),
      ...(known === undefined || isUnseen
        ? []
        : [...removeOldKnownCookies(header), setKnownCookie(appId, known, signin.worldid4.rememberSeconds)]),
    ],
  };
}

/** Redirects a form to the same request by GET, with which a browser sends its cookies; undefined if it is too long for that. */
function asQuery(
  { body }: HttpRequest,
  { config }: Pick<AuthorizeParts, 'config'>,
): HttpResponse | undefined {
  const query = new URLSearchParams(Buffer.from(body).toString()).toString();
  if (query.length > MAX_REPEATED) return undefined;
  return { status: 303, headers: { ...SIGNIN_HEADERS, Location: `${config.baseUrl}/authorize?${query}` } };
}

/** Redirects to the page of a sign-in. */
function toPage(txn: string, clientId: string, { config }: Pick<AuthorizeParts, 'config'>): HttpResponse {
  const headers = { ...SIGNIN_HEADERS, Location: `${config.baseUrl}/authorize/${txn}` };
  return { status: 303, headers, clientId };
}

/**
 * Returns the answer that delivers a refusal to the relying party. For a caller that prefers JSON, it includes the
 * usual error body with `code` and `attribute`, which the redirect cannot carry.
 */
function refusalOf(
  client: AppRow,
  response: AuthorizationResponse,
  error: ServiceError,
  texts: PageTexts,
  context: ErrorContext,
): HttpResponse {
  const answer = { ...answerOf(response, texts), clientId: client.appId, logCode: error.code };
  if (response.mode === 'form_post' || !prefersJson(context.headers?.get('accept'))) return answer;
  const { body } = signinRefusal(error, context);
  const headers = { ...answer.headers, 'Content-Type': 'application/json', Vary: 'Accept' };
  return { ...answer, headers, body: JSON.stringify(body) };
}
