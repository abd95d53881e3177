import { describe, expect, it } from 'vitest';
import type { Issuance, IssuanceLimit } from '../../../../../src/storage/refresh/issuance.ts';
import type { IssuedCredentialRow } from '../../../../../src/storage/refresh/issued-credential.ts';
import type { Store } from '../../../../../src/storage/store.ts';
import { credential, enrolment, identity, LIMIT, SCHEMA, START, UNLIMITED } from '../../refresh-rows.ts';
import { bytes32 } from '../../rows.ts';

/** Tests for parallel issuances. Calls go in turn to several stores on one database. */
export function describeIssuanceRaces(subjects: () => readonly [Store, ...Store[]]): void {
  const enrol = async (...numbers: number[]): Promise<void> => {
    const rows = numbers.map((number) => enrolment(number));
    await subjects()[0].enrolments.import(rows, { replaces: false, isDryRun: false });
  };
  const issueAll = (rows: readonly IssuedCredentialRow[], limit: IssuanceLimit): Promise<Issuance[]> => {
    const stores = subjects();
    return Promise.all(
      rows.map((row, index) => (stores[index % stores.length] ?? stores[0]).issuance.issue(row, limit)),
    );
  };
  const tally = (outcomes: readonly Issuance[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return counts;
  };
  const times = <T>(count: number, make: (number: number) => T): T[] =>
    Array.from({ length: count }, (_, number) => make(number));

  describe('parallel issuances', () => {
    it('of 50 subs bind and issue one, and store nothing of the others', async () => {
      await enrol(0);
      const rows = times(50, (number) => credential({ sub: bytes32(number + 1) }));
      const outcomes = await issueAll(rows, LIMIT);
      expect(tally(outcomes)).toEqual({ issued: 1, sub_mismatch: 49 });
      const winner = rows[outcomes.findIndex(({ outcome }) => outcome === 'issued')];
      const [store] = subjects();
      expect(await store.issuance.bindingsOf(identity(0))).toEqual([
        {
          issuerSchemaId: SCHEMA,
          idComm: identity(0),
          sub: winner?.sub,
          genesisIssuedAt: START,
          issuedCount: 1,
          lastIssuedAt: START,
        },
      ]);
      expect(await store.issuance.list(0, 100)).toEqual([winner]);
    });

    it('of six under a limit of five issue five, and tell one when to retry', async () => {
      await enrol(0);
      const rows = times(6, (number) => credential({ issuedAt: START + 600 + number }));
      const outcomes = await issueAll(rows, LIMIT);
      expect(tally(outcomes)).toEqual({ issued: 5, limited: 1 });
      const [store] = subjects();
      const stored = await store.issuance.list(0, 100);
      expect(stored).toHaveLength(5);
      const retryAt = (stored[0]?.issuedAt ?? 0) + LIMIT.windowMs;
      expect(outcomes).toContainEqual({ outcome: 'limited', retryAt });
      expect(await store.issuance.findBinding(SCHEMA, identity(0))).toMatchObject({ issuedCount: 5 });
    });

    it('of one sub bind one genesis and return it to the others, which then issue with it', async () => {
      await enrol(0);
      const rows = times(5, (number) => credential({ genesisIssuedAt: START + number * 1000 }));
      const outcomes = await issueAll(rows, LIMIT);
      expect(tally(outcomes)).toEqual({ issued: 1, other_genesis: 4 });
      const genesisIssuedAt = START + outcomes.findIndex(({ outcome }) => outcome === 'issued') * 1000;
      for (const refused of outcomes.filter(({ outcome }) => outcome !== 'issued')) {
        expect(refused).toEqual({ outcome: 'other_genesis', genesisIssuedAt });
      }
      const again = await issueAll(
        times(5, () => credential({ genesisIssuedAt })),
        LIMIT,
      );
      expect(tally(again)).toEqual({ issued: 4, limited: 1 });
      const stored = await subjects()[0].issuance.list(0, 100);
      expect(new Set(stored.map((row) => row.genesisIssuedAt))).toEqual(new Set([genesisIssuedAt]));
    });

    it('of one id issue one, and do not bind the other holders', async () => {
      await enrol(...times(10, (number) => number));
      const credentialId = bytes32(7).subarray(0, 8);
      const rows = times(10, (number) => credential({ idComm: identity(number), credentialId }));
      const outcomes = await issueAll(rows, LIMIT);
      expect(tally(outcomes)).toEqual({ issued: 1, id_taken: 9 });
      const { sub_bindings, issued_credentials } = await subjects()[0].rowCounts();
      expect([sub_bindings, issued_credentials]).toEqual([1, 1]);
    });

    it('are refused after a revocation, and counted correctly around it', async () => {
      await enrol(0);
      const stores = subjects();
      const before = issueAll(
        times(20, () => credential()),
        UNLIMITED,
      );
      const revoked = (stores[1] ?? stores[0]).enrolments.revoke(identity(0), START);
      const between = issueAll(
        times(20, () => credential()),
        UNLIMITED,
      );
      await revoked;
      const after = await issueAll(
        times(20, () => credential()),
        UNLIMITED,
      );
      expect(tally(after)).toEqual({ no_enrolment: 20 });
      const { issued = 0, no_enrolment = 0 } = tally([...(await before), ...(await between)]);
      expect(issued + no_enrolment).toBe(40);
      expect((await stores[0].issuance.list(0, 100)).length).toBe(issued);
      const binding = await stores[0].issuance.findBinding(SCHEMA, identity(0));
      expect(binding?.issuedCount ?? 0).toBe(issued);
    });

    it('of many holders do not affect each other', async () => {
      await enrol(...times(30, (number) => number));
      const rows = times(180, (number) => credential({ idComm: identity(number % 30) }));
      expect(tally(await issueAll(rows, LIMIT))).toEqual({ issued: 150, limited: 30 });
    });
  });
}
