import type { Clients } from '../../../../../apps/clients.ts';
import { basePathOf } from '../../../../../config/values/public-address.ts';
import { ServiceError } from '../../../../../errors/service-error.ts';
import { parseParameters } from '../../../../../oidc/parameters.ts';
import { type SignInView, WAYS } from '../../../../../oidc/transaction/types.ts';
import { statusBody } from '../../../../../oidc/transaction/view.ts';
import type { AppStore } from '../../../../../storage/apps/apps.ts';
import { CHOICES } from '../../../../../storage/signin/transactions.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { HttpRequest, RateGuard, Route } from '../../../../exchange/exchange-types.ts';
import { requireForm } from '../../../../headers/request-headers.ts';
import { GUARDED_SCRIPTS, pageHeaders } from '../../../../pages/render-page.ts';
import { languageHeaders } from '../../../../pages/site.ts';
import { answerOf, SIGNIN_HEADERS } from '../authorize/authorization-answer.ts';
import {
  readKnownCookie,
  readSessionCookie,
  removeSessionCookie,
  setKnownCookie,
  setSessionCookie,
} from '../cookies.ts';
import { knownRoutes } from './known-routes.ts';
import { createQrCodes, type QrCodes } from './qr-code.ts';
import {
  actOn,
  open,
  PAGE_FORM_LIMIT_BYTES,
  type PageRouteParts,
  seeOther,
  type TransactionRouteParts,
  textsFor,
} from './route-parts.ts';
import { signInPage } from './sign-in-page.ts';
import { renderTransactionError, requireOwnOrigin } from './transaction-refusal.ts';

/** Builds the page of a sign-in and the routes that it calls (spec/sign-in.md#page-routes). */
export function transactionRoutes(parts: TransactionRouteParts): Route[] {
  const { config, clients, apps, site, pageGuard } = parts;
  const basePath = basePathOf(config.baseUrl);
  const renderError = renderTransactionError({
    baseUrl: config.baseUrl,
    site,
    transactionTtlSeconds: config.signin.transactionTtlSeconds,
  });
  const shared: PageRouteParts['shared'] = {
    headers: { ...pageHeaders({ 'script-src': GUARDED_SCRIPTS }), ...SIGNIN_HEADERS },
    renderError,
    refusesOptions: true,
    ...(parts.admit ? { admit: parts.admit } : {}),
  };
  // Requests with the cookie of a sign-in are not exempt: any address can begin any number of sign-ins.
  const guarded: PageRouteParts = {
    ...parts,
    basePath,
    shared: pageGuard === undefined ? shared : { ...shared, rateGuard: pageGuard },
  };
  return [
    pageRoute(guarded, createQrCodes()),
    statusRoute({ ...parts, basePath, shared }),
    formRoute(guarded, 'retry', ''),
    formRoute(guarded, 'cancel', '/continue'),
    otherRoute(guarded),
    agreeRoute(guarded),
    continueRoute(guarded),
    ...knownRoutes(guarded),
    logoRoute({ basePath, clients, apps, rateGuard: pageGuard }),
  ];
}

/**
 * Builds `GET /authorize/{txn}`, which a browser without scripts reloads repeatedly. A refusal stays on the
 * page until the person follows its link, and so does every end that opens an app by a private scheme.
 */
function pageRoute(
  { config, transactions, statusGuard, site, basePath, shared }: PageRouteParts,
  qrCodes: QrCodes,
): Route {
  return {
    ...shared,
    method: 'GET',
    path: `${basePath}/authorize/:txn`,
    bodyLimitBytes: 0,
    async handler(request) {
      const transaction = await open(transactions, request);
      const { state, ...view } = await transactions.poll(transaction, request.addressKey);
      statusGuard.admitted(request);
      const { txn, clientId, hasLogo } = view;
      const opensApp = hasPrivateScheme(transaction.request.redirectUri);
      const isDecided = state === 'completed' || state === 'cancelled';
      if (isDecided && (view.showsKnown || !opensApp)) {
        const next = view.showsKnown ? 'known' : 'continue';
        return seeOther(`${basePath}/authorize/${txn}/${next}`, clientId);
      }
      const texts = textsFor(transaction, request);
      const body = await signInPage(
        { ...view, state: state === 'cancelled' ? 'refused' : state },
        {
          site,
          texts,
          opensApp,
          wallet: config.wallet,
          choiceSeconds: {
            stay: config.signin.sessionSeconds,
            offline: config.signin.refreshTokenSeconds,
          },
          qrCodes,
          logoUrl: hasLogo ? logoUrl(basePath, clientId) : undefined,
        },
      );
      const headers = { 'Content-Type': 'text/html; charset=utf-8', ...languageHeaders(texts) };
      return { status: 200, headers, body, clientId };
    },
  };
}

/** Builds `GET …/status`, which the page polls every two seconds. */
function statusRoute({
  transactions,
  statusGuard,
  statusAddressGuard,
  basePath,
  shared,
}: PageRouteParts): Route {
  return {
    ...shared,
    method: 'GET',
    path: `${basePath}/authorize/:txn/status`,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    ...(statusAddressGuard ? { rateGuard: statusAddressGuard } : {}),
    async handler(request) {
      const view = await statusGuard.serve(request, () => poll(transactions, request));
      return {
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(statusBody(view)),
        clientId: view.clientId,
      };
    },
  };
}

