import type { Clients } from '../../../../apps/index.ts';
import type { Config } from '../../../../config/types.ts';
import {
  type OpenTransaction,
  type SignInView,
  statusBody,
  type Transactions,
} from '../../../../oidc/transaction/index.ts';
import type { AppStore } from '../../../../storage/index.ts';
import { basePathOf } from '../../../base-path.ts';
import { renderSigninError } from '../../../errors-signin.ts';
import type { HttpRequest, HttpResponse, RateGuard, Route } from '../../../exchange-types.ts';
import { type Assets, pageHeaders } from '../../../pages/index.ts';
import { answerOf, SIGNIN_HEADERS } from './authorization-answer.ts';
import { logoRoute, logoUrl } from './logo.ts';
import { setTransactionCookie } from './set-transaction-cookie.ts';
import type { SignInAsset } from './sign-in-assets.ts';
import { signInPage } from './sign-in-page.ts';
import { readTransactionCookie } from './transaction-cookie.ts';
import { requireOwnOrigin } from './transaction-origin.ts';
import { renderTransactionError } from './transaction-refusal.ts';

/** What the pages of a sign-in work on. */
export interface TransactionRouteParts {
  readonly config: Pick<Config, 'baseUrl' | 'profile' | 'signin'>;
  readonly transactions: Omit<Transactions, 'begin'>;
  readonly clients: Pick<Clients, 'find'>;
  readonly apps: Pick<AppStore, 'logo'>;
  readonly assets: Assets<SignInAsset>;
  /** Limits how often the status is asked for: `rateLimits.status`. */
  readonly statusGuard?: RateGuard | undefined;
  /** Refuses early what cannot be served, such as without a store. */
  readonly admit?: Route['admit'];
}

/** Forms of the page have no fields; a browser sends an empty body. */
const FORM_LIMIT_BYTES = 1024;

/** The page of a sign-in and what it calls (signin.md 5.4), with the files that it loads. */
export function transactionRoutes(parts: TransactionRouteParts): Route[] {
  const { config, clients, apps, assets } = parts;
  const basePath = basePathOf(config.baseUrl);
  const renderError = renderTransactionError({
    baseUrl: config.baseUrl,
    styleUrl: assets.url('sign-in.css'),
    transactionTtlSeconds: config.signin.transactionTtlSeconds,
  });
  const shared: Shared = {
    headers: { ...pageHeaders(), ...SIGNIN_HEADERS },
    renderError,
    refusesOptions: true,
    ...(parts.admit ? { admit: parts.admit } : {}),
  };
  return [
    pageRoute(parts, basePath, shared),
    statusRoute(parts, basePath, shared),
    formRoute(parts, basePath, shared, 'retry', ''),
    formRoute(parts, basePath, shared, 'cancel', '/continue'),
    continueRoute(parts, basePath, shared),
    logoRoute({ basePath, clients, apps }),
    assets.route,
  ];
}

type Shared = Pick<Route, 'headers' | 'renderError' | 'refusesOptions' | 'admit'>;
type Parts = TransactionRouteParts;

/** `GET /authorize/{txn}`: also what a browser without scripts loads again and again. */
function pageRoute({ config, transactions, assets }: Parts, basePath: string, shared: Shared): Route {
  return {
    ...shared,
    method: 'GET',
    path: `${basePath}/authorize/:txn`,
    bodyLimitBytes: 0,
    async handler(request) {
      const { state, ...view } = await poll(transactions, request);
      const { txn, clientId, hasLogo } = view;
      if (state === 'completed' || state === 'refused' || state === 'cancelled') {
        return seeOther(`${basePath}/authorize/${txn}/continue`, clientId);
      }
      const body = await signInPage(
        { ...view, state },
        {
          assets,
          basePath,
          logoUrl: hasLogo ? logoUrl(basePath, clientId) : undefined,
          isDevelopment: config.profile !== 'production',
        },
      );
      return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body, clientId };
    },
  };
}

/** `GET …/status`: what the page asks for every two seconds. */
function statusRoute({ transactions, statusGuard }: Parts, basePath: string, shared: Shared): Route {
  return {
    ...shared,
    method: 'GET',
    path: `${basePath}/authorize/:txn/status`,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    ...(statusGuard ? { rateGuard: statusGuard } : {}),
    async handler(request) {
      const view = await poll(transactions, request);
      return {
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(statusBody(view)),
        clientId: view.clientId,
      };
    },
  };
}

/** `POST …/retry` and `POST …/cancel`: the buttons of the page, which then go to `next`. */
function formRoute(
  { config, transactions }: Parts,
  basePath: string,
  shared: Shared,
  act: 'retry' | 'cancel',
  next: string,
): Route {
  return {
    ...shared,
    method: 'POST',
    path: `${basePath}/authorize/:txn/${act}`,
    bodyLimitBytes: FORM_LIMIT_BYTES,
    async handler(request) {
      requireOwnOrigin(request.headers, config.baseUrl);
      const transaction = await open(transactions, request);
      const { txn, clientId } = transaction.row;
      await transactions[act](transaction);
      return seeOther(`${basePath}/authorize/${txn}${next}`, clientId);
    },
  };
}

/** `GET …/continue`: the authorization response, once. */
function continueRoute({ config, transactions }: Parts, basePath: string, shared: Shared): Route {
  return {
    ...shared,
    method: 'GET',
    path: `${basePath}/authorize/:txn/continue`,
    bodyLimitBytes: 0,
    async handler(request) {
      const transaction = await open(transactions, request);
      const { txn, clientId } = transaction.row;
      const finish = await transactions.finish(transaction);
      if (finish.kind === 'pending') return seeOther(`${basePath}/authorize/${txn}`, clientId);
      const answer = answerOf(finish.response);
      const { baseUrl } = config;
      const gone = setTransactionCookie({ txn, cookie: '', baseUrl, maxAgeSeconds: 0 });
      return { ...answer, headers: { ...answer.headers, 'Set-Cookie': gone }, clientId };
    },
  };
}

function open(
  transactions: Parts['transactions'],
  { params, headers }: HttpRequest,
): Promise<OpenTransaction> {
  const txn = params.txn ?? '';
  return transactions.open(txn, readTransactionCookie(headers.get('cookie'), txn));
}

async function poll(transactions: Parts['transactions'], request: HttpRequest): Promise<SignInView> {
  return transactions.poll(await open(transactions, request), request.addressKey);
}

// A path, so that the browser stays at the origin that has its cookie.
function seeOther(location: string, clientId: string): HttpResponse {
  return { status: 303, headers: { Location: location }, clientId };
}
