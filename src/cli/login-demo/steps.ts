import { ServiceError } from '../../errors/service-error.ts';
import { membersOf } from '../../json.ts';
import { callOut } from '../../outgoing.ts';
import { messageOf } from '../../text.ts';
import type { CommandContext } from '../program/command.ts';

/** Request of a step. */
export interface StepRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** Relevant headers, as sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers for display, if the sent ones contain a secret. */
  readonly shownHeaders?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** Request with its response. */
export interface Exchange {
  readonly request: StepRequest;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Members of a JSON body; empty if the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Description of a step. */
export interface StepWords {
  readonly actor: Actor;
  readonly title: string;
  readonly reads?: unknown;
}

/** Sends the requests of the demo and prints each with its response. */
export interface Steps {
  /** @throws ServiceError `login_demo.unreachable` */
  send(request: StepRequest): Promise<Exchange>;
  /** Prints an exchange, or what happened without one. */
  show(words: StepWords, exchange?: Exchange): Promise<void>;
}

const TIMEOUT_MS = 30_000;
/** Far more than a page of the service. */
const MAX_BYTES = 4_194_304;
const SHOWN_HEADERS = ['location', 'set-cookie', 'www-authenticate', 'content-type', 'cache-control'];

/** Creates the steps of one run. */
export function createSteps(context: Pick<CommandContext, 'print'>): Steps {
  let count = 0;
  return {
    send,
    async show({ actor, title, reads }, exchange) {
      count += 1;
      const shown: ShownStep = {
        step: count,
        actor,
        title,
        ...(exchange === undefined ? {} : shownExchange(exchange)),
        ...(reads === undefined ? {} : { reads: shortenMembers(reads) }),
      };
      await context.print(shown, stepText(shown));
    },
  };
}

/**
 * Describes a response with which the sign-in cannot continue.
 *
 * @returns ServiceError `login_demo.failed`
 */
export function unexpected({ request, status, body }: Exchange, expected: string): ServiceError {
  const words = [body.code, body.detail].filter((word) => typeof word === 'string').join(', ');
  const what = `${request.method} ${shortenUrl(request.url)}: expected ${expected}, got status ${status}`;
  return new ServiceError('login_demo.failed', words === '' ? what : `${what} (${words})`);
}

async function send(request: StepRequest): Promise<Exchange> {
  const { method, url, headers = {}, form, json } = request;
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
  const answer = await callOut({
    url,
    reach: 'any',
    method,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    ...(body === undefined ? { headers } : { body, headers: { 'content-type': type, ...headers } }),
  }).catch((cause: unknown) => {
    const message = `${shortenUrl(url)} does not answer: ${messageOf(cause)}`;
    throw new ServiceError('login_demo.unreachable', message, {}, { cause });
  });
  const text = new TextDecoder().decode(answer.bytes);
  return { request, status: answer.status, headers: answer.headers, text, body: membersOf(text) };
}

function shownExchange({
  request,
  status,
  headers,
  text,
  body,
}: Exchange): Pick<ShownStep, 'request' | 'response'> {
  const { method, url, headers: sent, shownHeaders = sent, form, json } = request;
  const received = SHOWN_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, name === 'set-cookie' ? shownCookie(value) : shortenUrl(value)]];
  });
  const isPage = headers.get('content-type')?.startsWith('text/html') ?? false;
  return {
    request: {
      method,
      url: shortenUrl(url),
      ...(shownHeaders === undefined ? {} : { headers: shownHeaders }),
      ...(form === undefined ? {} : { form: shortenFields(form) }),
      ...(json === undefined ? {} : { json: shortenMembers(json) }),
    },
    response: {
      status,
      headers: Object.fromEntries(received) as Record<string, string>,
      ...(Object.keys(body).length > 0 ? { json: shortenMembers(body) } : {}),
      ...(isPage ? { page: `${Buffer.byteLength(text)} bytes of HTML` } : {}),
    },
  };
}

