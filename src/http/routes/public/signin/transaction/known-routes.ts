import { ServiceError } from '../../../../../errors/service-error.ts';
import { isObject, parseJson } from '../../../../../json.ts';
import { parseParameters } from '../../../../../oidc/parameters.ts';
import type { OpenTransaction } from '../../../../../oidc/transaction/types.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { HttpRequest, Route } from '../../../../exchange/exchange-types.ts';
import { requireForm, requireJson } from '../../../../headers/request-headers.ts';
import { languageHeaders } from '../../../../pages/site.ts';
import { removeKnownCookie } from '../cookies.ts';
import { knownPage } from './known-page.ts';
import {
  actOn,
  open,
  PAGE_FORM_LIMIT_BYTES,
  PASSKEY_LIMIT_BYTES,
  type PageRouteParts,
  seeOther,
  textsFor,
} from './route-parts.ts';
import { requireOwnOrigin } from './transaction-refusal.ts';

/** Largest number of characters of each text of a passkey, in base64url. */
const MAX_LENGTHS = {
  /** 1,023 bytes (WebAuthn level 3 section 5.1). */
  id: 1364,
  client_data: 2048,
  authenticator_data: 1024,
  signature: 1024,
  attestation: 6144,
  user_handle: 43,
} as const;

type TextName = keyof typeof MAX_LENGTHS;

/** Builds the recognition page, its form, and the calls about passkeys (spec/sign-in.md#page-routes). */
export function knownRoutes(parts: PageRouteParts): Route[] {
  return [pageRoute(parts), forgetRoute(parts), forgetBrowserRoute(parts), ...passkeyRoutes(parts)];
}

/** Builds `GET …/known`. */
function pageRoute(parts: PageRouteParts): Route {
  const { config, transactions, site, basePath, shared } = parts;
  return {
    ...shared,
    method: 'GET',
    path: `${basePath}/authorize/:txn/known`,
    bodyLimitBytes: 0,
    async handler(request) {
      return await actOn(parts, request, async (transaction) => {
        const { txn, clientId } = transaction.row;
        const view = await transactions.viewKnown(transaction);
        if (view === undefined) return seeOther(`${basePath}/authorize/${txn}`, clientId);
        const texts = textsFor(transaction, request);
        const { rememberSeconds } = config.signin.worldid4;
        const body = knownPage(view, { site, texts, rememberSeconds });
        const headers = { 'Content-Type': 'text/html; charset=utf-8', ...languageHeaders(texts) };
        return { status: 200, headers, body, clientId };
      });
    },
  };
}

/** Builds `POST …/known/forget`, which deletes something that the page lists. */
function forgetRoute(parts: PageRouteParts): Route {
  const { config, transactions, basePath, shared } = parts;
  return {
    ...shared,
    method: 'POST',
    path: `${basePath}/authorize/:txn/known/forget`,
    bodyLimitBytes: PAGE_FORM_LIMIT_BYTES,
    checkHead: ({ headers }) => requireForm(headers),
    async handler(request) {
      requireOwnOrigin(request.headers, config.baseUrl);
      const id = parseParameters(request.body).get('id') ?? '';
      return await actOn(parts, request, async (transaction) => {
        const { txn, clientId } = transaction.row;
        const isCookieGone = await transactions.forgetKnown(transaction, id);
        const cookies = isCookieGone ? [removeKnownCookie(clientId)] : [];
        return { ...seeOther(`${basePath}/authorize/${txn}/known`, clientId), cookies };
      });
    },
  };
}

/** Builds `POST …/forget`, after which nobody is recognised on the browser. */
function forgetBrowserRoute(parts: PageRouteParts): Route {
  const { config, transactions, basePath, shared } = parts;
  return {
    ...shared,
    method: 'POST',
    path: `${basePath}/authorize/:txn/forget`,
    bodyLimitBytes: PAGE_FORM_LIMIT_BYTES,
    async handler(request) {
      requireOwnOrigin(request.headers, config.baseUrl);
      return await actOn(parts, request, async (transaction) => {
        const { txn, clientId } = transaction.row;
        await transactions.forgetBrowser(transaction);
        const cookies = [removeKnownCookie(clientId)];
        return { ...seeOther(`${basePath}/authorize/${txn}`, clientId), cookies };
      });
    },
  };
}

/** Builds `POST …/passkey`, the use of a passkey, and `POST …/known/passkey`, a new one. */
function passkeyRoutes({ config, transactions, basePath, shared }: PageRouteParts): Route[] {
  const route = (path: string, act: (open: OpenTransaction, body: Uint8Array) => Promise<void>): Route => ({
    ...shared,
    method: 'POST',
    path: `${basePath}/authorize/:txn/${path}`,
    bodyLimitBytes: PASSKEY_LIMIT_BYTES,
    renderError: renderSigninError,
    checkHead: ({ headers }) => requireJson(headers),
    async handler(request: HttpRequest) {
      requireOwnOrigin(request.headers, config.baseUrl);
      const transaction = await open(transactions, request);
      await act(transaction, request.body);
      return { status: 204, clientId: transaction.row.clientId };
    },
  });
  return [
    route('passkey', async (transaction, body) => {
      const sent = readTexts(body, ['id', 'client_data', 'authenticator_data', 'signature', 'user_handle']);
      await transactions.usePasskey(transaction, {
        id: sent.id,
        clientData: sent.client_data,
        authenticatorData: sent.authenticator_data,
        signature: sent.signature,
        userHandle: sent.user_handle,
      });
    }),
    route('known/passkey', async (transaction, body) => {
      const sent = readTexts(body, ['id', 'client_data', 'attestation', 'user_handle']);
      await transactions.savePasskey(transaction, {
        id: sent.id,
        clientData: sent.client_data,
        attestation: sent.attestation,
        userHandle: sent.user_handle,
      });
    }),
  ];
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * Reads a JSON object of base64url texts. One that is malformed is refused like a passkey that is not known.
 *
 * @throws ServiceError `transaction.passkey_refused`
 */
function readTexts<Name extends TextName>(
  body: Uint8Array,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const members = objectOf(body);
  const texts = names.map((name) => {
    const text = members[name];
    if (typeof text !== 'string' || text.length > MAX_LENGTHS[name] || !BASE64URL.test(text)) throw refusal();
    return [name, text] as const;
  });
  return Object.fromEntries(texts) as Record<Name, string>;
}

function objectOf(body: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    throw refusal();
  }
  if (!isObject(value)) throw refusal();
  return value;
}

function refusal(): ServiceError {
  return new ServiceError('transaction.passkey_refused');
}
