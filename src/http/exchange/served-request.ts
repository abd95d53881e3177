import { rateLimitKey } from '../../addresses.ts';
import type { RequestSource } from '../client-address/proxy-source.ts';
import type { CancelSignal } from './cancellation.ts';
import type { Exchange } from './exchange.ts';
import type { HttpRequest } from './exchange-types.ts';

const NO_BODY = new Uint8Array(0);

/** The request of an exchange for admission, checks and handler; made once, the body is filled in when it is whole. */
export class ServedRequest implements HttpRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly receivedAt: number;
  body: Uint8Array = NO_BODY;
  readonly #exchange: Exchange;
  readonly #source: RequestSource;

  constructor(
    exchange: Exchange,
    params: Readonly<Record<string, string>>,
    source: RequestSource,
    requestId: string,
    receivedAt: number,
  ) {
    this.#exchange = exchange;
    this.params = params;
    this.#source = source;
    this.requestId = requestId;
    this.receivedAt = receivedAt;
  }

  get address(): string {
    return this.#source.address;
  }

  get addressKey(): string {
    return rateLimitKey(this.#source.address);
  }

  get method(): string {
    return this.#exchange.method;
  }

  get path(): string {
    return this.#exchange.path;
  }

  get query(): string {
    return this.#exchange.query;
  }

  get headers(): ReadonlyMap<string, string> {
    return this.#exchange.headers.values;
  }

  get repeatedHeaders(): ReadonlySet<string> {
    return this.#exchange.headers.repeatedNames;
  }

  /** Made when it is asked for: most handlers never do. */
  get signal(): CancelSignal {
    return this.#exchange.signal;
  }
}