/** Shortens the value of a cookie, with which anyone could continue the sign-in. */
function shownCookie(line: string): string {
  return line.replace(/^([^=;]+=[^;]{8})[^;]+/, '$1…');
}

const ACTORS: Readonly<Record<ShownStep['actor'], string>> = {
  app: 'the app',
  browser: 'the browser',
  wallet: 'the wallet',
};

/** Matches a list without lists or objects in it, which is shown in one line. */
const FLAT_LIST = /\[[^[\]{}]*\]/g;

/**
 * Formats a step as a paragraph: who does what, the request, the response, and what the actor reads in it.
 */
function stepText({ step, actor, title, request, response, reads }: ShownStep): string {
  const lines = [`${step}. [${ACTORS[actor]}] ${title}`];
  if (request !== undefined) {
    const [address = '', query] = String(request.url).split('?', 2);
    lines.push(`   → ${String(request.method)} ${address}${query === undefined ? '' : '?'}`);
    lines.push(
      ...queryFields(query),
      ...named(request.headers, ': '),
      ...named(request.form, '='),
      ...json(request.json),
    );
  }
  if (response !== undefined) {
    lines.push(`   ← ${String(response.status)}`);
    lines.push(...named(response.headers, ': '), ...json(response.json));
    if (response.page !== undefined) lines.push(`     (${String(response.page)})`);
  }
  if (reads !== undefined) lines.push('   reads', ...json(reads));
  return `${lines.join('\n')}\n`;
}

function named(members: unknown, separator: string): string[] {
  return Object.entries(members ?? {}).map(([name, value]) => `     ${name}${separator}${String(value)}`);
}

/** Formats the fields of a query, decoded and one per line, which is easier to read. */
function queryFields(query: string | undefined): string[] {
  return [...new URLSearchParams(query)].map(([name, value]) => `     ${name}=${value}`);
}

function json(value: unknown): string[] {
  if (value === undefined) return [];
  return JSON.stringify(value, undefined, 2)
    .replaceAll(FLAT_LIST, (list) => list.replaceAll(/\s*\n\s*/g, ' '))
    .split('\n')
    .map((line) => `     ${line}`);
}

/** Role that the command plays in a step. */
type Actor = 'app' | 'browser' | 'wallet';

/** Printed form of a step: one line of JSON, or a paragraph. */
interface ShownStep {
  readonly step: number;
  readonly actor: Actor;
  readonly title: string;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly response?: Readonly<Record<string, unknown>>;
  /** Content of the response that only the actor can read: decrypted, decoded or checked. */
  readonly reads?: unknown;
}

/** Members of JSON bodies whose values are secret, or too long to read. */
const MEMBERS: ReadonlySet<string> = new Set([
  'access_token',
  'id_token',
  'k',
  'iv',
  'payload',
  'proof',
  'n',
]);
/** Fields of forms and URLs; there `code` is a secret, in a body it is an error code. */
const FIELDS: ReadonlySet<string> = new Set([...MEMBERS, 'code', 'code_verifier', 'token']);
const SHOWN_CHARACTERS = 12;

/** Shortens a value to its beginning and its length. */
function shorten(value: string): string {
  if (value.length <= SHOWN_CHARACTERS) return value;
  return `${value.slice(0, SHOWN_CHARACTERS)}… (${value.length} characters)`;
}

/** Shortens the members of a JSON value that hold a token, a proof or a key, at any depth. */
function shortenMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortenMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      MEMBERS.has(name) && typeof member === 'string' ? shorten(member) : shortenMembers(member),
    ]),
  );
}

/** Shortens the fields of a form in the same way. */
function shortenFields(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, FIELDS.has(name) ? shorten(value) : value]),
  );
}

/** Shortens the same fields in the query and the fragment of a URL. */
function shortenUrl(url: string): string {
  return url.replaceAll(/([?&#])([^=&#?]+)=([^&#]*)/g, (_, before: string, name: string, value: string) => {
    const shown = FIELDS.has(name) ? shorten(value) : value;
    return `${before}${name}=${shown}`;
  });
}
