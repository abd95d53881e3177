import { addressText, rateLimitKey } from '../addresses.ts';
import type { Config, LibraryFacts } from '../config/settings/types.ts';
import {
  type Certificate,
  chainExpiresAt,
  isSameCertificate,
  readCertificate,
  tlsFilesOf,
  unreadableTls,
} from '../config/sources/tls-files.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { RequestRecord } from '../observability/log/request-record.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';
import { createSourceReader } from './client-address/proxy-source.ts';
import type { ErrorRenderer, PathOwner, Route } from './exchange/exchange-types.ts';
import { type ServeState, serveExchange } from './exchange/serve-exchange.ts';
import { createHostCheck } from './headers/request-headers.ts';
import { FixedHeaders, keepAliveHeaders, securityHeaders } from './headers/response-headers.ts';
import type { Acceptor, AppDescriptor, LibraryApp, ListenSocket } from './library/http-library.ts';
import { loadHttpLibrary } from './library/load-http-library.ts';
import type { AddressTotals } from './limits/address-shares.ts';
import { BodilessAnswers } from './limits/bodiless-answers.ts';
import { type ListenerObserver, SILENT } from './limits/connection-gate.ts';
import type { FrontEndServing } from './limits/front-ends/front-end-counts.ts';
import type { FrontEndGate } from './limits/front-ends/front-end-gate.ts';
import { LocalCount } from './limits/gate.ts';
import { createListenerGate, maxOpenConnections } from './limits/listener-gate.ts';
import { Overload } from './limits/overload.ts';
import { UnfinishedExchanges } from './limits/unfinished-exchanges.ts';
import { createRouter } from './routing/router.ts';

/** Owner of unknown paths below a prefix: their headers, CORS and error body. */
export interface PrefixFallback extends PathOwner {
  readonly prefix: string;
}

/** A listener to open. */
export interface HttpServerSettings {
  /** Name for log and metrics: `public` or `admin`. */
  readonly listener: string;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** Host names for which it answers, in addition to IP addresses and `localhost`; any if absent. */
  readonly hostNames?: readonly string[];
  /** Owners of unknown paths, first match wins; `renderUnknown` answers for the rest. */
  readonly fallbacks: readonly PrefixFallback[];
  readonly renderUnknown: ErrorRenderer;
  /** Public address of the service: determines Strict-Transport-Security. */
  readonly baseUrl: string;
  /** Whether Strict-Transport-Security covers subdomains; default: false. */
  readonly hstsIncludeSubDomains?: boolean;
  /** Files of the certificate; if absent, the listener serves plain HTTP. */
  readonly tls?: Config['tls'];
  /** Trusted proxies and their headers; if absent, no proxy is trusted. */
  readonly proxy?: Config['proxy'];
  readonly limits: Config['http'] & {
    /** Time for a client to read an answer that ends its connection early; 1,000 ms if absent. */
    readonly lingerMs?: number;
  };
  /** Whether its connections may use the descriptors reserved by the public listener. */
  readonly usesReserve?: boolean;
  /** Receives refusals for lack of capacity, for readiness. */
  readonly overload?: Overload;
  /** Receives the exchanges and connections that bounds end. */
  readonly observer?: ListenerObserver;
  /** A folder that this process may write, for the patched library. */
  readonly dataDir?: string;
  /** Set in a front end: another thread listens, and hands over the connections to `HttpServer.descriptor`. */
  readonly frontEnd?: FrontEndSeat | undefined;
  /** Called once per exchange, when it ends. */
  readonly onEnd?: (record: RequestRecord) => void;
  /** Records the exchanges as spans; if absent, tracing is off. */
  readonly tracing?: Tracing | undefined;
}

/** The place of a front end among those of its service. */
export interface FrontEndSeat {
  readonly gate: FrontEndGate;
  /** Counts of client addresses in all front ends. */
  readonly totals: AddressTotals;
  readonly serving: FrontEndServing;
}

/** Figures of a listener for metrics. */
export interface ListenerLoad {
  /** Requests being served: their body is complete and they have no answer yet. */
  readonly serving: number;
  /** Requests that wait for their client: for the rest of a body, or for an answer to be read. */
  readonly unfinished: number;
  /** Memory of request bodies in bytes. */
  readonly bodyBytes: number;
  readonly connections: number;
}

