/** A connection that writes one mutated request and collects the answers. */
import { connect, type Socket } from 'node:net';

/** The parts of an answer that a run checks. */
export interface SeenAnswer {
  readonly status: number;
  /** Value of `X-Request-Id`; undefined in answers of the HTTP library itself. */
  readonly requestId: string | undefined;
}

/** Result of one write. */
export interface Exchange {
  readonly answers: readonly SeenAnswer[];
  /** Number of bytes after the last complete answer. */
  readonly rest: number;
  readonly isClosed: boolean;
  readonly isTimedOut: boolean;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Keeps one connection, and opens a new one after it has closed. */
export class MutationConnection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #isClosed = true;
  #wake: () => void = () => {};

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Writes the pieces and waits for `expected` answers, the end of the connection, or `limitMs`.
   *
   * @param endsAfter - Whether to half-close after the write, for a request that may be incomplete.
   * @param isHead - Whether the first answer has no body.
   */
  async exchange(
    pieces: readonly Uint8Array[],
    options: { expected: number; endsAfter: boolean; isHead: boolean; limitMs: number },
  ): Promise<Exchange> {
    const socket = await this.#open();
    if (socket === undefined) return { answers: [], rest: 0, isClosed: true, isTimedOut: true };
    this.#received = Buffer.alloc(0);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await new Promise((resolve) => setImmediate(resolve));
      if (!this.#isClosed) socket.write(piece);
    }
    if (options.endsAfter && !this.#isClosed) socket.end();
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      this.#wake();
    }, options.limitMs);
    let read = readAnswers(this.#received, options.isHead);
    while (!this.#isClosed && !isTimedOut && (options.endsAfter || read.answers.length < options.expected)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      read = readAnswers(this.#received, options.isHead);
    }
    clearTimeout(timer);
    const { isClosing } = read;
    if (options.endsAfter || isClosing || isTimedOut) this.close();
    return { answers: read.answers, rest: read.rest, isClosed: this.#isClosed, isTimedOut };
  }

  /** Drops the connection. */
  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#isClosed = true;
  }

  #open(): Promise<Socket | undefined> {
    if (this.#socket !== undefined && !this.#isClosed) return Promise.resolve(this.#socket);
    return new Promise((resolve) => {
      const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
      this.#socket = socket;
      this.#isClosed = false;
      socket.on('connect', () => resolve(socket));
      socket.on('data', (chunk: Buffer) => {
        if (this.#socket !== socket) return;
        this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
        this.#wake();
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        if (this.#socket !== socket) return;
        this.#isClosed = true;
        resolve(undefined);
        this.#wake();
      });
    });
  }
}

function readAnswers(
  bytes: Buffer,
  isHead: boolean,
): { answers: SeenAnswer[]; rest: number; isClosing: boolean } {
  const answers: SeenAnswer[] = [];
  let at = 0;
  let isClosing = false;
  for (;;) {
    const end = bytes.indexOf(HEAD_END, at);
    if (end < 0) break;
    const head = bytes.toString('latin1', at, end);
    const status = Number(head.slice(9, 12));
    const declared = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const hasNoBody = (isHead && answers.length === 0) || status === 204 || status === 304;
    const next = end + HEAD_END.length + (hasNoBody ? 0 : Number(declared ?? 0));
    if (next > bytes.length) break;
    answers.push({ status, requestId: /\r\nx-request-id: *([^\r]*)/i.exec(head)?.[1] });
    isClosing ||= declared === undefined || /\r\nconnection: *close/i.test(head);
    at = next;
  }
  return { answers, rest: bytes.length - at, isClosing };
}
