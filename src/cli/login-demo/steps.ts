import { ServiceError } from '../../errors/service-error.ts';
import { membersOf } from '../../json.ts';
import { callOut } from '../../outgoing.ts';
import { messageOf } from '../../text.ts';
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
