/** What an address of PostgreSQL may say besides its servers (spec/operations.md#postgresql-address). */

/** Parameters that are followed. */
const FOLLOWED = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'ssl',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslpassword',
  'ssl_min_protocol_version',
  'ssl_max_protocol_version',
  'sslnegotiation',
  'channel_binding',
  'target_session_attrs',
  'application_name',
  'fallback_application_name',
  'options',
  'schema',
  'pgbouncer',
  'connection_limit',
] as const;

type Parameter = (typeof FOLLOWED)[number];

/** Values of the parameters that are followed, as given. */
export type PostgresParameters = Readonly<Partial<Record<Parameter, string>>>;

/** A parameter without effect, with the values for which that is harmless, and the reason. */
interface Harmless {
  readonly values: RegExp;
  readonly reason: string;
}

const NUMBER = /^-?\d{1,10}$/;
const TIME_LIMIT: Harmless = { values: NUMBER, reason: 'every call and connection has storage.timeoutMs' };
const PROBES: Harmless = {
  values: NUMBER,
  reason: 'connections are kept alive, and calls have a time limit',
};
const NO_GSS = 'GSSAPI is not used';

/** Parameters without effect; any other value of theirs is refused. */
const HARMLESS: Readonly<Record<string, Harmless>> = {
  connect_timeout: TIME_LIMIT,
  pool_timeout: TIME_LIMIT,
  socket_timeout: TIME_LIMIT,
  tcp_user_timeout: TIME_LIMIT,
  keepalives: PROBES,
  keepalives_idle: PROBES,
  keepalives_interval: PROBES,
  keepalives_count: PROBES,
  gssencmode: { values: /^(disable|prefer)$/, reason: NO_GSS },
  gssdelegation: { values: /^0$/, reason: NO_GSS },
  gsslib: { values: /^\w+$/, reason: NO_GSS },
  krbsrvname: { values: /^[\w.-]+$/, reason: NO_GSS },
  client_encoding: { values: /^(utf-?8|unicode|auto)$/i, reason: 'texts are UTF-8' },
  sslcompression: { values: /^0$/, reason: 'TLS is not compressed' },
  sslsni: { values: /^1$/, reason: 'the name of the server is sent' },
  sslcertmode: { values: /^allow$/, reason: 'a certificate is sent if there is one' },
  load_balance_hosts: { values: /^disable$/, reason: 'servers are tried in order' },
  replication: { values: /^(false|off|no|0)$/, reason: 'connections are no replication' },
  uselibpqcompat: { values: /^true$/, reason: 'sslmode has the meaning of libpq' },
  supa: { values: /^[\w.-]+$/, reason: 'it is a note of the provider' },
};

/** Parameters that are refused, with what to do. */
const REFUSED: Readonly<Record<string, string>> = {
  passfile: 'put the password into the file that PROOFGATE_STORAGE_PASSWORD_FILE names',
  service: 'write what the service file has into the address',
  servicefile: 'write what the service file has into the address',
  hostaddr: 'write the address in place of the host',
  sslcrl: 'revocation lists are not read',
  sslcrldir: 'revocation lists are not read',
  sslaccept: 'set sslmode to verify-full, or to require for a certificate that is not verified',
  requirepeer: 'the owner of a socket is not checked',
  require_auth: 'channel_binding=require makes sure of the authentication by SCRAM',
  statement_timeout: 'storage.timeoutMs bounds every call',
  query_timeout: 'storage.timeoutMs bounds every call',
  lock_timeout: 'set it for the role in PostgreSQL',
  idle_in_transaction_session_timeout: 'the service sets it itself',
};

/** Names of parameters, for a message. */
const KNOWN: string = [...FOLLOWED, ...Object.keys(HARMLESS)].join(', ');
/** A name that can be shown: what follows a question mark may be the rest of a password. */
const SHOWABLE = /^[A-Za-z][\w.-]{0,62}$/;

/** Why an address is refused; repeats nothing that may be secret. */
export class AddressRefusal extends Error {}

/**
 * Parses the query of an address. An empty value of a parameter that is followed, as templates leave it, counts as none.
 *
 * @throws AddressRefusal, URIError
 */
export function parseParameters(query: string): PostgresParameters {
  const given = new Map<string, string>();
  for (const pair of query.split('&').filter((each) => each !== '')) {
    const [rawName = '', ...rest] = pair.split('=');
    const name = decodeURIComponent(rawName);
    const value = decodeURIComponent(rest.join('='));
    const isFollowed = isParameter(name);
    if (!isFollowed) checkUnfollowed(name, value);
    if (given.has(name)) throw new AddressRefusal(`${name} is given twice`);
    given.set(name, value);
  }
  return Object.fromEntries([...given].filter(([name, value]) => isParameter(name) && value !== ''));
}

function isParameter(name: string): name is Parameter {
  return (FOLLOWED as readonly string[]).includes(name);
}

function checkUnfollowed(name: string, value: string): void {
  const cure = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (cure !== undefined) throw new AddressRefusal(`remove the parameter ${name}: ${cure}`);
  const harmless = Object.hasOwn(HARMLESS, name) ? HARMLESS[name] : undefined;
  if (harmless === undefined) {
    const shown = SHOWABLE.test(name) ? ` ${name}` : '';
    throw new AddressRefusal(`unknown parameter${shown}; known are ${KNOWN}`);
  }
  if (!harmless.values.test(value)) {
    throw new AddressRefusal(`remove the parameter ${name}, or this value of it: ${harmless.reason}`);
  }
}
