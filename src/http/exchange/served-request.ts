import { rateLimitKey } from '../../addresses.ts';
import type { RequestSource } from '../client-address/proxy-source.ts';
import type { CancelSignal } from './cancellation.ts';
import type { Exchange } from './exchange.ts';
import type { HttpRequest, RequestContext } from './exchange-types.ts';

const NO_BODY = new Uint8Array(0);

/**
 * Request of an exchange for admission, checks and handler; created once, its body is set when it is
 * complete.
 */
export class ServedRequest implements HttpRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly receivedAt: number;
  readonly context: RequestContext;
  body: Uint8Array = NO_BODY;
  readonly #exchange: Exchange;
  readonly #source: RequestSource;

  constructor(
    exchange: Exchange,
    params: Readonly<Record<string, string>>,
    source: RequestSource,
    requestId: string,
    receivedAt: number,
    context: RequestContext,
  ) {
    this.#exchange = exchange;
    this.params = params;
    this.#source = source;
    this.requestId = requestId;
    this.receivedAt = receivedAt;
    this.context = context;
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

  /** Created on first use, because most handlers never use it. */
  get signal(): CancelSignal {
    return this.#exchange.signal;
  }
}
