// Rules: spec/operations.md#transactions-on-postgresql and spec/operations.md#postgresql-failures
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { postgresFailure } from '../../../../src/storage/drivers/postgres/postgres-failure.ts';

/** An error as the server sends it. */
function serverError(code: string, fields: Partial<pg.DatabaseError> = {}): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('it failed', 10, 'error'), { code, ...fields });
}

describe('an error of PostgreSQL', () => {
  it.each([
    ['a serialization failure', '40001', 'store.unreachable'],
    ['a deadlock', '40P01', 'store.unreachable'],
    ['a unique violation', '23505', 'store.failed'],
    ['a table that was made at the same time', '42P07', 'store.failed'],
    ['a concurrent change of the catalogue', 'XX000', 'store.failed'],
  ])('%s is tried again on the same connection', (_what, sqlState, code) => {
    expect(postgresFailure(serverError(sqlState))).toEqual({
      code,
      message: `it failed (${sqlState})`,
      sqlState,
      isRetried: true,
      isConnectionLost: false,
      isCommitUnclear: false,
    });
  });

  it.each([
    ['42P01', 'store.migrations_pending'],
    ['42703', 'store.migrations_pending'],
    ['23502', 'store.failed'],
    ['22021', 'store.failed'],
    ['42601', 'store.failed'],
  ])('%s of the statement itself is %s, and the connection stays', (sqlState, code) => {
    expect(postgresFailure(serverError(sqlState))).toMatchObject({
      code,
      isRetried: false,
      isConnectionLost: false,
      isCommitUnclear: false,
    });
  });

  it.each(['25006', '53100', '53300', '55P03'])(
    '%s drops the connection after a certain rollback',
    (sqlState) => {
      expect(postgresFailure(serverError(sqlState))).toMatchObject({
        code: 'store.unreachable',
        sqlState,
        isConnectionLost: true,
        isCommitUnclear: false,
      });
    },
  );

  it.each(['57P01', '57P02', '57014', '08006', '40003', '58030', 'XX001', '99999'])(
    '%s drops the connection, and a commit may have happened',
    (sqlState) => {
      expect(postgresFailure(serverError(sqlState))).toMatchObject({
        code: 'store.unreachable',
        isConnectionLost: true,
        isCommitUnclear: true,
      });
    },
  );

  it.each([
    Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
    Object.assign(new Error('a socket'), { code: '23505' }),
    new AggregateError([new Error('write EPIPE'), new Error('another')]),
    'a text',
  ])('%s is no SQLSTATE', (error) => {
    const failure = postgresFailure(error);
    expect(failure).toMatchObject({ code: 'store.unreachable', isCommitUnclear: true });
    expect(failure.sqlState).toBeUndefined();
  });

  it('says which of several addresses failed, and what a pooler needs', () => {
    expect(postgresFailure(new AggregateError([new Error('refused')])).message).toBe('refused');
    expect(postgresFailure(serverError('42P05')).message).toContain('storage.prepare=false');
    expect(postgresFailure(serverError('0A000', { routine: 'RevalidateCachedQuery' }))).toMatchObject({
      isRetried: true,
      isConnectionLost: true,
    });
    expect(postgresFailure(serverError('0A000'))).toMatchObject({ code: 'store.failed', isRetried: false });
  });
});
