/** One request of the corpus, as plain data where possible. */
import type { Services } from './services.ts';
import type { Variables } from './variables.ts';

/** Listeners that requests are sent to; `services.ts` says how each is configured. */
export type Listener = 'open' | 'open admin' | 'production' | 'production admin' | 'limited' | 'disabled';

/** A request as text with `{{name}}` for the values of variables. */
export interface WireRequest {
  /** Method and target, such as `GET /healthz`. */
  readonly line: string;
  /** Header lines after `Host`, as they are sent. */
  readonly headers?: readonly string[];
  /** Body; `Content-Length` is added unless `headers` has a length or a transfer encoding. */
  readonly body?: string | Uint8Array;
  /** All bytes of the request, which replace line, headers and body. */
  readonly bytes?: string;
  /** Whether the writing side of the connection is ended, because the listener would wait for more. */
  readonly endsWriting?: boolean;
}

/** A request and how its answer is treated. */
export interface WireCase {
  /** Name in the recording; unique within its interface. */
  readonly title: string;
  /** Default: `open`. */
  readonly listener?: Listener;
  readonly request: WireRequest;
  /** Advances the clock of the services before the request. */
  readonly advanceSeconds?: number;
  /** Prepares variables that the request uses. */
  readonly prepare?: (services: Services) => Promise<void> | void;
  /** Variables captured from the answer: the first group of each pattern, which must match. */
  readonly capture?: Readonly<Record<string, RegExp>>;
  /** Sends the request again until the answer contains this text. */
  readonly until?: string;
  /** Reduces a Prometheus exposition to names, types, help texts and label names. */
  readonly isExposition?: boolean;
  /** Rewrites the body before rules are applied, for example replaces ciphertext by its plaintext. */
  readonly rewrite?: (body: string, variables: Variables) => string;
  /** Compares a digest of the body instead of its text. */
  readonly isDigested?: boolean;
  /** Variable with the address of a file, whose name contains the beginning of its digest. */
  readonly versionIn?: string;
}

/** Builds a case of a GET. */
export function get(title: string, target: string, headers: readonly string[] = []): WireCase {
  return { title, request: { line: `GET ${target}`, headers } };
}

/** Builds a case of a POST of a body with its content type. */
export function post(
  title: string,
  target: string,
  contentType: string,
  body: string | Uint8Array,
  headers: readonly string[] = [],
): WireCase {
  return {
    title,
    request: { line: `POST ${target}`, headers: [`Content-Type: ${contentType}`, ...headers], body },
  };
}

/** Builds a case of a POST of JSON. */
export function postJson(title: string, target: string, value: unknown): WireCase {
  return post(title, target, 'application/json', JSON.stringify(value));
}

/** Builds a case of a POST of a form; values may contain variables, whose values are inserted unencoded. */
export function postForm(
  title: string,
  target: string,
  fields: Readonly<Record<string, string>>,
  headers: readonly string[] = [],
): WireCase {
  return post(title, target, 'application/x-www-form-urlencoded', formOf(fields), headers);
}

/** Encodes fields as a form, except the braces and names of variables. */
export function formOf(fields: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(fields).toString();
  return text.replace(/%7B%7B(.*?)%7D%7D/g, (_, name: string) => `{{${name.replaceAll('+', ' ')}}}`);
}

/** Sends cases to another listener. */
export function at(listener: Listener, cases: readonly WireCase[]): WireCase[] {
  return cases.map((each) => ({ ...each, listener }));
}
