import type { Certificate } from '../../config/sources/tls-files.ts';

/** A request, valid until its handler returns; only `exchange.ts` uses it. */
export interface LibraryRequest {
  getCaseSensitiveMethod(): string;
  /** Path as sent. */
  getUrl(): string;
  /** Query as sent, without `?`; empty or undefined if there is none. */
  getQuery(): string | undefined;
  /** Visits each header line, names in lower case, values as UTF-8. */
  forEach(visit: (name: string, value: string) => void): void;
}

/**
 * The answer to a request, with the methods of a response of uWebSockets.js that this service uses; only `exchange.ts`
 * and the last answer of a library use it, and `server.ts` for connections that open.
 */
export interface LibraryResponse {
  /** Calls back once, also from within `close`, if the connection is lost before the answer is taken. */
  onAborted(lost: () => void): unknown;
  /**
   * Calls back for each chunk of the body; the last one may be empty. The bytes are valid during the callback.
   *
   * @param isLast - Whether the body is complete.
   */
  onData(received: (chunk: ArrayBuffer | Uint8Array, isLast: boolean) => void): unknown;
  /** @param writable - Called with the number of body bytes taken; writes on, and returns whether all it wrote was taken. */
  onWritable(writable: (offset: number) => boolean): unknown;
  /** Runs `write`, and sends what it writes together. */
  cork(write: () => void): unknown;
  /** @param line - Status code and reason phrase; without a call it is `200 OK`. */
  writeStatus(line: string): unknown;
  writeHeader(name: string, value: string): unknown;
  /**
   * Ends the head with a `Content-Length` of `total` at the first call, and writes the next bytes of the body.
   *
   * @returns Whether the kernel took what was written, and whether the answer is complete.
   */
  tryEnd(body: string | Uint8Array, total: number): [isTaken: boolean, isDone: boolean];
  /** Ends an answer without a body; its length, if it has one, is a header. */
  endWithoutBody(): unknown;
  /** Address of the other end: binary or text; empty if the connection is gone. */
  getRemoteAddress(): ArrayBuffer | string;
  /** The same, from a PROXY protocol header; empty if there was none. */
  getProxiedRemoteAddress(): ArrayBuffer | string;
  /** Stops reading the connection. */
  pause(): unknown;
  /** Closes the connection without waiting for unsent bytes. */
  close(): unknown;
}

/** The answer that is the last of its connection, after its other headers: its end, its body, the close. */
export interface LastAnswer {
  /** Ends the head and begins the body. Call once, corked, after the other headers. */
  begin(): void;
  /** Finishes the answer if it was sent completely with the cork; else it continues by itself. Call once, uncorked. */
  flush(): void;
  /** Cancels the delayed close, because the connection was lost. */
  abort(): void;
}

/** What an application does with connections and requests. */
export interface AppSettings {
  /** Certificate, read from its files a moment ago; plain HTTP without. */
  readonly tls: Certificate | undefined;
  /** Whether connections may begin with a PROXY protocol header, version 2. */
  readonly readsProxyProtocol: boolean;
  /** Time in seconds for which a connection is kept after an answer, if the library has no `idleSeconds`. */
  readonly keepAliveSeconds: number;
  onRequest(res: LibraryResponse, req: LibraryRequest): void;
  /** @param connection - Valid during the call. */
  onOpened(connection: Pick<LibraryResponse, 'getRemoteAddress' | 'close'>): void;
  onClosed(): void;
}

/** An open listen socket. */
export interface ListenSocket {
  readonly port: number;
  /** Stops listening; open connections stay open. */
  close(): void;
}

/** Takes connections on a port. */
export interface Acceptor {
  /** Listens alone on a port; 0 takes a free one. Resolves to undefined if that is impossible. */
  listen(host: string, port: number): Promise<ListenSocket | undefined>;
}

/** An application as other threads of the process name it. */
export type AppDescriptor = number;

/** Takes connections on a port for applications of other threads, one after the other. */
export interface SharedAcceptor extends Acceptor {
  /** Lets an application take connections. */
  add(descriptor: AppDescriptor): void;
  /** Sends no further connections to an application; those on their way still arrive. */
  remove(descriptor: AppDescriptor): void;
  close(): void;
}

/** The connections of a listener. */
export interface LibraryApp extends Acceptor {
  /** Descriptor for an acceptor in another thread; another one after `replaceCertificate`. Undefined if the library has none. */
  readonly descriptor: AppDescriptor | undefined;
  /**
   * Replaces the certificate for every connection that opens from now on; open ones stay as they are. Only for an
   * application with TLS.
   *
   * @throws Error if the library cannot use it; the former one stays in use then
   */
  replaceCertificate(certificate: Certificate): void;
  /** Closes every connection and stops listening. */
  close(): void;
}

/** The HTTP library: what `src/http` needs of uWebSockets.js, or of Node where that has no binary. */
export interface HttpLibrary {
  /** Whether spaces and tabs alone are stripped off header values; false if bytes from 0x80 may be stripped, too. */
  readonly keepsHeaderBytes: boolean;
  /** Whether requests with a target that does not begin with a slash are delivered; if not, the library answers 505. */
  readonly readsEveryTarget: boolean;
  /** Whether an answer is lost at a `tryEnd` without bytes, which would tell whether its client reads. */
  readonly refusesEmptyChunks?: boolean;
  /** Time in seconds for which it keeps an idle connection at least; undefined if `AppSettings.keepAliveSeconds` decides. */
  readonly idleSeconds: number | undefined;
  createApp(settings: AppSettings): LibraryApp;
  /**
   * Creates an acceptor for applications of other threads, which have loaded the same binary; absent if the library has none.
   *
   * @param tls - Of those applications; only whether there is one matters.
   */
  createAcceptor?(tls: Certificate | undefined): SharedAcceptor;
  /**
   * Asks for the body of a request that expects `100-continue`, unless the library has done so by itself. Call at most once,
   * before the request callback returns.
   *
   * @param expect - First `Expect` header.
   * @returns Whether the status line of the answer must be written as part of its first header.
   */
  writeContinue(res: LibraryResponse, expect: string): boolean;
  /**
   * @param lingerMs - Time for which the connection stays open after the answer; 0 if no more of the request can
   *   arrive. Closing a connection with unread bytes in its receive queue resets it, and the reset can overtake the
   *   answer (RFC 9112 section 9.6).
   * @param onWritten - Called once, when the kernel has taken the whole answer.
   */
  createLastAnswer(
    res: LibraryResponse,
    body: Uint8Array,
    lingerMs: number,
    onWritten: () => void,
  ): LastAnswer;
}

/** Largest request head in bytes, and most header lines (spec/operations.md#refusals-by-the-http-library). */
export const MAX_HEAD_BYTES = 40_960;
export const MAX_HEADER_LINES = 98;

/** Time in seconds for which a connection may be without its first request, send the rest of a head, or make no progress. */
export const IDLE_SECONDS = 10;
/** Slowest body in bytes per second; a connection that sends less over `IDLE_SECONDS` is closed. */
export const MIN_BODY_BYTES_PER_SECOND = 16_384;

// Forward secrecy and authenticated encryption only (RFC 9325 section 4.2). TLS 1.3 has no others.
export const TLS_1_2_CIPHERS = 'ECDHE+AESGCM:ECDHE+CHACHA20';
