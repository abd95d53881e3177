/** One request of the corpus, as plain data wherever that is possible. */
import type { Services } from './services.ts';
import type { Variables } from './variables.ts';

/** Listeners that requests are sent to; `services.ts` says how each is configured. */
export type Listener = 'open' | 'open admin' | 'production' | 'production admin' | 'limited' | 'disabled';

/** A request as text with `{{name}}` for the values of variables. */
export interface WireRequest {
  /** Method and target, such as `GET /healthz`. */
  readonly line: string;
  /** Header lines behind `Host`, as they are written. */
  readonly headers?: readonly string[];
  /** Its length is announced unless `headers` say how long it is. */
  readonly body?: string | Uint8Array;
  /** All bytes of the request, in place of what the other members would make. */
  readonly bytes?: string;
  /** Ends the writing side of the connection: the listener would wait for more. */
  readonly endsWriting?: boolean;
}

/** A request and what belongs to it. */
export interface WireCase {
  /** Name in the recording; unique within its interface. */
  readonly title: string;
  /** `open` by default. */
  readonly listener?: Listener;
  readonly request: WireRequest;
  /** Moves the clock of the services before the request. */
  readonly advanceSeconds?: number;
  /** Prepares variables that the request uses. */
  readonly prepare?: (services: Services) => Promise<void> | void;
  /** Variables taken from the answer: the first group of each pattern, which also checks the shape. */
  readonly capture?: Readonly<Record<string, RegExp>>;
  /** Sends the request again until the answer contains this text. */
  readonly until?: string;
  /** Reduces a Prometheus exposition to names, types, help texts and label names. */
  readonly isExposition?: boolean;
  /** Replaces parts of the body before rules are applied, such as what is encrypted by what it decrypts to. */
  readonly rewrite?: (body: string, variables: Variables) => string;
  /** Compares a digest of the body in place of its text. */
  readonly isDigested?: boolean;
  /** Variable with the address of a file, which holds the beginning of its digest. */
  readonly versionIn?: string;
}

/** A case without a body. */
export function get(title: string, target: string, headers: readonly string[] = []): WireCase {
  return { title, request: { line: `GET ${target}`, headers } };
}

/** A POST of a body with its content type. */
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

/** A POST of JSON. */
export function postJson(title: string, target: string, value: unknown): WireCase {
  return post(title, target, 'application/json', JSON.stringify(value));
}

/** A POST of a form; values may hold variables, which are then encoded as they are. */
export function postForm(
  title: string,
  target: string,
  fields: Readonly<Record<string, string>>,
  headers: readonly string[] = [],
): WireCase {
  return post(title, target, 'application/x-www-form-urlencoded', formOf(fields), headers);
}

/** Fields in the encoding of forms; braces stay, so that variables are found. */
export function formOf(fields: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(fields).toString();
  return text.replace(/%7B%7B(.*?)%7D%7D/g, (_, name: string) => `{{${name.replaceAll('+', ' ')}}}`);
}

/** Sends cases to another listener. */
export function at(listener: Listener, cases: readonly WireCase[]): WireCase[] {
  return cases.map((each) => ({ ...each, listener }));
}
