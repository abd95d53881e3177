/** Steps of a sign-in as cases: each request of browser and wallet is sent over the wire. */
import { seal, unsealText } from '../../support/crypto/sealed-message.ts';
import { type ProofOptions, proveRequest } from '../../support/test-wallet.ts';
import { CALLBACK, CLIENTS, type KnownAnswer } from './services.ts';
import type { Variables } from './variables.ts';
import { get, type Listener, type WireCase } from './wire-case.ts';

type Parameters = Readonly<Record<string, string>>;

/** Options of a step in addition to its request. */
type More = Partial<Omit<WireCase, 'request'>> & { readonly headers?: readonly string[] };

/** Steps of one sign-in, whose variables begin with its name. */
export interface SignInSteps {
  /** `GET /authorize`. */
  begin(more?: More): WireCase;
  /** `GET` of the page; captures id and key of the request on the bridge. */
  page(more?: More): WireCase;
  /** `GET` of the page at a later time. */
  look(title: string, more?: More): WireCase;
  /** The wallet takes the request, which is recorded decrypted. */
  take(): WireCase;
  /** The wallet answers with a proof, or with `instead`. */
  answer(title: string, options?: ProofOptions, instead?: unknown): WireCase;
  status(title: string, until?: string, more?: More): WireCase;
  /** `POST …/retry` or `POST …/cancel`. */
  press(title: string, button: 'retry' | 'cancel', more?: More): WireCase;
  finish(title: string, more?: More): WireCase;
  /** All steps from the authorization request to the authorization response. */
  complete(proof?: ProofOptions | KnownAnswer, more?: More): WireCase[];
}

/** Returns the query of an authorization request; `changes` replaces parameters, an empty text omits one. */
export function authorizationQuery(changes: Parameters = {}): string {
  const all = {
    response_type: 'code',
    scope: 'openid',
    client_id: CLIENTS.web,
    redirect_uri: CALLBACK,
    state: 'state 1',
    nonce: 'nonce-1',
    ...changes,
  };
  return new URLSearchParams(Object.entries(all).filter(([, value]) => value !== '')).toString();
}

/** Creates the steps of one sign-in. */
export function signIn(name: string, parameters: Parameters = {}, listener: Listener = 'open'): SignInSteps {
  const base = listener === 'production' ? '/auth' : '';
  const page = `${base}/authorize/{{${name} txn}}`;
  const step = (
    title: string,
    line: string,
    { headers = [], ...more }: More = {},
    body?: string,
  ): WireCase => ({
    listener,
    ...more,
    title: `${name}: ${more.title ?? title}`,
    request: {
      line,
      headers: [`Cookie: other=1; {{${name} cookie}}`, ...headers],
      ...(body === undefined ? {} : { body }),
    },
  });
  const steps: SignInSteps = {
    begin: (more = {}) => ({
      ...get(`${name}: begins`, `${base}/authorize?${authorizationQuery(parameters)}`, more.headers),
      listener,
      capture: {
        [`${name} txn`]: /^Location: \S+\/authorize\/([A-Za-z0-9_-]{43})$/m,
        [`${name} cookie`]: /^Set-Cookie: (__Host-pg_txn_[A-Za-z0-9_-]{16}=[A-Za-z0-9_-]{43});/m,
        [`${name} cookie name`]: /^Set-Cookie: (__Host-pg_txn_[A-Za-z0-9_-]{16})=/m,
      },
    }),
    page: (more) =>
      step('shows the page', `GET ${page}`, {
        capture: {
          [`${name} connect id`]: /[?&#;]i=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})&/,
          [`${name} connect key`]: /[?&#;]k=([A-Za-z0-9%]+)&/,
        },
        ...more,
      }),
    look: (title, more) => step(title, `GET ${page}`, more),
    take: () => ({
      ...get(`${name}: gives the request to the wallet`, `${base}/bridge/request/{{${name} connect id}}`),
      listener,
      capture: { [`${name} iv`]: /"iv":"([^"]+)"/, [`${name} payload`]: /"payload":"([^"]+)"/ },
      rewrite: (body, variables) =>
        body.replace(variables.get(`${name} payload`), describeRequest(name, variables)),
    }),
    answer: (title, options, instead) => ({
      listener,
      title: `${name}: ${title}`,
      prepare: async ({ variables }) => {
        const value = instead ?? (await proveRequest(openRequest(name, variables), options));
        variables.set(`${name} answer`, JSON.stringify(seal(keyOf(name, variables), value)));
      },
      request: {
        line: `PUT ${base}/bridge/response/{{${name} connect id}}`,
        headers: ['Content-Type: application/json'],
        body: `{{${name} answer}}`,
      },
    }),
    status: (title, until, more) =>
      step(title, `GET ${page}/status`, { ...more, ...(until === undefined ? {} : { until }) }),
    press: (title, button, more) => step(title, `POST ${page}/${button}`, more, ''),
    finish: (title, more) => step(title, `GET ${page}/continue`, more),
    complete: (proof, more) => [
      steps.begin(),
      steps.page(),
      steps.take(),
      proof !== undefined && 'proof' in proof
        ? steps.answer('takes the proof', {}, proof)
        : steps.answer('takes the proof', proof),
      steps.status('is completed', '"completed"'),
      steps.finish('sends the authorization response', more),
    ],
  };
  return steps;
}

function keyOf(name: string, variables: Variables): Buffer {
  return Buffer.from(decodeURIComponent(variables.get(`${name} connect key`)), 'base64');
}

function decrypt(name: string, variables: Variables): string {
  const message = { iv: variables.get(`${name} iv`), payload: variables.get(`${name} payload`) };
  return unsealText(keyOf(name, variables), message);
}

function openRequest(
  name: string,
  variables: Variables,
): { readonly app_id: string; readonly signal: string } {
  return JSON.parse(decrypt(name, variables)) as { readonly app_id: string; readonly signal: string };
}

function describeRequest(name: string, variables: Variables): string {
  const text = decrypt(name, variables);
  const described = text.replace(/"signal":"0x00[0-9a-f]{62}"/, '"signal":"<signal-hash>"');
  if (described === text) throw new Error(`expected a signal in ${text}`);
  return `<sealed ${described}>`;
}
