import { beforeEach, describe, expect, it } from 'vitest';
import type { EnrolmentRow } from '../../../../../src/storage/refresh/enrolments.ts';
import type { Issuance, IssuanceLimit } from '../../../../../src/storage/refresh/issuance.ts';
import type { IssuedCredentialRow } from '../../../../../src/storage/refresh/issued-credential.ts';
import { credential, enrolment, identity, LIMIT, SCHEMA, START, UNLIMITED } from '../../refresh-rows.ts';
import { bytes32 } from '../../rows.ts';
import { store } from '../../subject.ts';

const DAY_MS = 86_400_000;
const PACKAGE: Partial<IssuedCredentialRow> = {
  claimSource: 'pcp',
  manifestSha256: bytes32(6),
  operatorId: `operator ' $1`,
};

/** Tests for bindings and issued credentials, with sequential calls. */
export function describeIssuance(): void {
  const useEnrolment = (): void =>
    beforeEach(async () => {
      await enrol(enrolment(0));
    });

  const enrol = async (...rows: EnrolmentRow[]): Promise<void> => {
    await store.enrolments.import(rows, { replaces: false, isDryRun: false });
  };
  const issue = (
    change: Partial<IssuedCredentialRow> = {},
    limit: IssuanceLimit = LIMIT,
  ): Promise<Issuance> => store.issuance.issue(credential(change), limit);
  const counts = async (): Promise<unknown> => {
    const { sub_bindings, issued_credentials } = await store.rowCounts();
    return [sub_bindings, issued_credentials];
  };

  describe('issuance', () => {
    useEnrolment();

    it('keeps the latest time of a binding when credentials are committed out of order', async () => {
      for (const [n, issuedAt] of [START + 5, START, START + 7].entries()) {
        const id = new Uint8Array([0, 0, 0, 0, 0, 0, 0, n]);
        expect(await issue({ credentialId: id, issuedAt })).toEqual({ outcome: 'issued' });
      }
      const [binding] = await store.issuance.bindingsOf(credential({}).idComm);
      expect(binding).toMatchObject({ issuedCount: 3, lastIssuedAt: START + 7 });
      const id = new Uint8Array([0, 0, 0, 0, 0, 0, 0, 3]);
      await issue({ credentialId: id, issuedAt: START + 6 });
      const [later] = await store.issuance.bindingsOf(credential({}).idComm);
      expect(later).toMatchObject({ issuedCount: 4, lastIssuedAt: START + 7 });
    });

    it('binds at the first credential, and stores all its fields', async () => {
      const id = new Uint8Array([0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0]);
      const odd = `\u0000 ünï ☃ 👋🏽 ' " ; -- $1 \n`;
      const row = credential({
        ...PACKAGE,
        credentialId: id,
        issuerSchemaId: '18446744073709551615',
        issuedAt: START + 999,
        encryptedUserId: odd,
      });
      expect(await store.issuance.issue(row, LIMIT)).toEqual({ outcome: 'issued' });
      expect(await store.issuance.list(0, 10)).toEqual([row]);
      const binding = {
        issuerSchemaId: row.issuerSchemaId,
        idComm: row.idComm,
        sub: row.sub,
        genesisIssuedAt: START,
        issuedCount: 1,
        lastIssuedAt: START + 999,
      };
      expect(await store.issuance.findBinding(row.issuerSchemaId, row.idComm)).toEqual(binding);
      expect(await store.issuance.findBinding(SCHEMA, row.idComm)).toBeUndefined();
    });

    it('issues again under the same genesis, and changes only count and time of the binding', async () => {
      await issue();
      const change = { issuedAt: START + 5000, expiresAt: START + 9000 };
      expect(await issue(change)).toEqual({ outcome: 'issued' });
      expect(await store.issuance.bindingsOf(identity(0))).toEqual([
        {
          issuerSchemaId: SCHEMA,
          idComm: identity(0),
          sub: bytes32(0xff),
          genesisIssuedAt: START,
          issuedCount: 2,
          lastIssuedAt: START + 5000,
        },
      ]);
      expect(await counts()).toEqual([1, 2]);
    });

    it('refuses another sub, and returns the bound genesis', async () => {
      await issue();
      expect(await issue({ sub: bytes32(1) })).toEqual({ outcome: 'sub_mismatch' });
      expect(await issue({ sub: bytes32(1), genesisIssuedAt: START + 1000 })).toEqual({
        outcome: 'sub_mismatch',
      });
      expect(await issue({ genesisIssuedAt: START + 1000 })).toEqual({
        outcome: 'other_genesis',
        genesisIssuedAt: START,
      });
      expect(await counts()).toEqual([1, 1]);
      expect(await store.issuance.findBinding(SCHEMA, identity(0))).toMatchObject({ issuedCount: 1 });
    });

    it('allows two identities with one sub, and binds an identity per issuer schema', async () => {
      await enrol(enrolment(1));
      expect(await issue()).toEqual({ outcome: 'issued' });
      expect(await issue({ idComm: identity(1) })).toEqual({ outcome: 'issued' });
      const other = { issuerSchemaId: '2', sub: bytes32(1), genesisIssuedAt: START - 1000 };
      expect(await issue(other)).toEqual({ outcome: 'issued' });
      const bindings = await store.issuance.bindingsOf(identity(0));
      expect(bindings.map(({ issuerSchemaId, sub }) => [issuerSchemaId, sub])).toEqual([
        ['1', bytes32(0xff)],
        ['2', bytes32(1)],
      ]);
    });

    it.each([
      ['no enrolment', { idComm: identity(9) }],
      ['a revoked enrolment', { idComm: identity(1) }],
    ])('binds nothing for %s', async (_, change) => {
      await enrol(enrolment(1, { status: 'revoked' }));
      expect(await issue(change)).toEqual({ outcome: 'no_enrolment' });
      expect(await issue(change, UNLIMITED)).toEqual({ outcome: 'no_enrolment' });
      expect(await counts()).toEqual([0, 0]);
    });

    it('counts nothing once the enrolment is revoked', async () => {
      await issue();
      await store.enrolments.revoke(identity(0), START);
      expect(await issue()).toEqual({ outcome: 'no_enrolment' });
      expect(await counts()).toEqual([1, 1]);
      expect(await store.issuance.findBinding(SCHEMA, identity(0))).toMatchObject({ issuedCount: 1 });
    });

    it('binds nothing when the credential id is taken in the issuer schema', async () => {
      await enrol(enrolment(1));
      const credentialId = new Uint8Array(8);
      await issue({ credentialId });
      expect(await issue({ credentialId, idComm: identity(1) })).toEqual({ outcome: 'id_taken' });
      expect(await counts()).toEqual([1, 1]);
      expect(await issue({ credentialId, idComm: identity(1), issuerSchemaId: '2' })).toEqual({
        outcome: 'issued',
      });
    });

    it('checks sub, limit, enrolment and id in this order', async () => {
      const once = { credentials: 1, windowMs: DAY_MS };
      const credentialId = new Uint8Array(8);
      await issue({ credentialId });
      await store.enrolments.revoke(identity(0), START);
      expect(await issue({ credentialId, sub: bytes32(1) }, once)).toEqual({ outcome: 'sub_mismatch' });
      expect(await issue({ credentialId }, once)).toMatchObject({ outcome: 'limited' });
      expect(await issue({ credentialId })).toEqual({ outcome: 'no_enrolment' });
      await enrol(enrolment(0));
      expect(await issue({ credentialId })).toEqual({ outcome: 'id_taken' });
    });
  });

  describe('limit of a holder', () => {
    useEnrolment();

    const limitedUntil = (now: number, limit = LIMIT, schema = SCHEMA): Promise<number | undefined> =>
      store.issuance.limitedUntil(schema, identity(0), limit, now);

    it('allows the next credential from the millisecond at which the first leaves the window', async () => {
      for (let number = 0; number < 5; number++) {
        expect(await limitedUntil(START + number)).toBeUndefined();
        expect(await issue({ issuedAt: START + number })).toEqual({ outcome: 'issued' });
      }
      const first = START + DAY_MS;
      expect(await limitedUntil(START + 4)).toBe(first);
      expect(await limitedUntil(first - 1)).toBe(first);
      expect(await issue({ issuedAt: first - 1 })).toEqual({ outcome: 'limited', retryAt: first });
      expect(await limitedUntil(first)).toBeUndefined();
      expect(await issue({ issuedAt: first })).toEqual({ outcome: 'issued' });
      expect(await issue({ issuedAt: first })).toEqual({ outcome: 'limited', retryAt: first + 1 });
      expect(await counts()).toEqual([1, 6]);
      expect(await store.issuance.findBinding(SCHEMA, identity(0))).toMatchObject({ issuedCount: 6 });
    });

    it('with fewer credentials waits until enough of them have left the window', async () => {
      for (let number = 0; number < 5; number++) await issue({ issuedAt: START + number * 10 });
      const two = { credentials: 2, windowMs: 1000 };
      expect(await limitedUntil(START + 100, two)).toBe(START + 30 + 1000);
      expect(await limitedUntil(START + 1029, two)).toBe(START + 1030);
      expect(await limitedUntil(START + 1030, two)).toBeUndefined();
    });

    it('counts credentials issued by a clock that is ahead', async () => {
      await issue({ issuedAt: START + 5000 });
      const once = { credentials: 1, windowMs: 1000 };
      expect(await limitedUntil(START, once)).toBe(START + 6000);
      expect(await issue({}, once)).toEqual({ outcome: 'limited', retryAt: START + 6000 });
    });

    it('is off at 0', async () => {
      for (let number = 0; number < 8; number++) {
        expect(await issue({}, UNLIMITED)).toEqual({ outcome: 'issued' });
      }
      expect(await limitedUntil(START, UNLIMITED)).toBeUndefined();
      expect(await limitedUntil(START)).toBe(START + DAY_MS);
    });

    it('counts per holder and issuer schema', async () => {
      await enrol(enrolment(1));
      const once = { credentials: 1, windowMs: DAY_MS };
      expect(await issue({}, once)).toEqual({ outcome: 'issued' });
      expect(await limitedUntil(START, once, '2')).toBeUndefined();
      expect(await issue({ issuerSchemaId: '2' }, once)).toEqual({ outcome: 'issued' });
      expect(await issue({ idComm: identity(1) }, once)).toEqual({ outcome: 'issued' });
      expect(await issue({}, once)).toMatchObject({ outcome: 'limited' });
    });
  });

  describe('records of issued credentials', () => {
    useEnrolment();

    it('are listed by time, schema and id in pages, without duplicates or gaps', async () => {
      const rows: IssuedCredentialRow[] = [];
      for (const issuedAt of [START, START + 1]) {
        for (const issuerSchemaId of ['1', '2']) {
          for (const id of [0, 1, 255]) {
            const credentialId = new Uint8Array(8).fill(id, 7).fill(START + 1 - issuedAt, 0, 1);
            rows.push(credential({ issuedAt, issuerSchemaId, credentialId }));
          }
        }
      }
      for (const row of [...rows].reverse()) await store.issuance.issue(row, UNLIMITED);
      const pages: IssuedCredentialRow[][] = [];
      do {
        pages.push(await store.issuance.list(START, 5, pages.at(-1)?.at(-1)));
      } while (pages.at(-1)?.length === 5);
      expect(pages.map((page) => page.length)).toEqual([5, 5, 2]);
      expect(pages.flat()).toEqual(rows);
      expect(await store.issuance.list(START + 1, 100)).toEqual(rows.slice(6));
      expect(await store.issuance.list(START + 2, 100)).toEqual([]);
    });

    it.each<[string, Partial<IssuedCredentialRow>]>([
      ['credentialId must be 8 bytes', { credentialId: new Uint8Array(7) }],
      ['idComm must be 32 bytes', { idComm: new Uint8Array(31) }],
      ['sub must be 32 bytes', { sub: new Uint8Array(33) }],
      ['claim0 must be 32 bytes', { claim0: new Uint8Array(0) }],
      ['credentialHash must be 32 bytes', { credentialHash: 'x' as unknown as Uint8Array }],
      ['signature must be 64 bytes', { signature: new Uint8Array(65) }],
      ['manifestSha256 must be 32 bytes', { ...PACKAGE, manifestSha256: new Uint8Array(20) }],
      ['issuerSchemaId must be a u64', { issuerSchemaId: '01' }],
      ['issuerSchemaId must be a u64', { issuerSchemaId: '18446744073709551616' }],
      ['genesisIssuedAt must be whole seconds', { genesisIssuedAt: START + 1 }],
      ['expiresAt must be whole seconds', { expiresAt: START + 1 }],
      ['issuedAt must be whole milliseconds', { issuedAt: START + 0.5 }],
      ['keyId must not be empty', { keyId: '' }],
      ['claimSource must be pcp or refresh', { claimSource: 'other' as 'pcp' }],
      ['must be set exactly for a package', { ...PACKAGE, claimSource: 'refresh' }],
      ['must be set exactly for a package', { ...PACKAGE, operatorId: null }],
      ['must be set exactly for a package', { claimSource: 'pcp' }],
      ['unpaired surrogate', { encryptedUserId: '\ud800' }],
    ])('are refused if invalid: %s', async (message, change) => {
      await expect(issue(change)).rejects.toMatchObject({
        code: 'store.invalid_value',
        message: expect.stringContaining(message),
      });
      expect(await counts()).toEqual([0, 0]);
    });
  });
}
