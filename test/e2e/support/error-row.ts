/**
 * Rows for spec/sign-in.md#interface-codes and spec/sign-in.md#further-codes: a code, and a request that causes it
 * in a running service.
 */
import type { TestClient } from '../../support/signin/clients.ts';
import type { SharedSignin, SigninService } from '../../support/signin/service.ts';

/** Services and clients that rows use. */
export interface ErrorContext {
  readonly service: SharedSignin;
  readonly disabled: TestClient;
  /** May use response type `code` only. */
  readonly narrow: TestClient;
  /** Client whose nonce is the signal. */
  readonly wallet: TestClient;
  /** A service whose rate limits each allow one request per window. */
  readonly tight: SigninService;
}

/** A code, its answer, and a request that causes it. */
export interface ErrorRow {
  readonly code: string;
  /** The fault, with the endpoint. */
  readonly name: string;
  readonly status: number;
  readonly error: string;
  readonly attribute?: string;
  /** Expected headers by name in lower case; null for a header that must be absent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly send: (context: ErrorContext) => Promise<Response>;
}

/** Names and values of a form or of headers. */
export type Fields = Readonly<Record<string, string>>;

/** Sends `METHOD /path` with `Accept: application/json`. */
export function call(
  { baseUrl }: Pick<SharedSignin, 'baseUrl'>,
  line: string,
  { fields, headers = {} }: { readonly fields?: Fields | string; readonly headers?: Fields } = {},
): Promise<Response> {
  const [method = '', path = ''] = line.split(' ');
  const body = typeof fields === 'object' ? new URLSearchParams(fields) : fields;
  return fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: { accept: 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

/** Returns the parameters of a valid authorization request of the web client, with changes. */
export function request({ web }: Pick<SharedSignin, 'web'>, changes: Fields = {}): Fields {
  const { clientId: client_id, redirectUri: redirect_uri } = web;
  return { client_id, redirect_uri, response_type: 'code', scope: 'openid', ...changes };
}

/** Sends an authorization request that is valid except for these changes. */
export function authorize(changes: Fields | ((context: ErrorContext) => Fields)): ErrorRow['send'] {
  return (context) => {
    const made = typeof changes === 'function' ? changes(context) : changes;
    return call(context.service, `GET /authorize?${new URLSearchParams(request(context.service, made))}`);
  };
}

/** Makes a row from positional arguments. */
export function row(
  code: string,
  name: string,
  status: number,
  error: string,
  send: ErrorRow['send'],
  more: Pick<ErrorRow, 'attribute' | 'headers'> = {},
): ErrorRow {
  return { code, name, status, error, send, ...more };
}
