import { decodeUtf8 } from '../../bytes.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Parameters } from '../parameters.ts';

/** Credentials that a request contains, with the place where it has them. */
export type Credentials =
  | { readonly place: 'nowhere' }
  /** An Authorization header that is not Basic, or cannot be decoded. */
  | { readonly place: 'unreadable_header' }
  | {
      readonly place: 'header' | 'body';
      /** As sent; empty if the body has only a secret. */
      readonly clientId: string;
      /** Undefined if none was sent; an empty secret counts as none. */
      readonly secret: string | undefined;
    };

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;
const BASE64_GROUP = 4;
/** The id of an app, a dot, and a secret of it. */
const APP_TOKEN = /^([^\s.]+)\.(\S+)$/;
/** An app token has 98 characters at most. */
const MAX_TOKEN_CHARACTERS = 128;

/**
 * Reads the credentials of a client (spec/sign-in.md#client-authentication, RFC 6749 section 2.3).
 *
 * @param authorization - The Authorization header, if there is one.
 * @throws ServiceError `client.two_methods`, `client.id_differs`
 */
export function readCredentials(authorization: string | undefined, parameters: Parameters): Credentials {
  const clientId = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (authorization !== undefined) {
    const basic = decodeBasic(authorization);
    if (basic === undefined) return { place: 'unreadable_header' };
    if (secret !== undefined)
      throw new ServiceError('client.two_methods', undefined, { path: 'client_secret' });
    if (clientId !== undefined && clientId !== basic.clientId) {
      throw new ServiceError('client.id_differs', undefined, { path: 'client_id' });
    }
    return { place: 'header', ...basic };
  }
  if (clientId === undefined && secret === undefined) return { place: 'nowhere' };
  return { place: 'body', clientId: clientId ?? '', secret };
}

/**
 * Reads the credentials of an app from a bearer token: its id, a dot, and a secret of it
 * (spec/verification.md#token-of-an-app, RFC 6750 section 2.1).
 *
 * @param authorization - The Authorization header, if there is one.
 */
export function readTokenCredentials(authorization = ''): Credentials {
  const token = tokenOf(authorization, 'bearer');
  if (token === '') return { place: 'nowhere' };
  if (token.length > MAX_TOKEN_CHARACTERS) return { place: 'unreadable_header' };
  const [, clientId, secret] = APP_TOKEN.exec(token) ?? [];
  if (clientId === undefined) return { place: 'unreadable_header' };
  return { place: 'header', clientId, secret };
}

/**
 * Returns the token of an Authorization header with a scheme, which may be in any case; empty if there is none.
 *
 * @param scheme - In lower case.
 */
export function tokenOf(authorization: string, scheme: 'bearer' | 'dpop'): string {
  const start = `${scheme} `;
  const hasScheme = authorization.slice(0, start.length).toLowerCase() === start;
  return hasScheme ? authorization.slice(start.length).trim() : '';
}

function decodeBasic(header: string): { clientId: string; secret: string | undefined } | undefined {
  const [, encoded = ''] = BASIC.exec(header) ?? [];
  if (encoded === '' || encoded.length % BASE64_GROUP !== 0) return undefined;
  try {
    const text = decodeUtf8(Buffer.from(encoded, 'base64'));
    const colon = text.indexOf(':');
    if (colon < 0) return undefined;
    return {
      clientId: decodeForm(text.slice(0, colon)),
      secret: decodeForm(text.slice(colon + 1)) || undefined,
    };
  } catch {
    return undefined;
  }
}

/**
 * Decodes one half, which is form-encoded (RFC 6749 section 2.3.1). Ids and secrets of this service are the
 * same encoded or not.
 */
function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
