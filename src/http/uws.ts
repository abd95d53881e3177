// biome-ignore lint/style/noRestrictedImports: src/http is the one folder that talks to uWebSockets.js
import type * as Uws from 'uWebSockets.js';
import type { TlsFiles } from '../config/sources/tls-files.ts';
import { loadPatchedUws } from './patched-uws.ts';

/** Response object of uWebSockets.js; only `exchange.ts` uses it, and `server.ts` for connections that open. */
export type UwsResponse = Uws.HttpResponse;
/** Request object of uWebSockets.js, valid until its handler returns; only `exchange.ts` uses it. */
export type UwsRequest = Uws.HttpRequest;
/** Token of an open listen socket. */
export type UwsListenSocket = Uws.us_listen_socket;

/**
 * An application of uWebSockets.js, with a signature of `listen` that the package accepts but does not
 * declare.
 */
export interface UwsApp {
  /**
   * Calls back with 1 for each connection that opens and with -1 for each that closed; in the latter case
   * `res` is unusable.
   */
  filter(handler: (res: UwsResponse, count: number) => void): unknown;
  any(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): unknown;
  listen(
    host: string,
    port: number,
    options: number,
    onListen: (token: UwsListenSocket | false) => void,
  ): unknown;
  close(): unknown;
}

/** The part of uWebSockets.js that this service uses. */
export interface UwsModule {
  /** Creates an application, which serves TLS if files are given; they must be usable. */
  createApp(tls?: TlsFiles): UwsApp;
  readonly exclusivePort: number;
  /** Whether spaces and tabs alone are stripped off header values; false if bytes from 0x80 may be stripped, too. */
  readonly keepsHeaderBytes: boolean;
  localPort(token: UwsListenSocket): number;
  closeListenSocket(token: UwsListenSocket): void;
}

// Largest request head in bytes (spec/sign-in.md#request-head); the default of the library is 4,096. Each open
// connection may hold this much of an incomplete head; only this and the number of connections bound that memory.
const MAX_HEAD_BYTES = '40960';

// Forward secrecy and authenticated encryption only (RFC 9325 section 4.2). TLS 1.3 has no others.
const TLS_1_2_CIPHERS = 'ECDHE+AESGCM:ECDHE+CHACHA20';

let loaded: Promise<UwsModule> | undefined;

/**
 * Loads uWebSockets.js once, after setting the limit of request heads, which it reads at import.
 *
 * @param folder - A folder that this process may write, see `loadPatchedUws`.
 */
export function loadUws(folder?: string): Promise<UwsModule> {
  loaded ??= load(folder);
  return loaded;
}

async function load(folder: string | undefined): Promise<UwsModule> {
  // biome-ignore lint/style/noProcessEnv: written, not read; the package takes this setting from the environment only
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = MAX_HEAD_BYTES;
  const patched = loadPatchedUws(folder);
  // biome-ignore lint/style/noRestrictedImports: src/http is the one folder that talks to uWebSockets.js
  const uws = (patched ?? (await import('uWebSockets.js'))) as NativeModule;
  return {
    createApp: (tls) =>
      tls === undefined
        ? uws.App()
        : uws.SSLApp({
            cert_file_name: tls.certFile,
            key_file_name: tls.keyFile,
            ssl_ciphers: TLS_1_2_CIPHERS,
          }),
    exclusivePort: uws.LIBUS_LISTEN_EXCLUSIVE_PORT,
    // Characters are unsigned on Linux for ARM64.
    keepsHeaderBytes: patched !== undefined || (process.platform === 'linux' && process.arch === 'arm64'),
    localPort: (token) => uws.us_socket_local_port(token),
    closeListenSocket: (token) => uws.us_listen_socket_close(token),
  };
}

/** The module as it is at run time: its declarations and its exports name the listen options differently. */
interface NativeModule {
  App(): UwsApp;
  SSLApp(options: {
    readonly cert_file_name: string;
    readonly key_file_name: string;
    readonly ssl_ciphers: string;
  }): UwsApp;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  us_socket_local_port(token: UwsListenSocket): number;
  us_listen_socket_close(token: UwsListenSocket): void;
}
