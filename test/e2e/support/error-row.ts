/**
 * A row of spec/sign-in.md#interface-codes or spec/sign-in.md#further-codes: a code, and how it comes about
 * in a service that runs.
 */
import type { TestClient } from '../../support/signin/clients.ts';
import type { SigninService } from '../../support/signin/service.ts';

/** What rows ask. */
export interface ErrorContext {
  readonly service: SigninService;
  readonly disabled: TestClient;
  /** May use `code` alone. */
  readonly narrow: TestClient;
  /** Its nonce is the signal. */
  readonly wallet: TestClient;
  /** A service that lets one request a minute through at each limit, and has one place for everything. */
  readonly tight: SigninService;
}

/** A code, where it stands in the specification, and how it comes about. */
export interface ErrorRow {
  readonly code: string;
  /** What is wrong, at which endpoint. */
  readonly name: string;
  readonly status: number;
  readonly error: string;
  readonly attribute?: string;
  /** Headers that the answer has, by name in lower case; null for one that it must not have. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly send: (context: ErrorContext) => Promise<Response>;
}

/** Names and values of a form or of headers. */
export type Fields = Readonly<Record<string, string>>;

/** `METHOD /path`, JSON asked for. */
export function call(
  { baseUrl }: Pick<SigninService, 'baseUrl'>,
  line: string,
  { fields, headers = {} }: { readonly fields?: Fields | string; readonly headers?: Fields } = {},
): Promise<Response> {
  const [method = '', path = ''] = line.split(' ');
  const body = typeof fields === 'object' ? new URLSearchParams(fields) : fields;
  return fetch(`${baseUrl}${path}`, {
    ...{ method, redirect: 'manual', headers: { accept: 'application/json', ...headers } },
    ...(body === undefined ? {} : { body }),
  });
}

/** A good authorization request of the web client. */
export function request({ web }: Pick<SigninService, 'web'>, changes: Fields = {}): Fields {
  const { clientId: client_id, redirectUri: redirect_uri } = web;
  return { client_id, redirect_uri, response_type: 'code', scope: 'openid', ...changes };
}

/** Sends an authorization request that is good but for these changes. */
export function authorize(changes: Fields | ((context: ErrorContext) => Fields)): ErrorRow['send'] {
  return (context) => {
    const made = typeof changes === 'function' ? changes(context) : changes;
    return call(context.service, `GET /authorize?${new URLSearchParams(request(context.service, made))}`);
  };
}

/** A row in one line. */
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