/** An open listener. */
export interface HttpServer {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Port in use, also when the settings say 0. */
  readonly port: number;
  /** Expiry of the certificate chain in use, in milliseconds since the epoch; undefined without TLS. */
  readonly certificateExpiresAt: number | undefined;
  /**
   * Reads the certificate again and uses it for every connection that opens from now on.
   *
   * @returns Whether it has changed; false without TLS.
   * @throws ServiceError `tls.unreadable`; the former certificate stays in use
   */
  reloadCertificate(): Promise<boolean>;
  /** The HTTP library that serves it. */
  readonly library: LibraryFacts;
  /** Whether header values keep bytes from 0x80 at both ends (spec/operations.md#dependencies). */
  readonly keepsHeaderBytes: boolean;
  /** Descriptor for an acceptor in another thread; another one after a new certificate. */
  readonly descriptor: AppDescriptor | undefined;
  /** Requests whose answer is not finished. */
  readonly openExchanges: number;
  /** Returns the current figures. */
  load(): ListenerLoad;
  /** Starts draining: every answer ends its connection. Requests are served, since their clients could not know. */
  setDraining(): void;
  /** Stops accepting connections; open ones stay open. */
  closeListening(): void;
  /** Waits until no exchange is open and no request has arrived unread; resolves to false if `timeoutMs` passes first. */
  whenIdle(timeoutMs: number): Promise<boolean>;
  /** Closes every connection and stops listening. */
  closeAll(): Promise<void> | void;
}

const LINGER_MS = 1000;
/** Attempts to find a free port. */
const PORT_ATTEMPTS = 5;
const NO_PROXY: Config['proxy'] = { trusted: [], header: 'none', protocolV2: false };

/**
 * Opens a listener.
 *
 * @throws ServiceError `server.port_in_use`, `tls.unreadable`
 */
export async function createHttpServer(settings: HttpServerSettings): Promise<HttpServer> {
  const tlsFiles = settings.tls && tlsFilesOf(settings.tls);
  let certificate = tlsFiles && (await readCertificate(tlsFiles));
  const { library, facts } = loadHttpLibrary(settings.limits.library, settings.dataDir);
  const overload = settings.overload ?? new Overload();
  const observer = settings.observer ?? SILENT;
  const unfinished = new UnfinishedExchanges(
    settings.limits,
    {
      endedEarly(bound, isByAllClients) {
        if (isByAllClients) overload.refused('body_memory');
        observer.endedEarly(bound);
      },
    },
    settings.frontEnd?.totals,
  );
  const rest: PathOwner = { renderError: settings.renderUnknown };
  const headers = securityHeaders(settings.baseUrl, settings.hstsIncludeSubDomains);
  const idleWaiters = new Set<() => void>();
  const source = createSourceReader(settings.proxy ?? NO_PROXY);
  const serving = {
    listener: settings.listener,
    router: createRouter(settings.routes),
    isOwnHost: settings.hostNames && createHostCheck(settings.hostNames),
    ownerOfUnknown: (path: string) =>
      settings.fallbacks.find(({ prefix }) => path.startsWith(prefix)) ?? rest,
    headers: new FixedHeaders(headers),
    headersOf: headersByOwner(headers),
    ...settings.limits,
    library,
    keepAlive: keepAliveHeaders(library.idleSeconds ?? settings.limits.keepAliveSeconds),
    lingerMs: settings.limits.lingerMs ?? LINGER_MS,
    source,
    tracing: settings.tracing,
    onEnd(record: RequestRecord) {
      try {
        settings.onEnd?.(record);
      } catch (fault) {
        // An error of the observer must surface, but not be thrown through the native frames that called
        // this.
        queueMicrotask(() => {
          throw fault;
        });
      }
      if (state.open > 0) return;
      for (const wake of idleWaiters) wake();
    },
  };
  let socket: ListenSocket | undefined;
  const stopListening = (): void => {
    socket?.close();
    socket = undefined;
  };
  const gate =
    settings.frontEnd?.gate ??
    createListenerGate({
      count: new LocalCount(),
      maxOpen: maxOpenConnections(settings.limits, settings.usesReserve),
      limits: settings.limits,
      trustedProxies: settings.proxy?.trusted ?? [],
      overload,
      observer,
      port: () => port,
      stopListening,
      async startListening() {
        socket = await app.listen(settings.host, port);
        return socket !== undefined;
      },
    });
  const counts = settings.frontEnd?.serving;
  const { maxOpenExchanges } = settings.limits;
  let served = 0;
  const state: ServeState = {
    open: 0,
    get serving() {
      return served;
    },
    set serving(count) {
      served = count;
      counts?.set(count);
    },
    isFull: counts === undefined ? (own) => own >= maxOpenExchanges : (own) => counts.isFull(own),
    isDraining: false,
    unfinished,
    gate,
    bodilessAnswers: new BodilessAnswers(),
    onFull: () => overload.refused('exchanges'),
  };
  const app = library.createApp({
    tls: certificate,
    readsProxyProtocol: source.readsProxyProtocol,
    keepAliveSeconds: settings.limits.keepAliveSeconds,
    onRequest: (res, req) => serveExchange(res, req, serving, state),
    onOpened(connection) {
      const addressKey = (): string => rateLimitKey(addressText(connection.getRemoteAddress()));
      gate.opened(addressKey, () => connection.close());
    },
    onClosed: () => gate.closed(),
  });
  if (settings.frontEnd === undefined) {
    socket = await openListener(app, settings).catch((error: unknown) => {
      gate.close();
      app.close();
      throw error;
    });
  }
  const port = socket?.port ?? settings.port;

  return {
    scheme: certificate === undefined ? 'http' : 'https',
    host: settings.host,
    port,
    get certificateExpiresAt() {
      return certificate && chainExpiresAt(certificate.cert);
    },
    async reloadCertificate() {
      const former = certificate;
      for (let read = await nextOf(certificate); read !== undefined; read = await nextOf(certificate)) {
        use(app, read);
        certificate = read;
      }
      return certificate !== former;
    },
    library: facts,
    keepsHeaderBytes: library.keepsHeaderBytes,
    get descriptor() {
      return app.descriptor;
    },
    get openExchanges() {
      return state.open;
    },
    setDraining() {
      state.isDraining = true;
    },
    load: () => ({
      serving: state.serving,
      unfinished: unfinished.size,
      bodyBytes: unfinished.bodyBytes,
      connections: gate.open,
    }),
    closeListening() {
      gate.close();
      stopListening();
    },
    whenIdle(timeoutMs) {
      return new Promise((resolve) => {
        const finish = (isIdle: boolean): void => {
          clearTimeout(timer);
          idleWaiters.delete(wake);
          resolve(isIdle);
        };
        const wake = (): void => {
          // What has arrived is read in a poll phase, which lies between the two.
          if (state.open === 0) setImmediate(() => setImmediate(() => state.open === 0 && finish(true)));
        };
        const timer = setTimeout(() => finish(state.open === 0), timeoutMs);
        idleWaiters.add(wake);
        wake();
      });
    },
    closeAll() {
      gate.close();
      socket = undefined;
      app.close();
    },
  };
}

