import { readFileSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import tls, { type ConnectionOptions, type SecureVersion } from 'node:tls';
import { AddressRefusal, type PostgresParameters, parseParameters } from './postgres-parameters.ts';

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
  /** Passphrase of the key. */
  readonly sslPassword?: string;
  readonly sslVersions: { readonly minVersion: SecureVersion; readonly maxVersion?: SecureVersion };
  /** Whether TLS begins without a request of PostgreSQL's protocol. */
  readonly isTlsDirect: boolean;
  /** Whether authentication is bound to TLS: never, where the server offers it, or else there is no connection. */
  readonly channelBinding: 'disable' | 'prefer' | 'require';
  readonly applicationName: string;
  /** Settings of the session, as PostgreSQL takes them at its start. */
  readonly options?: string;
  /** Schema of the store. */
  readonly schema?: string;
  /** Whether the address is that of a pooler that shares sessions: no statement is prepared by name. */
  readonly isPooled: boolean;
  /** Maximum number of connections. */
  readonly maxConnections?: number;
}

const DEFAULT_PORT = 5432;
const MAX_PORT = 65_535;
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;
const SSL_MODES: readonly SslMode[] = ['disable', 'require', 'verify-ca', 'verify-full'];
const WRITABLE: readonly string[] = ['read-write', 'primary'];
/** Value of `sslrootcert` for the authorities that the system trusts. */
const SYSTEM_ROOTS = 'system';
// What is older is refused in any case.
const TLS_VERSIONS: readonly string[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];

/**
 * Parses `postgres://user:password@host:port,host:port/database?parameter=value`, the form of libpq, with the
 * parameters of `postgres-parameters.ts`. User, password, database and the folder of a socket are percent-encoded.
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
    if (error instanceof AddressRefusal) return error.message;
    if (error instanceof URIError) return 'malformed percent-encoding';
    throw error;
  }
}

/** Whether all traffic to the servers stays on this machine. */
export function isLocal({ hosts }: Pick<PostgresAddress, 'hosts'>): boolean {
  return hosts.every(
    ({ host }) =>
      isSocket({ host }) ||
      ['localhost', '::1'].includes(host) ||
      // a name may begin as such an address does
      (isIPv4(host) && host.startsWith('127.')),
  );
}

