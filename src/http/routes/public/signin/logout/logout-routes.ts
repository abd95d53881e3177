import type { Clients } from '../../../../../apps/clients.ts';
import type { Config } from '../../../../../config/settings/types.ts';
import { basePathOf } from '../../../../../config/values/public-address.ts';
import { ServiceError } from '../../../../../errors/service-error.ts';
import type { ReadIdTokenHint } from '../../../../../oidc/id-token-hints.ts';
import { readUiLocales } from '../../../../../oidc/languages.ts';
import {
  checkLogout,
  LOGOUT_PARAMETERS,
  type LogoutRequest,
  type SignOut,
} from '../../../../../oidc/logout/sign-out.ts';
import { type Parameters, parseParameters } from '../../../../../oidc/parameters.ts';
import type { HttpRequest, HttpResponse, RateGuard, Route } from '../../../../exchange/exchange-types.ts';
import { requireForm } from '../../../../headers/request-headers.ts';
import { pageLanguage } from '../../../../pages/page-language.ts';
import type { Site } from '../../../../pages/site.ts';
import { type PageTexts, pageTexts } from '../../../../pages/texts/page-texts.ts';
import { locationOf, SIGNIN_HEADERS } from '../authorize/authorization-answer.ts';
import { renderSigninPageError } from '../authorize/error-page.ts';
import { readSessionCookies, removeSessionCookie } from '../cookies.ts';
import { MAX_PARAMETER_BYTES } from '../endpoint-rules.ts';
import { requireOwnOrigin } from '../transaction/transaction-refusal.ts';
import { confirmationPage, donePage, noSessionPage, REQUEST_FIELD } from './logout-pages.ts';

/** Parts of the service that sign-out needs. */
export interface LogoutRouteParts {
  readonly config: Pick<Config, 'baseUrl'>;
  readonly clients: Pick<Clients, 'find'>;
  readonly readHint: ReadIdTokenHint;
  readonly signOut: SignOut;
  readonly site: Site;
  /** Guard of `rateLimits.page`, shared by all routes; undefined if the setting is 0. */
  readonly pageGuard: RateGuard | undefined;
  /** Throws to refuse while the store is down. */
  readonly admit?: NonNullable<Route['admit']>;
}

/** A character of the request takes up to five in the form: `%` and two digits, percent-encoded again. */
export const CONFIRM_LIMIT_BYTES: number = 5 * MAX_PARAMETER_BYTES + 1024;

/** Builds `GET` and `POST {base_path}/logout` and the form of its page (spec/sign-in.md#sign-out). */
export function logoutRoutes(parts: LogoutRouteParts): Route[] {
  const { config, site, pageGuard, admit } = parts;
  const path = `${basePathOf(config.baseUrl)}/logout`;
  const shared = {
    headers: SIGNIN_HEADERS,
    refusesOptions: true,
    renderError: renderSigninPageError(site),
    ...(pageGuard === undefined ? {} : { rateGuard: pageGuard }),
    ...(admit === undefined ? {} : { admit }),
  };
  const form = {
    ...shared,
    method: 'POST',
    checkHead: ({ headers }: Pick<HttpRequest, 'headers'>): void => requireForm(headers),
  } as const;
  return [
    {
      ...shared,
      method: 'GET',
      path,
      bodyLimitBytes: 0,
      handler: (request) => {
        if (Buffer.byteLength(request.query) > MAX_PARAMETER_BYTES) {
          throw new ServiceError('authorize.query_too_large');
        }
        return checked(parseParameters(request.query), request, parts, beginLogout);
      },
    },
    {
      ...form,
      path,
      bodyLimitBytes: MAX_PARAMETER_BYTES,
      handler: (request) => checked(parseParameters(request.body), request, parts, beginLogout),
    },
    {
      ...form,
      path: `${path}/confirm`,
      bodyLimitBytes: CONFIRM_LIMIT_BYTES,
      handler: (request) => {
        requireOwnOrigin(request.headers, config.baseUrl, 'logout.foreign_origin');
        const carried = parseParameters(request.body).get(REQUEST_FIELD) ?? '';
        return checked(parseParameters(carried), request, parts, confirm);
      },
    },
  ];
}

/** A checked request with its sender. */
interface CheckedLogout {
  readonly request: LogoutRequest;
  readonly parameters: Parameters;
  /** Cookies of the sessions of the browser, by client. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly texts: PageTexts;
}

type LogoutHandler = (input: CheckedLogout, parts: LogoutRouteParts) => Promise<HttpResponse>;

async function checked(
  parameters: Parameters,
  { headers, context }: HttpRequest,
  parts: LogoutRouteParts,
  handle: LogoutHandler,
): Promise<HttpResponse> {
  const language = readUiLocales(parameters.get('ui_locales'));
  context.language = language;
  const request = await checkLogout(parameters, parts);
  const texts = pageTexts(pageLanguage(language, headers.get('accept-language')));
  const cookies = readSessionCookies(headers.get('cookie'));
  const answer = await handle({ request, parameters, cookies, texts }, parts);
  return request.client === undefined ? answer : { ...answer, clientId: request.client.appId };
}

/** Ends the session of a hint at once; without a hint, asks for confirmation if there is a session to end. */
async function beginLogout(input: CheckedLogout, parts: LogoutRouteParts): Promise<HttpResponse> {
  const { request, parameters, cookies, texts } = input;
  const { client, hint } = request;
  const { signOut, site } = parts;
  if (client !== undefined && hint !== undefined) {
    const isOver = await signOut.endHinted(client, hint, cookies);
    return finishLogout(request, isOver ? [client.appId] : [], donePage(request, { site, texts }));
  }
  const sessions = await signOut.find(cookies, client);
  if (sessions.length === 0) return finishLogout(request, [], noSessionPage(request, { site, texts }));
  return confirmationPage(sessions, request, encoded(parameters), { site, texts });
}

/** Ends the sessions listed on the page. */
async function confirm(input: CheckedLogout, { signOut, site }: LogoutRouteParts): Promise<HttpResponse> {
  const { request, cookies, texts } = input;
  const sessions = await signOut.find(cookies, request.client);
  await signOut.end(sessions);
  const ended = sessions.map(({ client }) => client.appId);
  return finishLogout(request, ended, donePage(request, { site, texts }));
}

/** Redirects the browser to the app, or shows a page if the request has no redirect URI. */
function finishLogout(
  { redirectUri, state }: LogoutRequest,
  ended: readonly string[],
  page: HttpResponse,
): HttpResponse {
  const cookies = ended.map(removeSessionCookie);
  if (redirectUri === undefined) return { ...page, cookies };
  const Location =
    state === undefined
      ? redirectUri
      : locationOf({ mode: 'query', redirectUri, parameters: [['state', state]] });
  return { status: 303, headers: { ...SIGNIN_HEADERS, Location }, cookies };
}

function encoded(parameters: Parameters): string {
  return LOGOUT_PARAMETERS.flatMap((name) => {
    const value = parameters.get(name);
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  }).join('&');
}
