import { createServer as createParser, type Server as HttpServer, IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { getDefaultHighWaterMark, setDefaultHighWaterMark } from 'node:stream';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type Server as TlsServer,
} from 'node:tls';
import type { Certificate } from '../../config/sources/tls-files.ts';
import {
  type AppSettings,
  type HttpLibrary,
  IDLE_SECONDS,
  type LibraryApp,
  type ListenSocket,
  MAX_HEAD_BYTES,
  MAX_HEADER_LINES,
  TLS_1_2_CIPHERS,
} from './http-library.ts';
import { NodeConnection } from './node-connection.ts';
import { NodeLastAnswer, type NodeResponse, PART_BYTES, type Receiver } from './node-response.ts';
import { readProxyHeader } from './proxy-protocol.ts';

const TLS_1_3_CIPHERS = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';
/**
 * Buffer of a connection with TLS: more than answers that wait when a request begins. Else Node pauses its parser until they
 * are written, and fails at a body that comes in a record of the same packet. A server of `node:tls` has no option for it.
 */
const TLS_BUFFER_BYTES = 2 * PART_BYTES;

/** A request whose body goes to a callback instead of through a stream. */
class Incoming extends IncomingMessage {
  receiver: Receiver | undefined;

  /** Called by Node for each chunk of the body, and with null at its end. */
  override push(chunk: Buffer | null): boolean {
    this.receiver?.receive(chunk);
    return true;
  }
}

type Parser = HttpServer<typeof Incoming>;

/** HTTP by Node itself: for every Node, libc and processor, at more of the main thread than uWebSockets.js needs. */
export const NODE_LIBRARY: HttpLibrary = {
  keepsHeaderBytes: true,
  readsEveryTarget: true,
  idleSeconds: undefined,
  createApp: (settings) => new NodeApp(settings),
  writeContinue(res) {
    (res as NodeResponse).writeContinue();
    return false;
  },
  createLastAnswer: (res, body, lingerMs, onWritten) =>
    new NodeLastAnswer(res as NodeResponse, body, lingerMs, onWritten),
};

/**
 * The connections of one listener. Its own servers accept them and pass them to the parser of Node, which never listens:
 * so it can stop and start listening while connections are open, and no timer of `node:http` ends one.
 */
class NodeApp implements LibraryApp {
  readonly descriptor = undefined;
  readonly #settings: AppSettings;
  readonly #parser: Parser;
  readonly #accept: (socket: Socket) => void;
  readonly #secure: TlsServer | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Map<Socket, NodeConnection>();
  readonly #listening = new Set<Server>();
  readonly #timer = setInterval(() => this.#closeIdle(), 1000).unref();

  constructor(settings: AppSettings) {
    this.#settings = settings;
    this.#parser = this.#createParser();
    const serve = (socket: Socket): void => this.#serve(socket);
    const { tls } = settings;
    if (tls === undefined) this.#accept = serve;
    else {
      const secure = createTlsServer({
        ...contextOptions(tls),
        handshakeTimeout: IDLE_SECONDS * 1000,
        ALPNProtocols: ['http/1.1'],
      });
      this.#secure = secure;
      secure.on('secureConnection', serve);
      secure.on('tlsClientError', (_error, socket) => socket.destroy());
      this.#accept = (socket) => {
        const usualBytes = getDefaultHighWaterMark(false);
        setDefaultHighWaterMark(false, TLS_BUFFER_BYTES);
        secure.emit('connection', socket);
        setDefaultHighWaterMark(false, usualBytes);
      };
    }
  }

  listen(host: string, port: number): Promise<ListenSocket | undefined> {
    const server = createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#open(socket));
    return new Promise((resolve) => {
      server.once('error', () => resolve(undefined));
      server.listen({ host, port, exclusive: true }, () => {
        // Faults of single connections, such as no free descriptor: the gate of the listener watches those.
        server.removeAllListeners('error').on('error', () => {});
        this.#listening.add(server);
        const close = (): void => {
          this.#listening.delete(server);
          server.close();
        };
        resolve({ port: (server.address() as AddressInfo).port, close });
      });
    });
  }

  replaceCertificate(certificate: Certificate): void {
    this.#secure?.setSecureContext(contextOptions(certificate));
  }

  close(): void {
    clearInterval(this.#timer);
    for (const server of this.#listening) server.close();
    this.#listening.clear();
    for (const connection of this.#connections.values()) connection.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #createParser(): Parser {
    const parser: Parser = createParser({
      IncomingMessage: Incoming,
      maxHeaderSize: MAX_HEAD_BYTES,
      requireHostHeader: false,
    });
    // One more than are served: Node drops the others without a word.
    parser.maxHeadersCount = MAX_HEADER_LINES + 1;
    parser.keepAliveTimeout = 0;
    const serve = (request: Incoming, response: Parameters<NodeConnection['begin']>[1]): void => {
      const begun = this.#connections.get(request.socket)?.begin(request, response);
      request.receiver = begun;
      if (begun !== undefined) this.#settings.onRequest(begun, begun);
    };
    parser.on('request', serve);
    // What a request expects is read by `RequestHeaders`, for both libraries.
    parser.on('checkContinue', serve);
    parser.on('checkExpectation', serve);
    parser.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      this.#connections.get(socket as Socket)?.refuse(error);
    });
    parser.on('connect', ({ socket }) => this.#connections.get(socket)?.refuseTunnel());
    return parser;
  }

  /** Takes an accepted connection, before TLS. */
  #open(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#settings.onClosed();
    });
    socket.on('error', () => {});
    this.#settings.onOpened({
      getRemoteAddress: () => socket.remoteAddress ?? '',
      close: () => socket.destroy(),
    });
    if (!socket.destroyed) this.#accept(socket);
  }

  #serve(socket: Socket): void {
    const connection = new NodeConnection(socket, this.#settings.keepAliveSeconds);
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      connection.closed();
    });
    if (this.#settings.readsProxyProtocol) {
      readProxyHeader(socket, (address) => {
        connection.proxiedAddress = address;
        this.#parser.emit('connection', socket);
      });
    } else this.#parser.emit('connection', socket);
  }

  #closeIdle(): void {
    for (const connection of this.#connections.values()) connection.tick();
  }
}

function contextOptions({ cert, key }: Certificate): SecureContextOptions {
  return { cert, key, ciphers: `${TLS_1_3_CIPHERS}:${TLS_1_2_CIPHERS}`, minVersion: 'TLSv1.2' };
}