/** Whether a server is reached by a Unix socket, on which there is no TLS. */
export function isSocket({ host }: Pick<PostgresHost, 'host'>): boolean {
  return host.startsWith('/');
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
export function tlsOptions(address: PostgresAddress): ConnectionOptions | false {
  const { sslMode, sslFiles, sslPassword, sslVersions } = address;
  if (sslMode === 'disable') return false;
  const { rootCert, cert, key } = sslFiles;
  return {
    ...sslVersions,
    rejectUnauthorized: sslMode !== 'require',
    ...(rootCert === undefined ? {} : rootsOf(rootCert)),
    ...(cert === undefined ? {} : { cert: readFileSync(cert) }),
    ...(key === undefined ? {} : { key: readFileSync(key) }),
    ...(sslPassword === undefined ? {} : { passphrase: sslPassword }),
    // The chain is checked, the name is not.
    ...(sslMode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  };
}

/** Node 22.15 and later have this function. Before, the list of Node itself with NODE_EXTRA_CA_CERTS serves. */
const { getCACertificates } = tls as {
  readonly getCACertificates?: (type: 'system' | 'extra') => readonly string[];
};

function rootsOf(rootCert: string): Pick<ConnectionOptions, 'ca'> {
  if (rootCert !== SYSTEM_ROOTS) return { ca: readFileSync(rootCert) };
  const system = getCACertificates?.('system') ?? [];
  // A container may have none.
  return system.length === 0 ? {} : { ca: [...system, ...(getCACertificates?.('extra') ?? [])] };
}

function toAddress([
  ,
  userInfo = '',
  hostList = '',
  path = '',
  query = '',
]: RegExpExecArray): PostgresAddress {
  // Before the parameters are read: without a user, what looks like one may be the rest of a password.
  const [writtenUser, writtenPassword] = parseUserInfo(userInfo);
  if (writtenUser === '' && !/(^|&)user=./.test(query)) {
    throw new AddressRefusal('expected postgres://<user>@<host>, got no user');
  }
  const parameters = parseParameters(query);
  const user = parameters.user ?? writtenUser;
  const hosts = hostsOf(hostList, parameters);
  const target = parameters.target_session_attrs ?? 'read-write';
  if (!WRITABLE.includes(target)) {
    throw new AddressRefusal('target_session_attrs must be read-write: no decision is made on a standby');
  }
  const { application_name, dbname, fallback_application_name, options, password, schema } = parameters;
  const maxConnections = countOf(parameters.connection_limit);
  return {
    engine: 'postgres',
    hosts,
    database: dbname ?? (path === '' ? user : decodeURIComponent(path)),
    user,
    password: password ?? writtenPassword,
    ...tlsOf(parameters, hosts),
    applicationName: application_name ?? fallback_application_name ?? 'proofgate',
    ...(options === undefined ? {} : { options }),
    ...(schema === undefined || schema === '' ? {} : { schema }),
    isPooled: isOn('pgbouncer', parameters.pgbouncer),
    ...(maxConnections === undefined ? {} : { maxConnections }),
  };
}

type TlsPart = Pick<
  PostgresAddress,
  'sslMode' | 'sslFiles' | 'sslPassword' | 'sslVersions' | 'isTlsDirect' | 'channelBinding'
>;

function tlsOf(parameters: PostgresParameters, hosts: readonly PostgresHost[]): TlsPart {
  const sslMode = sslModeOf(parameters, hosts);
  const { sslpassword, sslnegotiation = 'postgres', channel_binding = 'disable' } = parameters;
  if (sslnegotiation !== 'postgres' && sslnegotiation !== 'direct') {
    throw new AddressRefusal('sslnegotiation must be postgres or direct');
  }
  if (channel_binding !== 'disable' && channel_binding !== 'prefer' && channel_binding !== 'require') {
    throw new AddressRefusal('channel_binding must be disable, prefer or require');
  }
  const needing = [
    sslnegotiation === 'direct' ? 'sslnegotiation=direct' : '',
    channel_binding === 'require' ? 'channel_binding=require' : '',
  ].filter((each) => each !== '');
  if (needing.length > 0 && (sslMode === 'disable' || hosts.some(isSocket))) {
    throw new AddressRefusal(
      `${needing.join(' and ')} needs TLS, which sockets and sslmode=disable have not`,
    );
  }
  return {
    sslMode,
    sslFiles: sslFilesOf(parameters, sslMode),
    ...(sslpassword === undefined ? {} : { sslPassword: sslpassword }),
    sslVersions: sslVersionsOf(parameters),
    isTlsDirect: sslnegotiation === 'direct',
    channelBinding: channel_binding,
  };
}

function sslModeOf(parameters: PostgresParameters, hosts: readonly PostgresHost[]): SslMode {
  const { channel_binding, ssl, sslmode, sslnegotiation, sslrootcert } = parameters;
  const needsTls =
    isOn('ssl', ssl) ||
    sslrootcert !== undefined ||
    channel_binding === 'require' ||
    sslnegotiation === 'direct';
  const usual = isLocal({ hosts }) && !needsTls ? 'disable' : 'verify-full';
  // The name that node-postgres has for it.
  const sslMode = sslmode === 'no-verify' ? 'require' : (sslmode ?? usual);
  if (!isSslMode(sslMode)) {
    throw new AddressRefusal(`sslmode must be ${SSL_MODES.join(', ')}: the others fall back to plain text`);
  }
  if (sslMode === 'disable' && isOn('ssl', ssl)) {
    throw new AddressRefusal('ssl=true and sslmode=disable contradict each other');
  }
  if (sslrootcert === SYSTEM_ROOTS && sslMode !== 'verify-full') {
    throw new AddressRefusal(
      'sslrootcert=system needs sslmode=verify-full: public authorities certify anybody under their own name',
    );
  }
  // As libpq does: whoever names an authority wants it checked.
  return sslmode === 'require' && sslrootcert !== undefined ? 'verify-ca' : sslMode;
}

function sslVersionsOf(parameters: PostgresParameters): PostgresAddress['sslVersions'] {
  const { ssl_min_protocol_version: least = 'TLSv1.2', ssl_max_protocol_version: most } = parameters;
  for (const [name, version] of [
    ['ssl_min_protocol_version', least],
    ['ssl_max_protocol_version', most ?? 'TLSv1.3'],
  ] as const) {
    const isOld = name === 'ssl_max_protocol_version' && version < 'TLSv1.2';
    if (TLS_VERSIONS.includes(version) && !isOld) continue;
    throw new AddressRefusal(`${name} must be TLSv1.2 or TLSv1.3`);
  }
  return {
    minVersion: least === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2',
    ...(most === undefined ? {} : { maxVersion: most as SecureVersion }),
  };
}

function sslFilesOf(
  { sslrootcert, sslcert, sslkey }: PostgresParameters,
  sslMode: SslMode,
): PostgresAddress['sslFiles'] {
  const files = {
    ...(sslrootcert === undefined ? {} : { rootCert: sslrootcert }),
    ...(sslcert === undefined ? {} : { cert: sslcert }),
    ...(sslkey === undefined ? {} : { key: sslkey }),
  };
  if (sslMode === 'disable' && Object.keys(files).length > 0) {
    throw new AddressRefusal('sslrootcert, sslcert and sslkey need an sslmode other than disable');
  }
  if ((sslcert === undefined) !== (sslkey === undefined)) {
    throw new AddressRefusal('sslcert and sslkey are given together');
  }
  return files;
}

function isSslMode(text: string): text is SslMode {
  return (SSL_MODES as readonly string[]).includes(text);
}

function isOn(name: string, text = 'false'): boolean {
  if (text !== 'true' && text !== 'false') throw new AddressRefusal(`${name} must be true or false`);
  return text === 'true';
}

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new AddressRefusal('connection_limit must be a number from 1');
  return Number(text);
}

function parseUserInfo(text: string): [user: string, password: string | undefined] {
  const colon = text.indexOf(':');
  const user = decodeURIComponent(colon < 0 ? text : text.slice(0, colon));
  return [user, colon < 0 ? undefined : decodeURIComponent(text.slice(colon + 1))];
}

/** Returns the servers; those of the parameters `host` and `port` replace those of the address, as in libpq. */
function hostsOf(hostList: string, { host, port }: PostgresParameters): PostgresHost[] {
  const written = hostList.split(',').map(parseHost);
  const hosts = host === undefined ? written.map((each) => each.host) : host.split(',');
  const ports = port === undefined ? written.map((each) => each.port) : port.split(',');
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new AddressRefusal('expected one port, or one for each host');
  }
  return hosts.map((each, at) => {
    if (each === '') throw new AddressRefusal('expected a host, or several separated by commas');
    return { host: each, port: portOf(ports.length === 1 ? ports[0] : ports[at]) };
  });
}

function parseHost(text: string): { readonly host: string; readonly port: string | undefined } {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::(\d+))?$/.exec(text);
  if (match === null) throw new AddressRefusal('expected a host, or several separated by commas');
  const [, bracketed, plain = '', port] = match;
  if (bracketed !== undefined && isIP(bracketed) !== 6)
    throw new AddressRefusal('expected an IPv6 address in brackets');
  return { host: bracketed ?? decodeURIComponent(plain), port };
}

function portOf(text: string | undefined): number {
  const port = text === undefined || text === '' ? DEFAULT_PORT : Number(text);
  if (/^\d*$/.test(text ?? '') && port >= 1 && port <= MAX_PORT) return port;
  throw new AddressRefusal(`expected a port of 1 to ${MAX_PORT}`);
}
