// Rules: spec/refresh.md#issuance-guarantees
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/storage/open-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { runTogether, startChild } from './support/processes/child.ts';
import { enrolment, identity, issuerKey, LIMIT, SCHEMA, START } from './support/refresh-rows.ts';
import { bytes32, GROUP_SETTINGS } from './support/rows.ts';
import { describeIssuanceRaces } from './support/suites/refresh/describe-issuance-races.ts';
import { useTempFolders } from './support/temp-folder.ts';

const COUNT = 30;
const NAMES = ['1', '2', '3'];
const FIELDS = { replaces: false, isDryRun: false };

describe('refresh on two connections to one libsql store', () => {
  const tempFolder = useTempFolders();
  const open = async (url: string): Promise<Store> => openStore({ url, ...GROUP_SETTINGS });
  let stores: [Store, Store];

  beforeEach(async () => {
    const url = `libsql:${join(tempFolder(), 'proofgate.db')}`;
    stores = [await open(url), await open(url)];
    await stores[0].migrate();
  });

  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
  });

  describeIssuanceRaces(() => stores);
});

describe('several processes that serve refreshes on one libsql store', () => {
  const tempFolder = useTempFolders();
  let url: string;
  let store: Store;

  beforeEach(async () => {
    url = `libsql:${join(tempFolder(), 'proofgate.db')}`;
    store = await openStore({ url, ...GROUP_SETTINGS });
    await store.migrate();
  });

  afterEach(() => store.close());

  const enrol = async (from: number, count: number): Promise<void> => {
    const rows = Array.from({ length: count }, (_, index) => enrolment(from + index));
    await store.enrolments.import(rows, FIELDS);
  };

  it('bind subs, count credentials, take challenges and rotate keys once each', async () => {
    await enrol(0, COUNT);
    await enrol(100, COUNT);
    await store.issuerKeys.activate(issuerKey('first'), undefined, START);
    for (let number = 0; number < COUNT; number++) {
      await store.refreshGuards.addChallenge(bytes32(number), START + 1);
    }
    const runs = NAMES.map((name) => [url, String(COUNT), name]);
    const byProcess = (await runTogether('refresh-process.ts', runs)).map((lines) =>
      lines.map((line) => line.split(' ')),
    );
    const outcomesOf = (what: string, number: number): string[] =>
      byProcess.flatMap((lines) =>
        lines.flatMap(([found, at, ...rest]) =>
          found === what && at === String(number) ? [rest.join(' ').trim()] : [],
        ),
      );
    const all = (what: string): string[] =>
      Array.from({ length: COUNT }, (_, number) => outcomesOf(what, number)).flat();

    for (let number = 0; number < COUNT; number++) {
      const firsts = outcomesOf('first', number);
      expect([...firsts].sort()).toEqual(['issued', 'sub_mismatch', 'sub_mismatch']);
      const winner = Number(NAMES[firsts.indexOf('issued')]);
      const binding = await store.issuance.findBinding(SCHEMA, identity(number));
      const expected = { sub: bytes32(winner), genesisIssuedAt: START + winner * 1000, issuedCount: 1 };
      expect(binding).toMatchObject(expected);

      const severals = outcomesOf('several', number);
      expect(severals.filter((outcome) => outcome === 'issued')).toHaveLength(5);
      const issuedAt = await issuedTimes(store, 100 + number);
      const retryAt = `limited ${(issuedAt[0] ?? 0) + LIMIT.windowMs}`;
      expect(severals.filter((outcome) => outcome === retryAt)).toHaveLength(4);
      expect(await store.issuance.findBinding(SCHEMA, identity(100 + number))).toMatchObject({
        issuedCount: 5,
      });

      expect(outcomesOf('challenge', number).filter((taken) => taken === 'true')).toHaveLength(1);
      const imports = outcomesOf('import', number).map((outcomes) => outcomes.split(' '));
      expect(imports.map(([shared]) => shared).sort()).toEqual(['added', 'unchanged', 'unchanged']);
      expect(imports.map(([, contested]) => contested).sort()).toEqual([
        'added',
        'signup_taken',
        'signup_taken',
      ]);
    }
    expect(all('attempt').filter((counted) => counted === 'true')).toHaveLength(COUNT);
    expect(all('orb').filter((added) => added === '1')).toHaveLength(16);
    expect(all('orb').filter((added) => added === 'too_many')).toHaveLength(NAMES.length * COUNT - 16);
    expect(await store.orbKeys.list('orb')).toHaveLength(16);

    const [active, ...retired] = await store.issuerKeys.list(SCHEMA);
    expect(active?.status).toBe('active');
    // each won rotation retired a different key: no process rotated away a key that another had already rotated
    expect(retired.map(({ keyId }) => keyId).sort()).toEqual(all('rotate').sort());
    expect(new Set(retired.map(({ status }) => status))).toEqual(new Set(['retired']));
    expect(all('rotate').length).toBeGreaterThanOrEqual(COUNT);
    const { signup, issued_credentials } = await store.rowCounts();
    expect([signup, issued_credentials]).toEqual([4 * COUNT, 6 * COUNT]);
  });

  it('lose no acknowledged credential when killed with SIGKILL, and leave no binding without one', async () => {
    const count = 1000;
    let from = 0;
    for (const acknowledged of [1, 50, 300]) {
      await enrol(from, count);
      const child = startChild('endless-issue-process.ts', [url, String(from), String(count)]);
      await child.waitForLines(acknowledged);
      child.kill();
      expect(await child.exited).toBeNull();

      const rows = await store.issuance.list(START + from, count);
      const stored = new Map(rows.map((row) => [hex(row.credentialId), row]));
      const lines = child.lines.map((line) => line.split(' '));
      expect(lines.length).toBeGreaterThanOrEqual(acknowledged);
      for (const [number, outcome, id = ''] of lines) {
        expect(outcome).toBe('issued');
        expect(stored.get(id)?.idComm).toEqual(identity(Number(number)));
      }
      for (const row of rows) {
        const binding = await store.issuance.findBinding(SCHEMA, row.idComm);
        expect(binding).toMatchObject({ issuedCount: 1, lastIssuedAt: row.issuedAt });
      }
      const { sub_bindings, issued_credentials } = await store.rowCounts();
      expect(sub_bindings).toBe(issued_credentials);
      from += count;
    }
  });
});

async function issuedTimes(store: Store, number: number): Promise<number[]> {
  const rows = await store.issuance.list(0, 10_000);
  const own = rows.filter(({ idComm }) => hex(idComm) === hex(identity(number)));
  return own.map(({ issuedAt }) => issuedAt);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