/** Reads a certificate again; undefined if it is unchanged. @throws ServiceError `tls.unreadable` */
async function nextOf(current: Certificate | undefined): Promise<Certificate | undefined> {
  if (current === undefined) return undefined;
  const read = await readCertificate(current);
  return isSameCertificate(read, current) ? undefined : read;
}

function use(app: LibraryApp, certificate: Certificate): void {
  try {
    app.replaceCertificate(certificate);
  } catch (error) {
    // uWebSockets.js reads the files by itself: they may have changed since they were checked.
    throw unreadableTls(
      `tls.certFile ${certificate.certFile} with tls.keyFile ${certificate.keyFile}`,
      error,
    );
  }
}

/** Returns a lookup of the default headers of an owner, computed once each; a listener has few owners. */
function headersByOwner(common: Readonly<Record<string, string>>): (owner: PathOwner) => FixedHeaders {
  const known = new Map<PathOwner, FixedHeaders>();
  return (owner) => {
    let headers = known.get(owner);
    if (headers === undefined) {
      headers = new FixedHeaders({ ...common, ...owner.headers });
      known.set(owner, headers);
    }
    return headers;
  };
}

/**
 * Listens so that the port can be reopened later. uWebSockets.js sets SO_REUSEADDR only for an explicit port: on a port
 * chosen by the system, connections in TIME_WAIT would block reopening for a minute. For port 0 this therefore lets the
 * system choose a port, closes it and opens it explicitly.
 *
 * @throws ServiceError `server.port_in_use`
 */
export async function openListener(
  app: Acceptor,
  { listener, host, port }: Pick<HttpServerSettings, 'listener' | 'host' | 'port'>,
): Promise<ListenSocket> {
  for (let attempt = 1; attempt <= PORT_ATTEMPTS; attempt++) {
    const chosen = await app.listen(host, port);
    if (port !== 0 && chosen !== undefined) return chosen;
    if (chosen === undefined) break;
    chosen.close();
    // Another process may have taken the port in between.
    const opened = await app.listen(host, chosen.port);
    if (opened !== undefined) return opened;
  }
  const reason = 'it is in use, not permitted, or not an address of this machine';
  throw new ServiceError('server.port_in_use', `${listener}: cannot listen on ${host}:${port}: ${reason}`);
}
