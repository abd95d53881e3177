import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { snippet } from './support/snippets.ts';
import { describeBackEnd } from './support/verify-backend.ts';

describeBackEnd({
  name: 'Express (TypeScript)',
  missing: undefined,
  files: ['proofgate.ts', 'server.ts'],
  start: 'start-express.sh',
  prepare: () => ({}),
});

describe('the table of verify.md', () => {
  it('takes a nullifier once', () => {
    const database = new Database(':memory:');
    const [create = '', insert = ''] = snippet('verify', 'votes.sql').split('\n');
    database.exec(create);
    const changes = (): number => database.prepare(insert.replace(/;.*/, '')).run().changes;
    expect([changes(), changes()]).toEqual([1, 0]);
    database.close();
  });
});
