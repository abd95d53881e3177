// Rules: spec/refresh.md#credential-export
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/storage/open-store.ts';
import type { IssuedCredentialRow } from '../../../../src/storage/refresh/issued-credential.ts';
import { useCliFolder } from '../../support/cli.ts';
import { enrolmentLines } from '../../support/enrolment-lines.ts';
import { runWithClosedReader } from '../../support/process.ts';

const FIRST = Date.UTC(2026, 0, 15, 9, 30);
const folder = useCliFolder();

function bytes(length: number, index: number): Uint8Array {
  const word = Buffer.alloc(length);
  word.writeUInt32BE(index, length - 4);
  return word;
}

function rowOf(index: number, changes: Partial<IssuedCredentialRow> = {}): IssuedCredentialRow {
  return {
    issuerSchemaId: '1',
    credentialId: bytes(8, index),
    idComm: bytes(32, index),
    sub: bytes(32, index + 1_000_000),
    genesisIssuedAt: 1_700_000_000_000,
    issuedAt: FIRST,
    expiresAt: 1_800_000_000_000,
    claim0: bytes(32, 1),
    claimSource: 'refresh',
    manifestSha256: null,
    operatorId: null,
    credentialHash: bytes(32, index),
    signature: bytes(64, index),
    keyId: '00'.repeat(32),
    encryptedUserId: null,
    ...changes,
  };
}

async function issue(rows: readonly IssuedCredentialRow[]): Promise<void> {
  await folder.json('signups import -', { stdin: enrolmentLines(1, rows.length) });
  const url = `libsql:${folder.path}/proofgate.db`;
  const store = await openStore({ url, groupMaxRows: 10, groupMaxDelayMs: 0 });
  try {
    const limit = { credentials: 0, windowMs: 1 };
    const outcomes = await Promise.all(rows.map(async (row) => await store.issuance.issue(row, limit)));
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['issued']));
  } finally {
    await store.close();
  }
}

async function exported(since: string): Promise<string[]> {
  const { code, stdout } = await folder.run(['credentials', 'export', '--since', since]);
  expect(code).toBe(0);
  return stdout.split('\n').slice(0, -1);
}

describe('proofgate credentials export', () => {
  it('prints records as JSON Lines, with all digits of a u64', async () => {
    await issue([
      rowOf(1, {
        issuerSchemaId: '18446744073709551615',
        credentialId: Buffer.from('123456789abcdef0', 'hex'),
        claimSource: 'pcp',
        manifestSha256: bytes(32, 9),
        operatorId: 'operator "1"',
        encryptedUserId: 'opaque\u2028text',
      }),
    ]);
    const [line = '', ...more] = await exported('0');
    expect(more).toEqual([]);
    expect(line).toBe(
      [
        `{"id_comm":"0x${'0'.repeat(63)}1"`,
        `"sub":"0x${(1_000_001).toString(16).padStart(64, '0')}"`,
        '"issuer_schema_id":18446744073709551615',
        '"id":1311768467463790320',
        '"genesis_issued_at":"2023-11-14T22:13:20.000Z"',
        '"issued_at":"2026-01-15T09:30:00.000Z"',
        '"expires_at":"2027-01-15T08:00:00.000Z"',
        '"operator_id":"operator \\"1\\""',
        '"encrypted_user_id":"opaque\u2028text"}',
      ].join(','),
    );
    expect(JSON.parse(line)).toMatchObject({ operator_id: 'operator "1"' });
  });

  it('prints the credentials issued since a time, oldest first', async () => {
    await issue([
      rowOf(1, { issuedAt: FIRST + 1 }),
      rowOf(2, { issuedAt: FIRST }),
      rowOf(3, { issuedAt: FIRST - 1 }),
    ]);
    const idsSince = async (since: string): Promise<number[]> =>
      (await exported(since)).map((line) => (JSON.parse(line) as { id: number }).id);
    expect(await idsSince('2026-01-15T09:30:00Z')).toEqual([2, 1]);
    expect(await idsSince('2026-01-15')).toEqual([3, 2, 1]);
    expect(await idsSince('2027-01-01')).toEqual([]);
  });

  it('prints every record once when pages end within one millisecond, and ends quietly when its reader closes', async () => {
    const rows = Array.from({ length: 2500 }, (_, index) => rowOf(index + 1));
    await issue(rows);
    const lines = await exported('0');
    expect(new Set(lines).size).toBe(2500);
    expect(lines).toHaveLength(2500);
    const argv = ['credentials', 'export', '--since', '0'];
    const env = { PROOFGATE_DATA_DIR: folder.path };
    expect(await runWithClosedReader(argv, env)).toEqual({ code: 1, stderr: '' });
  });

  it('refuses an invalid time, and requires one', async () => {
    const wrong = await folder.run('credentials export --since yesterday');
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('--since: expected whole milliseconds since 1970');
    expect((await folder.run('credentials export')).code).toBe(2);
  });
});
