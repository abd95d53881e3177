import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LastAnswer, LibraryRequest, LibraryResponse } from './http-library.ts';

/** Bytes of a body that are handed to the socket at once. */
export const PART_BYTES = 65_536;
const NO_BYTES = new Uint8Array(0);
const BEYOND_ASCII = /[^\0-\x7f]/;
const COMPLETE: [boolean, boolean] = [true, true];
const WAITING: [boolean, boolean] = [false, false];

/** Receives the body of a request: its chunks, then null. */
export interface Receiver {
  receive(chunk: Buffer | null): void;
}

/** The connection of a response: its addresses, its time, and its end. */
export interface ResponseOwner {
  readonly isClosed: boolean;
  readonly remoteAddress: string;
  /** Address from a PROXY protocol header. */
  readonly proxiedAddress: ArrayBuffer | undefined;
  /** Counts a chunk of a body: enough of them restart the time. */
  received(bytes: number): void;
  /** Restarts the time in which the client must send or read more. */
  awaitClient(): void;
  /** Stops the time: the body is complete, and the service is at work. */
  awaitService(): void;
  /**
   * Counts an ended response that Node keeps until the one before it is finished or, with TLS, until a turn later; returns
   * whether it counts as taken, so that the next request of its packet is served.
   */
  queue(bytes: number): boolean;
  /** A queued response has left. */
  unqueue(bytes: number): void;
  /** The kernel has taken a whole response. */
  taken(response: NodeResponse): void;
  /**
   * Serves nothing more. What still comes is read and dropped up to another request: bytes that nobody reads would reset the
   * connection when it closes, and the reset can overtake the answer.
   */
  ignoreRest(): void;
  stopReading(): void;
  /** Closes the connection when what is written has left. */
  closeSoon(): void;
  close(): void;
}

/** A request of `node:http` and its answer, by the rules of `LibraryRequest` and `LibraryResponse`. */
export class NodeResponse implements LibraryRequest, LibraryResponse, Receiver {
  readonly #connection: ResponseOwner;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #contentLength: number | undefined;
  #receivedBytes = 0;
  #isBodyOver = false;
  #status = 200;
  #headers: string[] = [];
  #onAborted: (() => void) | undefined;
  #onData: ((chunk: Uint8Array, isLast: boolean) => void) | undefined;
  #onWritable: ((offset: number) => boolean) | undefined;
  /** Body bytes that this object has. */
  #offset = 0;
  #isHeadWritten = false;
  #isEnded = false;

  /** @param request - Its header names are in lower case. */
  constructor(
    connection: ResponseOwner,
    request: IncomingMessage,
    response: ServerResponse,
    contentLength: number | undefined,
  ) {
    this.#connection = connection;
    this.#request = request;
    this.#response = response;
    this.#contentLength = contentLength;
  }

  /** Whether any of it was written. */
  get isBegun(): boolean {
    return this.#isHeadWritten;
  }

  /** Whether all of it was handed to Node. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether the body is complete. */
  get isBodyOver(): boolean {
    return this.#isBodyOver;
  }

  getCaseSensitiveMethod(): string {
    return this.#request.method ?? '';
  }

  getUrl(): string {
    const { url = '' } = this.#request;
    const query = url.indexOf('?');
    return query < 0 ? url : url.slice(0, query);
  }

  getQuery(): string | undefined {
    const { url = '' } = this.#request;
    const query = url.indexOf('?');
    return query < 0 ? undefined : url.slice(query + 1);
  }