/** Builds `POST …/retry` or `POST …/cancel`, the buttons of the page, which then redirect to `next`. */
function formRoute(parts: PageRouteParts, act: 'retry' | 'cancel', next: string): Route {
  const { config, transactions, basePath, shared } = parts;
  return {
    ...shared,
    method: 'POST',
    path: `${basePath}/authorize/:txn/${act}`,
    bodyLimitBytes: PAGE_FORM_LIMIT_BYTES,
    async handler(request) {
      requireOwnOrigin(request.headers, config.baseUrl);
      return await actOn(parts, request, async (transaction) => {
        const { txn, clientId } = transaction.row;
        await transactions[act](transaction);
        return seeOther(`${basePath}/authorize/${txn}${next}`, clientId);
      });
    },
  };
}

/** Builds `POST …/other`, by which the person asks for something else than the page shows. */
function otherRoute(parts: PageRouteParts): Route {
  const { config, transactions, basePath, shared } = parts;
  return {
    ...shared,
    method: 'POST',
    path: `${basePath}/authorize/:txn/other`,
    bodyLimitBytes: PAGE_FORM_LIMIT_BYTES,
    checkHead: ({ headers }) => requireForm(headers),
    async handler(request) {
      requireOwnOrigin(request.headers, config.baseUrl);
      const sent = parseParameters(request.body).get('way');
      const way = WAYS.find((word) => word === sent);
      return await actOn(parts, request, async (transaction) => {
        const { txn, clientId } = transaction.row;
        if (way !== undefined) await transactions.retryOtherwise(transaction, way);
        return seeOther(`${basePath}/authorize/${txn}`, clientId);
      });
    },
  };
}

/** Builds `POST …/agree`, the choices of the person (spec/sign-in.md#choices). */
function agreeRoute(parts: PageRouteParts): Route {
  const { config, transactions, basePath, shared } = parts;
  return {
    ...shared,
    method: 'POST',
    path: `${basePath}/authorize/:txn/agree`,
    bodyLimitBytes: PAGE_FORM_LIMIT_BYTES,
    checkHead: ({ headers }) => requireForm(headers),
    async handler(request) {
      requireOwnOrigin(request.headers, config.baseUrl);
      const form = parseParameters(request.body);
      return await actOn(parts, request, async (transaction) => {
        const { txn, clientId } = transaction.row;
        await transactions.agree(
          transaction,
          CHOICES.filter((choice) => form.get(choice) !== undefined),
        );
        return seeOther(`${basePath}/authorize/${txn}`, clientId);
      });
    },
  };
}

/** Builds `GET …/continue`, which delivers the authorization response, the first time and again. */
function continueRoute({ config, transactions, basePath, shared }: PageRouteParts): Route {
  return {
    ...shared,
    method: 'GET',
    path: `${basePath}/authorize/:txn/continue`,
    bodyLimitBytes: 0,
    async handler(request) {
      const transaction = await open(transactions, request);
      const { txn, clientId } = transaction.row;
      const header = request.headers.get('cookie');
      const finish = await transactions.finish(transaction, {
        session: readSessionCookie(header, clientId),
        known: readKnownCookie(header, clientId),
      });
      if (finish.kind === 'pending') return seeOther(`${basePath}/authorize/${txn}`, clientId);
      const answer = answerOf(finish.response, textsFor(transaction, request));
      const { session, known } = finish;
      const { rememberSeconds } = config.signin.worldid4;
      const cookies = known === undefined ? [] : [setKnownCookie(clientId, known, rememberSeconds)];
      if (session === undefined) return { ...answer, cookies, clientId };
      const stay =
        session === 'ended'
          ? removeSessionCookie(clientId)
          : setSessionCookie(clientId, session.cookie, config.signin.sessionSeconds);
      return { ...answer, cookies: [...cookies, stay], clientId };
    },
  };
}

/**
 * Whether a redirect URI opens an app by a scheme of its own (RFC 8252 section 7.1). Chrome on Android does so after a tap
 * only, and the page that the person tapped stays.
 */
function hasPrivateScheme(redirectUri: string): boolean {
  return !/^https?:/i.test(redirectUri);
}

async function poll(
  transactions: TransactionRouteParts['transactions'],
  request: HttpRequest,
): Promise<SignInView> {
  return transactions.poll(await open(transactions, request), request.addressKey);
}

/** TransactionRouteParts of the service that the logo route needs. */
interface LogoParts {
  readonly basePath: string;
  readonly clients: Pick<Clients, 'find'>;
  readonly apps: Pick<AppStore, 'logo'>;
  /** Guard of the pages, since a logo is a read of the store. */
  readonly rateGuard: RateGuard | undefined;
}

// A logo changes by an operator's command. Caching for minutes saves a reload at the next sign-in.
const CACHE_CONTROL = 'public, max-age=300';

/** Returns the path of a client's logo, which is not below `/authorize`, where nothing is cached. */
function logoUrl(basePath: string, clientId: string): string {
  return `${basePath}/signin/logo/${encodeURIComponent(clientId)}`;
}

/** Builds `GET /signin/logo/{client_id}`: the logo that is stored with a client. */
function logoRoute({ basePath, clients, apps, rateGuard }: LogoParts): Route {
  return {
    method: 'GET',
    path: `${basePath}/signin/logo/:client_id`,
    head: true,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    ...(rateGuard === undefined ? {} : { rateGuard }),
    async handler({ params }) {
      const app = await clients.find(params.client_id ?? '');
      const logo = app?.status === 'active' && app.hasLogo ? await apps.logo(app.appId) : undefined;
      if (logo === undefined) throw new ServiceError('http.not_found');
      return {
        status: 200,
        headers: {
          'Content-Type': logo.contentType,
          'Cache-Control': CACHE_CONTROL,
          'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
        },
        body: logo.bytes,
      };
    },
  };
}
