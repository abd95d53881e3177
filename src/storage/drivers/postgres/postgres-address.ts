import { readFileSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

/** One server of a PostgreSQL address: host name, IP address, or folder of a Unix socket. */
export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

/** Protection of a connection: see `sslmode` in spec/operations.md#postgresql-address. */
export type SslMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

/** A PostgreSQL database and how to reach it. */
export interface PostgresAddress {
  readonly engine: 'postgres';
  /** Servers in the order of preference; the first that accepts writes is used. */
  readonly hosts: readonly PostgresHost[];
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly sslMode: SslMode;
  /** Files in PEM. */
  readonly sslFiles: { readonly rootCert?: string; readonly cert?: string; readonly key?: string };
  readonly applicationName: string;
}

const DEFAULT_PORT = 5432;
const MAX_PORT = 65_535;
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;
const SSL_MODES: readonly SslMode[] = ['disable', 'require', 'verify-ca', 'verify-full'];
const WRITABLE: readonly string[] = ['read-write', 'primary'];
const PARAMETERS = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'target_session_attrs',
  'application_name',
] as const;

type Parameter = (typeof PARAMETERS)[number];

/**
 * Parses `postgres://user:password@host:port,host:port/database?parameter=value`, the form of libpq, with the
 * parameters of `PARAMETERS`. User, password, database and the folder of a socket are percent-encoded.
 *
 * @returns The address, or why it is refused; the reason repeats nothing that may be secret.
 */
export function parsePostgresAddress(url: string): PostgresAddress | string {
  const match = FORM.exec(url);
  if (match === null) {
    return 'expected postgres://<user>@<host>[:<port>][,<host>…]/<database>, in which special characters of a password are percent-encoded';
  }
  try {
    return toAddress(match);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    if (error instanceof URIError) return 'malformed percent-encoding';
    throw error;
  }
}

/** Whether all traffic to the servers stays on this machine. */
export function isLocal({ hosts }: Pick<PostgresAddress, 'hosts'>): boolean {
  return hosts.every(
    ({ host }) =>
      host.startsWith('/') ||
      ['localhost', '::1'].includes(host) ||
      // a name may begin as such an address does
      (isIPv4(host) && host.startsWith('127.')),
  );
}

/** Names the servers and the database, without user and password. */
export function describeAddress({ hosts, database }: PostgresAddress): string {
  return `${hosts.map(describeHost).join(',')}/${database}`;
}

/** Writes a server as in an address. */
export function describeHost({ host, port }: PostgresHost): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/**
 * Reads the files of an address and returns the TLS options of a connection; false for a connection without TLS.
 *
 * @throws Error of `node:fs`
 */
export function tlsOptions({ sslMode, sslFiles }: PostgresAddress): ConnectionOptions | false {
  if (sslMode === 'disable') return false;
  const { rootCert, cert, key } = sslFiles;
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: sslMode !== 'require',
    ...(rootCert === undefined ? {} : { ca: readFileSync(rootCert) }),
    ...(cert === undefined ? {} : { cert: readFileSync(cert) }),
    ...(key === undefined ? {} : { key: readFileSync(key) }),
    // The chain is checked, the name is not.
    ...(sslMode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  };
}

class Refusal extends Error {}

function toAddress([
  ,
  userInfo = '',
  hostList = '',
  path = '',
  query = '',
]: RegExpExecArray): PostgresAddress {
  const [user, password] = parseUserInfo(userInfo);
  const hosts = hostList.split(',').map(parseHost);
  const parameters = parseParameters(query);
  const target = parameters.target_session_attrs ?? 'read-write';
  if (!WRITABLE.includes(target)) {
    throw new Refusal('target_session_attrs must be read-write: no decision is made on a standby');
  }
  const sslMode = parameters.sslmode ?? (isLocal({ hosts }) ? 'disable' : 'verify-full');
  if (!isSslMode(sslMode)) {
    throw new Refusal(`sslmode must be ${SSL_MODES.join(', ')}: the others fall back to plain text`);
  }
  return {
    engine: 'postgres',
    hosts,
    database: path === '' ? user : decodeURIComponent(path),
    user,
    password,
    sslMode,
    sslFiles: sslFilesOf(parameters, sslMode),
    applicationName: parameters.application_name ?? 'proofgate',
  };
}

function sslFilesOf(
  { sslrootcert, sslcert, sslkey }: Partial<Record<Parameter, string>>,
  sslMode: SslMode,
): PostgresAddress['sslFiles'] {
  const files = {
    ...(sslrootcert === undefined ? {} : { rootCert: sslrootcert }),
    ...(sslcert === undefined ? {} : { cert: sslcert }),
    ...(sslkey === undefined ? {} : { key: sslkey }),
  };
  if (sslMode === 'disable' && Object.keys(files).length > 0) {
    throw new Refusal('sslrootcert, sslcert and sslkey need an sslmode other than disable');
  }
  if ((sslcert === undefined) !== (sslkey === undefined)) {
    throw new Refusal('sslcert and sslkey are given together');
  }
  return files;
}

function isSslMode(text: string): text is SslMode {
  return (SSL_MODES as readonly string[]).includes(text);
}

function parseUserInfo(text: string): [user: string, password: string | undefined] {
  const colon = text.indexOf(':');
  const user = decodeURIComponent(colon < 0 ? text : text.slice(0, colon));
  if (user === '') throw new Refusal('expected postgres://<user>@<host>, got no user');
  return [user, colon < 0 ? undefined : decodeURIComponent(text.slice(colon + 1))];
}

function parseHost(text: string): PostgresHost {
  const [, bracketed, plain = '', digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? decodeURIComponent(plain);
  if (host === '') throw new Refusal('expected a host, or several separated by commas');
  if (bracketed !== undefined && isIP(bracketed) !== 6)
    throw new Refusal('expected an IPv6 address in brackets');
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  if (port < 1 || port > MAX_PORT) throw new Refusal(`expected a port of 1 to ${MAX_PORT}`);
  return { host, port };
}

function parseParameters(query: string): Partial<Record<Parameter, string>> {
  const parameters: Partial<Record<Parameter, string>> = {};
  for (const pair of query === '' ? [] : query.split('&')) {
    const [rawName = '', ...rest] = pair.split('=');
    const name = PARAMETERS.find((each) => each === decodeURIComponent(rawName));
    // The name may be the rest of a password with an unescaped question mark.
    if (name === undefined) throw new Refusal(`unknown parameter; known are ${PARAMETERS.join(', ')}`);
    if (parameters[name] !== undefined) throw new Refusal(`${name} is given twice`);
    parameters[name] = decodeURIComponent(rest.join('='));
  }
  return parameters;
}