  forEach(visit: (name: string, value: string) => void): void {
    const { rawHeaders } = this.#request;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const value = rawHeaders[index + 1] as string;
      visit(rawHeaders[index] as string, BEYOND_ASCII.test(value) ? utf8(value) : value);
    }
  }

  /** Takes a chunk of the body; null ends it. */
  receive(chunk: Buffer | null): void {
    if (this.#isBodyOver) return;
    if (chunk !== null) this.#receivedBytes += chunk.length;
    this.#isBodyOver = chunk === null || this.#receivedBytes === this.#contentLength;
    if (!this.#isBodyOver) this.#connection.received(chunk?.length ?? 0);
    else if (!this.#isHeadWritten) this.#connection.awaitService();
    this.#onData?.(chunk ?? NO_BYTES, this.#isBodyOver);
  }

  onAborted(lost: () => void): void {
    this.#onAborted = lost;
  }

  onData(received: (chunk: Uint8Array, isLast: boolean) => void): void {
    this.#onData = received;
  }

  onWritable(writable: (offset: number) => boolean): void {
    this.#onWritable = writable;
  }

  cork(write: () => void): void {
    write();
  }

  /** Asks for the body. */
  writeContinue(): void {
    // Behind an answer of the same packet, Node would write it after the next head.
    if (this.#response.socket !== null) this.#response.writeContinue();
  }

  writeStatus(line: string): void {
    this.#status = Number.parseInt(line, 10);
  }

  writeHeader(name: string, value: string): void {
    this.#headers.push(name, value);
  }

  tryEnd(body: string | Uint8Array, total: number): [isTaken: boolean, isDone: boolean] {
    if (!this.#isHeadWritten) this.#headers.push('Date', httpDate(), 'Content-Length', String(total));
    // After its end, or for HEAD, which has the length of a body and ends with `endWithoutBody`.
    if (body.length === 0 && total > 0) return [true, this.#isEnded];
    if (this.#connection.isClosed) return WAITING;
    this.#writeHead();
    this.#offset = total;
    if (total <= PART_BYTES) return this.#end(body) ? COMPLETE : WAITING;
    this.#writeParts(typeof body === 'string' ? Buffer.from(body) : body, (last) => {
      if (this.#end(last)) this.#onWritable?.(total);
    });
    return WAITING;
  }

  endWithoutBody(): void {
    if (this.#connection.isClosed) return;
    if (!this.#headers.includes('Date')) this.#headers.push('Date', httpDate());
    this.#writeHead();
    this.#end('');
  }

  /**
   * Writes head and body of an answer that never ends for Node.
   *
   * @param onTaken - Called when the kernel has taken it.
   */
  writeUnended(body: Uint8Array, onTaken: () => void): void {
    if (this.#connection.isClosed) return;
    this.#writeHead();
    this.#connection.awaitClient();
    if (body.length === 0) {
      // Node calls back for a write, not for a head alone.
      this.#response.flushHeaders();
      onTaken();
    } else this.#writeParts(body, (last) => this.#response.write(last, (error) => error ?? onTaken()));
  }

  getRemoteAddress(): string {
    return this.#connection.remoteAddress;
  }

  getProxiedRemoteAddress(): ArrayBuffer | string {
    return this.#connection.proxiedAddress ?? '';
  }

  pause(): void {
    this.#connection.ignoreRest();
  }

  /** Stops reading the connection. */
  stopReading(): void {
    this.#connection.stopReading();
  }

  close(): void {
    this.#connection.close();
  }

  /** Closes the connection when what is written has left. */
  closeSoon(): void {
    this.#connection.closeSoon();
  }

  /** Reports, once, that the connection was lost. */
  abort(): void {
    const onAborted = this.#onAborted;
    this.#onAborted = undefined;
    onAborted?.();
  }

  #writeHead(): void {
    if (this.#isHeadWritten) return;
    this.#isHeadWritten = true;
    const response = this.#response;
    // Written before the length, as uWebSockets.js does.
    response.sendDate = false;
    // Persistence is the default of HTTP/1.1 and needs no header.
    response.removeHeader('Connection');
    response.writeHead(this.#status, this.#headers);
  }

  /** Writes all parts but the last: each one that the kernel takes restarts the time of the reader. */
  #writeParts(body: Uint8Array, writeLast: (part: Uint8Array) => void): void {
    this.#connection.awaitClient();
    if (body.length <= PART_BYTES) {
      writeLast(body);
      return;
    }
    this.#response.write(body.subarray(0, PART_BYTES), (error) => {
      if (!error && !this.#connection.isClosed) this.#writeParts(body.subarray(PART_BYTES), writeLast);
    });
  }

  /** Ends the response; returns whether the kernel took all of it. */
  #end(rest: string | Uint8Array): boolean {
    const response = this.#response;
    this.#isEnded = true;
    response.end(rest);
    const left = response.writableLength;
    const isTaken = left === 0 || this.#connection.queue(left);
    if (isTaken) this.#connection.taken(this);
    else this.#connection.awaitClient();
    if (left === 0) return true;
    response.once('finish', () => {
      this.#connection.unqueue(left);
      // Node also emits it when the connection is lost.
      if (isTaken || this.#connection.isClosed) return;
      this.#connection.taken(this);
      this.#onWritable?.(this.#offset);
    });
    return isTaken;
  }
}

/** An answer that never completes for Node, so that no further request is served; the close follows its last byte. */
export class NodeLastAnswer implements LastAnswer {
  readonly #res: NodeResponse;
  readonly #body: Uint8Array;
  readonly #lingerMs: number;
  readonly #onWritten: () => void;
  #closing: NodeJS.Timeout | undefined;

  /** @see HttpLibrary.createLastAnswer */
  constructor(res: NodeResponse, body: Uint8Array, lingerMs: number, onWritten: () => void) {
    this.#res = res;
    this.#body = body;
    this.#lingerMs = lingerMs;
    this.#onWritten = onWritten;
  }

  begin(): void {
    const res = this.#res;
    const { length } = this.#body;
    res.writeHeader('Connection', 'close');
    res.writeHeader('Date', httpDate());
    if (length > 0) res.writeHeader('Content-Length', String(length));
    res.writeUnended(this.#body, () => this.#finish());
  }

  flush(): void {}

  abort(): void {
    clearTimeout(this.#closing);
  }

  #finish(): void {
    this.#onWritten();
    if (this.#lingerMs === 0) this.#res.closeSoon();
    else {
      this.#res.stopReading();
      this.#closing = setTimeout(() => this.#res.closeSoon(), this.#lingerMs).unref();
    }
  }
}

let dateSecond = 0;
let dateText = '';

/** Returns the value of a `Date` header. */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}

/** Node decodes header values as Latin-1. */
function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}
