import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { IDLE_SECONDS, MAX_HEAD_BYTES, MAX_HEADER_LINES, MIN_BODY_BYTES_PER_SECOND } from './http-library.ts';
import { NodeResponse, PART_BYTES, type ResponseOwner } from './node-response.ts';

type Refusal = 400 | 431 | 501 | 505;

const REASONS: Readonly<Record<Refusal, string>> = {
  400: 'Bad Request',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
  505: 'HTTP Version Not Supported',
};
const ANY = /^/;
/** Errors of llhttp that are answered: code, reason, status. Any other fault of a head ends the connection without an answer. */
const REFUSED: readonly (readonly [code: string, reason: RegExp, status: Refusal])[] = [
  ['HPE_HEADER_OVERFLOW', ANY, 431],
  ['HPE_INVALID_METHOD', ANY, 501],
  ['HPE_INVALID_URL', ANY, 400],
  ['HPE_INVALID_VERSION', ANY, 505],
  ['HPE_INVALID_CONSTANT', ANY, 505],
  ['HPE_PAUSED_H2_UPGRADE', ANY, 505],
  ['HPE_INVALID_CONTENT_LENGTH', /^(?!Empty)/, 400],
  ['HPE_INVALID_TRANSFER_ENCODING', / with Content-Length/, 400],
];
/** Bytes of `name: value` and of the request line that Node does not count. */
const LINE_BYTES = 4;
const REQUEST_LINE_BYTES = ' HTTP/1.1\r\n\r\n'.length;
/** Most bytes of answers that count as taken although they wait for Node, per connection. */
const MAX_QUEUED_BYTES = 16_384;
/** Most bytes that may wait when the next request over TLS begins: those, and the last part of a large answer. */
const MAX_TLS_BYTES = PART_BYTES + MAX_QUEUED_BYTES;
/**
 * Most bytes in a second without a request or a part of a body: llhttp skips line ends before a request line and spaces
 * before a target or a value, and counts them nowhere.
 */
const MAX_UNCOUNTED_BYTES = 1_048_576;
const BODY_BYTES_PER_PERIOD = MIN_BODY_BYTES_PER_SECOND * IDLE_SECONDS;

/** One connection of `node:http`: its requests in order, and how long it may wait. */
export class NodeConnection implements ResponseOwner {
  readonly #socket: Socket;
  readonly #keepAliveSeconds: number;
  proxiedAddress: ArrayBuffer | undefined;
  /** Responses that the kernel has not taken whole; all but the newest are ended. */
  readonly #pending = new Set<NodeResponse>();
  #isDeaf = false;
  /** Seconds until the connection is closed; undefined while the service is at work. */
  #secondsLeft: number | undefined = IDLE_SECONDS + 1;
  /** Whether the last answer was taken and nothing has come since. */
  #isKept = false;
  #periodBytes = 0;
  /** Bytes of ended responses that did not leave at once. */
  #queuedBytes = 0;
  /** Bytes that were read up to the last second, and whether a request or a part of a body has come since then. */
  #bytesRead = 0;
  #hasProgress = false;

