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
      applicationName: 'proofgate',
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
    ['postgres://u@a/x?options=-c%20fsync', 'unknown parameter'],
    ['postgres://u@a/x?sslmode=require&sslmode=disable', 'twice'],
    ['postgres://u@a/x?sslcert=/c', 'together'],
    ['postgres://u@a/x?sslmode=disable&sslrootcert=/c', 'need an sslmode'],
    ['postgres://u:s?cret@a/x', 'got no user'],
  ])('%s is refused', (url, reason) => {
    const refusal = parsePostgresAddress(url);
    expect(refusal).toContain(reason);
    expect(refusal).not.toMatch(/s\?cret|secret|pass@/);
  });
});
