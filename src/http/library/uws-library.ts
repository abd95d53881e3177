// biome-ignore lint/style/noRestrictedImports: src/http is the one folder that talks to uWebSockets.js
import type * as Uws from 'uWebSockets.js';
import type { Certificate } from '../../config/sources/tls-files.ts';
import {
  type Acceptor,
  type AppDescriptor,
  type HttpLibrary,
  type ListenSocket,
  MAX_HEAD_BYTES,
  TLS_1_2_CIPHERS,
} from './http-library.ts';
import { UwsLastAnswer, type UwsResponse } from './uws-last-answer.ts';

const CONTINUE = '100-continue';

/** uWebSockets.js as it is at run time: its declarations and its exports name the listen options differently. */
export interface UwsModule {
  App(): UwsApp;
  SSLApp(options: {
    readonly cert_file_name: string;
    readonly key_file_name: string;
    readonly ssl_ciphers: string;
  }): UwsApp;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  us_socket_local_port(token: Uws.us_listen_socket): number;
  us_listen_socket_close(token: Uws.us_listen_socket): void;
  _cfg(key: string): void;
}

/** An application, with a signature of `listen` that the package accepts but does not declare. */
interface UwsApp {
  /** Calls back with 1 for each connection that opens and with -1 for each that closed, then with an unusable `res`. */
  filter(handler: (res: Uws.HttpResponse, count: number) => void): unknown;
  any(pattern: string, handler: (res: Uws.HttpResponse, req: Uws.HttpRequest) => void): unknown;
  /**
   * Lets another application, of this or of another thread, take connections that this one accepts: they are passed on before
   * TLS, to each of several in turn.
   *
   * @param descriptor - That of the other application, of the same kind.
   */
  addChildAppDescriptor(descriptor: AppDescriptor): unknown;
  removeChildAppDescriptor(descriptor: AppDescriptor): unknown;
  getDescriptor(): AppDescriptor;
  listen(
    host: string,
    port: number,
    options: number,
    onListen: (token: Uws.us_listen_socket | false) => void,
  ): unknown;
  close(): unknown;
}

/**
 * Loads uWebSockets.js after setting the limit of request heads, which it reads then; its default is 4,096. Each open
 * connection may hold this much of an incomplete head; only this and the number of connections bound that memory.
 */
export function loadWithHeadLimit<T>(load: () => T): T {
  // biome-ignore lint/style/noProcessEnv: written, not read; the package takes this setting from the environment only
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEAD_BYTES);
  return load();
}

/** Adapts the loaded module, whose properties depend on how and from what it was built. */
export function uwsLibrary(
  uws: UwsModule,
  properties: Required<
    Pick<HttpLibrary, 'keepsHeaderBytes' | 'readsEveryTarget' | 'refusesEmptyChunks' | 'idleSeconds'>
  >,
): HttpLibrary {
  // Without this, every answer has a header with the name and the major version of the library.
  uws._cfg('silent');
  const createPlain = (certificate: Certificate | undefined): UwsApp =>
    certificate === undefined
      ? uws.App()
      : uws.SSLApp({
          cert_file_name: certificate.certFile,
          key_file_name: certificate.keyFile,
          ssl_ciphers: TLS_1_2_CIPHERS,
        });
  const acceptorOf = (app: UwsApp): Acceptor => ({
    listen: (host, port) =>
      new Promise<ListenSocket | undefined>((resolve) => {
        app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (token) => {
          if (token === false) return resolve(undefined);
          resolve({
            port: uws.us_socket_local_port(token),
            close: () => uws.us_listen_socket_close(token),
          });
        });
      }),
  });
  return {
    ...properties,
    createAcceptor(tls) {
      const app = createPlain(tls);
      return {
        ...acceptorOf(app),
        add: (descriptor) => app.addChildAppDescriptor(descriptor),
        remove: (descriptor) => app.removeChildAppDescriptor(descriptor),
        close: () => app.close(),
      };
    },
    createApp({ tls, onRequest, onOpened, onClosed }) {
      const create = (certificate: Certificate | undefined): UwsApp => {
        const app = createPlain(certificate);
        app.filter((res, count) => (count < 0 ? onClosed() : onOpened(res)));
        app.any('/*', onRequest);
        // A target that is only a query.
        app.any('', onRequest);
        return app;
      };
      const app = create(tls);
      const successors: UwsApp[] = [];
      return {
        ...acceptorOf(app),
        get descriptor() {
          return (successors.at(-1) ?? app).getDescriptor();
        },
        // An application keeps the certificate with which it was made: the first one goes on listening, and passes what it
        // accepts to the last. A second listening socket in place of it would reset what waits to be accepted.
        replaceCertificate(certificate) {
          const next = create(certificate);
          app.addChildAppDescriptor(next.getDescriptor());
          const former = successors.at(-1);
          if (former !== undefined) app.removeChildAppDescriptor(former.getDescriptor());
          successors.push(next);
        },
        close() {
          for (const each of [...successors, app]) each.close();
        },
      };
    },
    writeContinue(res, expect) {
      // The library compares the first header with this spelling alone, before it reports the request.
      if (expect === CONTINUE) return false;
      // A status line and the end of a head; the library takes it for the status of the answer, and writes no other.
      res.writeStatus('100 Continue\r\n');
      return true;
    },
    createLastAnswer: (res, body, lingerMs, onWritten) =>
      new UwsLastAnswer(res as UwsResponse, body, {
        lingerMs,
        onWritten,
        keepsByte: properties.refusesEmptyChunks,
      }),
  };
}
