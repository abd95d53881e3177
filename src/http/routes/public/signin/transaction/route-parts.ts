import type { Clients } from '../../../../../apps/clients.ts';
import type { Config } from '../../../../../config/settings/types.ts';
import type { OpenTransaction, Transactions } from '../../../../../oidc/transaction/types.ts';
import type { AppStore } from '../../../../../storage/apps/apps.ts';
import type { HttpRequest, HttpResponse, RateGuard, Route } from '../../../../exchange/exchange-types.ts';
import { pageLanguage } from '../../../../pages/page-language.ts';
import type { Site } from '../../../../pages/site.ts';
import { type PageTexts, pageTexts } from '../../../../pages/texts/page-texts.ts';
import { readTransactionCookie } from '../cookies.ts';
import type { StatusGuard } from './status-guard.ts';

/** Parts of the service that the pages of a sign-in need. */
export interface TransactionRouteParts {
  readonly config: Pick<Config, 'baseUrl' | 'signin' | 'wallet'>;
  readonly transactions: Omit<Transactions, 'begin'>;
  readonly clients: Pick<Clients, 'find'>;
  readonly apps: Pick<AppStore, 'logo'>;
  readonly site: Site;
  /** Limits how often pages and logos are loaded and buttons pressed: `rateLimits.page`. */
  readonly pageGuard?: RateGuard | undefined;
  /** Limits how often the status is polled. */
  readonly statusGuard: StatusGuard;
  /** `rateLimits.statusPerAddress`: all status calls of an address. */
  readonly statusAddressGuard?: RateGuard | undefined;
  /** Throws to refuse requests early that cannot be served, such as while the store is down. */
  readonly admit?: Route['admit'];
}

/** The forms of the page have no other fields than a few choices. */
export const PAGE_FORM_LIMIT_BYTES = 1024;
/** Largest body with a passkey (spec/sign-in.md#passkeys). */
export const PASSKEY_LIMIT_BYTES = 12_288;

/** Parts of the routes, and what the routes have in common. */
export interface PageRouteParts extends TransactionRouteParts {
  readonly basePath: string;
  readonly shared: Pick<Route, 'headers' | 'renderError' | 'refusesOptions' | 'admit' | 'rateGuard'>;
}

/**
 * Opens the sign-in of a path.
 *
 * @throws ServiceError `transaction.not_found`, `transaction.redeemed`, `transaction.finished`, `store.unreachable`
 */
export async function open(
  transactions: TransactionRouteParts['transactions'],
  { params, headers, context }: HttpRequest,
): Promise<OpenTransaction> {
  const txn = params.txn ?? '';
  const transaction = await transactions.open(txn, readTransactionCookie(headers.get('cookie'), txn));
  context.language = transaction.request.language;
  return transaction;
}

/**
 * Opens the sign-in of a path for an act of the person, such as a button.
 *
 * @param act - Runs unless the response was issued; after that the browser is led to it, as by a button that was pressed twice or
 *   is pressed on a page that the browser has gone back to.
 * @throws ServiceError as `open`
 */
export async function actOn(
  { transactions, basePath }: Pick<PageRouteParts, 'transactions' | 'basePath'>,
  request: HttpRequest,
  act: (transaction: OpenTransaction) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const transaction = await open(transactions, request);
  const { txn, clientId } = transaction.row;
  if (transaction.isAnswered) return seeOther(`${basePath}/authorize/${txn}/continue`, clientId);
  return await act(transaction);
}

/** Returns the texts in the language of a sign-in and a browser. */
export function textsFor({ request }: OpenTransaction, { headers }: HttpRequest): PageTexts {
  return pageTexts(pageLanguage(request.language, headers.get('accept-language')));
}

/** Redirects to a path, so that the browser stays at the origin of its cookie. */
export function seeOther(location: string, clientId: string): HttpResponse {
  return { status: 303, headers: { Location: location }, clientId };
}
