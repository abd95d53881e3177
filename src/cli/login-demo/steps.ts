import { ServiceError } from '../../errors/index.ts';
import { membersOf } from '../../json.ts';
import type { CommandContext } from '../program/command.ts';
import { shortenFields, shortenMembers, shortenUrl } from './shorten.ts';
import { type Actor, type ShownStep, stepText } from './step-text.ts';

/** Request of a step. */
export interface StepRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** Headers that matter, as they are sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers as they are shown, if those that are sent hold something secret. */
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
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      headers: { ...headers, ...(json === undefined ? {} : { 'Content-Type': 'application/json' }) },
    });
    text = await response.text();
  } catch (cause) {
    const message = `${shortenUrl(url)} does not answer: ${reasonOf(cause)}`;
    throw new ServiceError('login_demo.unreachable', message, {}, { cause });
  }
  return { request, status: response.status, headers: response.headers, text, body: membersOf(text) };
}

/** Returns why a `fetch` failed: its error says only that it did, the reason is in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join('; ');
  return cause instanceof Error ? cause.message : error.message;
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
