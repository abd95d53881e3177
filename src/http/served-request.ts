import type { CancelSignal } from '../waiting/index.ts';
import type { Exchange } from './exchange.ts';
import type { HttpRequest } from './exchange-types.ts';

const NO_BODY = new Uint8Array(0);

/** The request of an exchange for admission, checks and handler; made once, the body is filled in when it is whole. */
export class ServedRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly repeatedHeaders: ReadonlySet<string>;
  readonly params: Readonly<Record<string, string>>;
  readonly address: string;
  readonly requestId: string;
  readonly receivedAt: number;
  body: Uint8Array = NO_BODY;
  readonly #exchange: Exchange;

  constructor(
    exchange: Exchange,
    params: Readonly<Record<string, string>>,
    address: string,
    requestId: string,
    receivedAt: number,
  ) {
    const { method, path, query, headers } = exchange.head;
    this.#exchange = exchange;
    this.method = method;
    this.path = path;
    this.query = query;
    this.headers = headers.values;
    this.repeatedHeaders = headers.repeatedNames;
    this.params = params;
    this.address = address;
    this.requestId = requestId;
    this.receivedAt = receivedAt;
  }

  /** Made when it is asked for: most handlers never do. */
  get signal(): CancelSignal {
    return this.#exchange.signal;
  }
}
