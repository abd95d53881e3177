// Rules: spec/operations.md#postgresql-address
import { describe, expect, it } from 'vitest';
import {
  describeAddress,
  isLocal,
  parsePostgresAddress,
} from '../../../../src/storage/drivers/postgres/postgres-address.ts';
import { addressOf } from '../../support/postgres-address-of.ts';

describe('an address of PostgreSQL', () => {
  it('has defaults for all but user and host', () => {
    expect(addressOf('postgres://app@db.example')).toEqual({
      engine: 'postgres',
      hosts: [{ host: 'db.example', port: 5432 }],
      database: 'app',
      user: 'app',
      password: undefined,
      sslMode: 'verify-full',
      sslFiles: {},
      sslVersions: { minVersion: 'TLSv1.2' },
      isTlsDirect: false,
      channelBinding: 'disable',
      applicationName: 'proofgate',
      isPooled: false,
    });
  });

  it('names several servers, IPv6 addresses, sockets and encoded characters', () => {
    const url =
      'postgresql://a%40b:p%40ss%3A%2F%3F@one:1,[::1]:2,%2Frun%2Fpostgresql/my%20db?target_session_attrs=primary&application_name=n1&sslmode=disable';
    const address = addressOf(url);
    expect(address).toMatchObject({
      user: 'a@b',
      password: 'p@ss:/?',
      database: 'my db',
      applicationName: 'n1',
      hosts: [
        { host: 'one', port: 1 },
        { host: '::1', port: 2 },
        { host: '/run/postgresql', port: 5432 },
      ],
    });
    expect(describeAddress(address)).toBe('one:1,[::1]:2,/run/postgresql:5432/my db');
  });

  it.each([
    // Cloud SQL
    [
      'postgres://u:p@/db?host=/cloudsql/project:region:instance',
      {
        hosts: [{ host: '/cloudsql/project:region:instance', port: 5432 }],
        sslMode: 'disable',
        password: 'p',
      },
    ],
    [
      'postgres://u:p@localhost/db?host=/cloudsql/a:b:c',
      { hosts: [{ host: '/cloudsql/a:b:c', port: 5432 }] },
    ],
    // templates that leave values empty
    [
      'postgres://u:p@h/db?&user=&dbname=&sslmode=&sslrootcert=&application_name=&',
      { user: 'u', database: 'db', sslMode: 'verify-full', sslFiles: {}, applicationName: 'proofgate' },
    ],
    // Neon
    [
      'postgresql://u:p@ep-x-pooler.eu-central-1.aws.example/db?sslmode=require&channel_binding=require',
      { sslMode: 'require', channelBinding: 'require' },
    ],
    ['postgres://u@a/db?options=endpoint%3Dep-x', { options: 'endpoint=ep-x' }],
    // Render
    ['postgres://u:p@a/db?sslmode=require&connect_timeout=10', { sslMode: 'require' }],
    // Supabase
    [
      'postgres://postgres.ref:p@a:6543/postgres?pgbouncer=true&connection_limit=1&supa=base-pooler.x',
      { user: 'postgres.ref', isPooled: true, maxConnections: 1 },
    ],
    // libpq 16 and later
    [
      'postgres://u@a/db?sslmode=verify-full&sslrootcert=system',
      { sslMode: 'verify-full', sslFiles: { rootCert: 'system' } },
    ],
    ['postgres://u@127.0.0.1/db?sslrootcert=system', { sslMode: 'verify-full' }],
    ['postgres://u@a/db?sslnegotiation=direct', { isTlsDirect: true, sslMode: 'verify-full' }],
    // libpq: an authority that is named is checked
    ['postgres://u@a/db?sslmode=require&sslrootcert=/ca.pem', { sslMode: 'verify-ca' }],
    ['postgres://u@127.0.0.1/db?sslrootcert=/ca.pem', { sslMode: 'verify-full' }],
    ['postgres://u@a/db?sslmode=no-verify', { sslMode: 'require' }],
    ['postgres://u@127.0.0.1/db?ssl=true', { sslMode: 'verify-full' }],
    ['postgres://u@a/db?ssl=true&sslmode=require', { sslMode: 'require' }],
    [
      'postgres://u@a/db?ssl_min_protocol_version=TLSv1.3&ssl_max_protocol_version=TLSv1.3',
      { sslVersions: { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } },
    ],
    ['postgres://u@a/db?ssl_min_protocol_version=TLSv1', { sslVersions: { minVersion: 'TLSv1.2' } }],
    // all in parameters
    [
      'postgres://?host=a,b&port=1,2&user=u&password=p%26w&dbname=d&fallback_application_name=n&schema=s',
      {
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
        ],
        user: 'u',
        password: 'p&w',
        database: 'd',
        applicationName: 'n',
        schema: 's',
      },
    ],
    ['postgres://u@:5433/db?host=/tmp', { hosts: [{ host: '/tmp', port: 5433 }] }],
    ['postgres://u@a,b/?port=6432', { hosts: [expect.anything(), { host: 'b', port: 6432 }], database: 'u' }],
    // without effect
    [
      'postgres://u@a/db?keepalives=1&keepalives_idle=30&keepalives_interval=10&keepalives_count=3&tcp_user_timeout=9000',
      { user: 'u' },
    ],
    ['postgres://u@a/db?gssencmode=disable&client_encoding=UTF8&pool_timeout=0&sslsni=1', { user: 'u' }],
  ])('%s, as a provider or libpq has it, is read', (url, expected) => {
    expect(addressOf(url)).toMatchObject(expected);
  });

  it.each([
    ['postgres://app@127.0.0.1', 'disable'],
    ['postgres://app@localhost,[::1]', 'disable'],
    ['postgres://app@%2Ftmp', 'disable'],
    ['postgres://app@127.9.9.9', 'disable'],
    ['postgres://app@127.0.0.1.example', 'verify-full'],
    ['postgres://app@127.example', 'verify-full'],
    ['postgres://app@localhost,db', 'verify-full'],
    ['postgres://app@db?sslmode=require', 'require'],
  ])('%s has the sslmode %s', (url, mode) => {
    expect(addressOf(url).sslMode).toBe(mode);
    expect(isLocal(addressOf(url))).toBe(mode === 'disable');
  });

  it.each([
    ['postgres:app@db', 'expected postgres://'],
    ['postgres://', 'got no user'],
    ['postgres://db/x', 'got no user'],
    ['postgres://u@/x', 'expected a host'],
    ['postgres://u@a,,b/x', 'expected a host'],
    ['postgres://u@a:0/x', 'port'],
    ['postgres://u@a:65536/x', 'port'],
    ['postgres://u@[zz]/x', 'expected a host'],
    ['postgres://u@[1.2.3.4]/x', 'IPv6'],
    ['postgres://u:secret@pass@a/x', 'expected postgres://'],
    ['postgres://u:%zz@a/x', 'percent-encoding'],
    ['postgres://u@a/x?sslmode=prefer', 'plain text'],
    ['postgres://u@a/x?target_session_attrs=any', 'read-write'],
    ['postgres://u@a/x?sslmode=require&sslmode=disable', 'twice'],
    ['postgres://u@a/x?sslcert=/c', 'together'],
    ['postgres://u@a/x?sslmode=disable&sslrootcert=/c', 'need an sslmode'],
    ['postgres://u:s?cret@a/x', 'got no user'],
    ['postgres://u:1?secret=1@a/x', 'got no user'],
    ['postgres:///x?dbname=y', 'got no user'],
    ['postgres://u@/x?host=', 'expected a host'],
    ['postgres://u@a/x?host=b,,c', 'expected a host'],
    ['postgres://u@a,b/x?port=1,2,3', 'one port, or one for each host'],
    ['postgres://u@a/x?port=x', 'port'],
    ['postgres://u@a/x?sslmode=allow', 'plain text'],
    ['postgres://u@a/x?sslmode=secret-typo', 'sslmode must be'],
    ['postgres://u@a/x?ssl=1', 'ssl must be true or false'],
    ['postgres://u@a/x?ssl=true&sslmode=disable', 'contradict'],
    ['postgres://u@a/x?sslrootcert=system&sslmode=require', 'needs sslmode=verify-full'],
    ['postgres://u@a/x?sslrootcert=system&sslmode=verify-ca', 'needs sslmode=verify-full'],
    ['postgres://u@a/x?sslnegotiation=fast', 'sslnegotiation'],
    ['postgres://u@a/x?sslnegotiation=direct&sslmode=disable', 'sslnegotiation=direct needs TLS'],
    ['postgres://u@a/x?channel_binding=yes', 'channel_binding'],
    ['postgres://u@a/x?channel_binding=require&sslmode=disable', 'channel_binding=require needs TLS'],
    [
      'postgres://u@/x?host=/tmp&channel_binding=require&sslmode=require',
      'channel_binding=require needs TLS',
    ],
    ['postgres://u@a/x?ssl_min_protocol_version=SSLv3', 'ssl_min_protocol_version'],
    ['postgres://u@a/x?ssl_max_protocol_version=TLSv1.1', 'ssl_max_protocol_version'],
    ['postgres://u@a/x?pgbouncer=1', 'pgbouncer must be true or false'],
    ['postgres://u@a/x?connection_limit=0', 'connection_limit'],
    ['postgres://u@a/x?gssencmode=require', 'gssencmode'],
    ['postgres://u@a/x?client_encoding=latin1', 'client_encoding'],
    ['postgres://u@a/x?sslcompression=1', 'sslcompression'],
    ['postgres://u@a/x?sslsni=0', 'sslsni'],
    ['postgres://u@a/x?sslcertmode=require', 'sslcertmode'],
    ['postgres://u@a/x?load_balance_hosts=random', 'load_balance_hosts'],
    ['postgres://u@a/x?replication=database', 'replication'],
    ['postgres://u@a/x?connect_timeout=secret', 'connect_timeout'],
    ['postgres://u@a/x?passfile=/secret', 'passfile: put the password into the file'],
    ['postgres://u@a/x?service=secret', 'service'],
    ['postgres://u@a/x?hostaddr=10.0.0.1', 'hostaddr'],
    ['postgres://u@a/x?sslcrl=/c', 'sslcrl'],
    ['postgres://u@a/x?requirepeer=postgres', 'requirepeer'],
    ['postgres://u@a/x?require_auth=scram-sha-256', 'require_auth'],
    ['postgres://u@a/x?sslaccept=strict', 'sslaccept: set sslmode'],
    ['postgres://u@a/x?statement_timeout=5000', 'statement_timeout: storage.timeoutMs'],
    ['postgres://u@a/x?lock_timeout=5000', 'lock_timeout'],
    ['postgres://u@a/x?foo_bar=secret', 'unknown parameter foo_bar; known are host,'],
    ['postgres://u@a/x?%66oo=secret', 'unknown parameter foo; known'],
    ['postgres://u@a/x?s%20ecret=1', 'unknown parameter; known'],
    ['postgres://u@a/x?constructor=1', 'unknown parameter constructor'],
    ['postgres://u@a/x?__proto__=1', 'unknown parameter; known'],
    ['postgres://u@a/x?connect_timeout=1&connect_timeout=2', 'connect_timeout is given twice'],
  ])('%s is refused', (url, reason) => {
    const refusal = parsePostgresAddress(url);
    expect(refusal).toContain(reason);
    expect(refusal).not.toMatch(/s\?cret|secret|pass@/);
  });
});