  /** @param keepAliveSeconds - Least time for which it waits for a further request. */
  constructor(socket: Socket, keepAliveSeconds: number) {
    this.#socket = socket;
    this.#keepAliveSeconds = keepAliveSeconds;
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Begins a request; undefined if it is not served. */
  begin(request: IncomingMessage, response: ServerResponse): NodeResponse | undefined {
    if (this.isClosed) return undefined;
    if (this.#isDeaf) {
      this.stopReading();
      return undefined;
    }
    if (!this.#mayBegin()) {
      // Pipelining is not served.
      this.close();
      return undefined;
    }
    const head = readHead(request);
    if (!head.isServed) {
      this.#answerRefusal(head.status);
      return undefined;
    }
    const begun = new NodeResponse(this, request, response, head.contentLength);
    this.#pending.add(begun);
    this.#periodBytes = 0;
    this.#hasProgress = true;
    // The body; without one it is over before the next second.
    this.awaitClient();
    return begun;
  }

  /**
   * Whether the answers before the next request are taken. With TLS, Node reports that a turn of the event loop later, when a
   * client that has its answer may already have sent the next request: so they may wait there, as far as they are bounded.
   */
  #mayBegin(): boolean {
    const { writableLength } = this.#socket;
    if (!(this.#socket instanceof TLSSocket)) return this.#pending.size === 0 && writableLength === 0;
    return this.#areAllEnded() && Math.max(writableLength, this.#queuedBytes) <= MAX_TLS_BYTES;
  }

  #areAllEnded(): boolean {
    for (const response of this.#pending) if (!response.isEnded) return false;
    return true;
  }

  /** Refuses bytes that Node could not parse. */
  refuse(error: NodeJS.ErrnoException): void {
    if (this.#isDeaf) {
      // Else each packet would be another fault until the answer has left.
      this.stopReading();
      return;
    }
    const isInBody = [...this.#pending].some((response) => !response.isBodyOver);
    this.#answerRefusal(isInBody ? 400 : refusalOfBytes(error));
  }

  /** Refuses CONNECT, which Node hands over with the connection. */
  refuseTunnel(): void {
    if (!this.#isDeaf) this.#answerRefusal(501);
  }

  #answerRefusal(status: Refusal | undefined): void {
    // An answer that was begun, or waits for another one, is in the way; and so is one that the service is at work on.
    const isFree = [...this.#pending].every((response) => !response.isBegun && !response.isBodyOver);
    if (status === undefined || !isFree || this.#queuedBytes > 0 || !this.#socket.writable) {
      this.close();
      return;
    }
    this.#isDeaf = true;
    for (const response of this.#pending) response.abort();
    // Without a body, which an answer to HEAD must not have.
    const head = [`HTTP/1.1 ${status} ${REASONS[status]}`, 'Content-Length: 0', 'Connection: close'];
    this.#socket.write(`${head.join('\r\n')}\r\n\r\n`);
    this.#socket.destroySoon();
  }

  queue(bytes: number): boolean {
    this.#queuedBytes += bytes;
    const isWaiting = this.#socket.writableLength > 0 && !(this.#socket instanceof TLSSocket);
    return !isWaiting && this.#queuedBytes <= MAX_QUEUED_BYTES;
  }

  unqueue(bytes: number): void {
    this.#queuedBytes -= bytes;
  }

  awaitClient(): void {
    this.#isKept = false;
    this.#secondsLeft = IDLE_SECONDS + 1;
  }

  /** Starts the time of a kept connection, with a second for a request that is under way when its client's time ends. */
  #awaitRequest(): void {
    this.#isKept = true;
    this.#bytesRead = this.#socket.bytesRead;
    this.#secondsLeft = this.#keepAliveSeconds + 2;
  }

  received(bytes: number): void {
    this.#hasProgress = true;
    this.#periodBytes += bytes;
    if (this.#periodBytes < BODY_BYTES_PER_PERIOD) return;
    this.#periodBytes = 0;
    this.awaitClient();
  }

  awaitService(): void {
    this.#secondsLeft = undefined;
  }

  taken(response: NodeResponse): void {
    this.#pending.delete(response);
    if (this.#areAllEnded()) this.#awaitRequest();
  }

  /** Called once a second. */
  tick(): void {
    const { bytesRead } = this.#socket;
    const isFlood = !this.#hasProgress && bytesRead - this.#bytesRead > MAX_UNCOUNTED_BYTES;
    // The time for a head does not depend on that of a kept connection.
    if (this.#isKept && bytesRead > this.#bytesRead) this.awaitClient();
    this.#bytesRead = bytesRead;
    this.#hasProgress = false;
    const isOver = this.#secondsLeft !== undefined && --this.#secondsLeft <= 0;
    if (isOver && this.#isKept) this.#closeUnlessRead();
    else if (isFlood || isOver) this.close();
  }

  /** Closes a kept connection unless a request is there already, which is read before the callback. */
  #closeUnlessRead(): void {
    const { bytesRead } = this.#socket;
    setImmediate(() => {
      if (this.#isKept && this.#socket.bytesRead === bytesRead) this.close();
    });
  }

  ignoreRest(): void {
    this.#isDeaf = true;
  }

  stopReading(): void {
    this.#isDeaf = true;
    // Node starts reading again when a request is complete, which is in this turn.
    setImmediate(() => this.#socket.pause());
  }

  closeSoon(): void {
    this.#socket.destroySoon();
  }

  close(): void {
    this.#isDeaf = true;
    this.#socket.destroy();
    this.closed();
  }

  /** Ends what is pending, because the connection is closed. */
  closed(): void {
    this.#secondsLeft = undefined;
    for (const response of this.#pending) {
      this.#pending.delete(response);
      response.abort();
    }
  }
}

type Head =
  | { readonly isServed: true; readonly contentLength: number | undefined }
  | { readonly isServed: false; readonly status: Refusal | undefined };

/** Applies the rules for a head that Node does not have, and changes its header names to lower case. */
function readHead({ rawHeaders, url = '', method = '', httpVersion }: IncomingMessage): Head {
  if (httpVersion !== '1.1') return { isServed: false, status: 505 };
  const lines = rawHeaders.length / 2;
  let bytes = method.length + url.length + REQUEST_LINE_BYTES + lines * LINE_BYTES;
  let contentLength: number | undefined;
  let hasHost = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    rawHeaders[index] = name;
    bytes += name.length + value.length;
    if (name === 'content-length') contentLength = Number(value);
    hasHost ||= name === 'host';
  }
  if (lines > MAX_HEADER_LINES || bytes > MAX_HEAD_BYTES) return { isServed: false, status: 431 };
  return hasHost ? { isServed: true, contentLength } : { isServed: false, status: undefined };
}

/** @param error - Of llhttp, with a `reason`, or of the socket. */
function refusalOfBytes(error: NodeJS.ErrnoException & { readonly reason?: string }): Refusal | undefined {
  const isOf = ([code, reason]: (typeof REFUSED)[number]): boolean =>
    error.code === code && reason.test(error.reason ?? '');
  return REFUSED.find(isOf)?.[2];
}
