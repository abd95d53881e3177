// Rules: spec/refresh.md#issuance
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/settings/types.ts';
import { loadConfig } from '../../src/config/sources/load.ts';
import { claimOfPackage, claimOfRefresh } from '../../src/credential/credential.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { createIssuer, expiryOf, type IssueInput } from '../../src/refresh/issue-credential.ts';
import type { CredentialKeys } from '../../src/refresh/keys/credential-keys.ts';
import { measureInto, type RefreshFacts } from '../../src/refresh/types.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import type { Issuance, IssuanceLimit } from '../../src/storage/refresh/issuance.ts';
import type { IssuedCredentialRow } from '../../src/storage/refresh/issued-credential.ts';
import { numbers } from '../credential/support.ts';
import { startEngine } from '../engine/support/describe-engine.ts';
import { testHolder } from '../support/refresh/holder.ts';
import { expectRejected } from '../support/rejects.ts';

const NOW = 1_700_000_000_789;
const HOLDER = testHolder('issue');
const ISSUED: Issuance = { outcome: 'issued' };

let engine: Engine;
let config: Config;
let keys: Pick<CredentialKeys, 'sign'>;
let publicKey: Uint8Array;

beforeAll(async () => {
  ({ engine } = await startEngine({ workers: 0 }));
  ({ config } = await loadConfig({ env: {}, cwd: tmpdir(), flags: { profile: 'test' } }));
  const key = await engine.registerSigningKey('issuer', new Uint8Array(32).fill(7));
  publicKey = key.subarray(64);
  keys = {
    sign: async (hash) => ({
      signature: await engine.signCredentialHash('issuer', hash),
      keyId: 'issuer',
      pk: ['1', '2'],
    }),
  };
});

afterAll(() => engine.close());

/** Makes a store that returns these outcomes in order and records its calls. */
function scripted(...outcomes: Issuance[]) {
  const calls: { row: IssuedCredentialRow; limit: IssuanceLimit }[] = [];
  return {
    calls,
    async issue(row: IssuedCredentialRow, limit: IssuanceLimit): Promise<Issuance> {
      calls.push({ row, limit });
      const outcome = outcomes[calls.length - 1];
      if (outcome === undefined) throw new Error(`expected at most ${outcomes.length} calls, got another`);
      return outcome;
    },
  };
}

type Script = ReturnType<typeof scripted>;

function issue(
  issuance: Script,
  changes: Partial<IssueInput> = {},
  settings: Partial<Config['refresh']> = {},
) {
  let drawn = 0;
  const issuer = createIssuer({
    engine,
    keys,
    issuance,
    config: { ...config, refresh: { ...config.refresh, ...settings } },
    drawId: () => Uint8Array.of(255, 0, 0, 0, 0, 0, 0, ++drawn),
  });
  const facts: RefreshFacts = {};
  const credential = issuer.issue({
    holder: HOLDER,
    now: NOW,
    binding: undefined,
    package: undefined,
    encryptedUserId: undefined,
    signal: new AbortController().signal,
    measure: measureInto(facts),
    ...changes,
  });
  return { credential, facts };
}

const textOf = async (credential: Promise<string>): Promise<string> =>
  Buffer.from(await credential, 'base64').toString();

describe('issuance of a credential', () => {
  it('binds a first refresh to the whole second of now and records what the credential says', async () => {
    const store = scripted(ISSUED);
    const { credential, facts } = issue(store, { encryptedUserId: 'user' });
    const text = await textOf(credential);
    const claim = await claimOfRefresh(engine, HOLDER, 1_700_000_000);
    expect(text).toContain('{"id":18374686479671623681,"version":"V1","issuer_schema_id":1,');
    expect(text).toContain(
      `"sub":"${toHex(HOLDER.sub)}","genesis_issued_at":1700000000,"expires_at":1794694400,`,
    );
    expect(text).toContain(`"claims":["${toHex(claim)}","0x0000`);
    const [{ row, limit } = { row: undefined, limit: undefined }] = store.calls;
    expect(limit).toEqual({ credentials: 5, windowMs: 86_400_000 });
    expect(row).toMatchObject({
      issuerSchemaId: '1',
      credentialId: Uint8Array.of(255, 0, 0, 0, 0, 0, 0, 1),
      idComm: HOLDER.idComm,
      sub: HOLDER.sub,
      genesisIssuedAt: 1_700_000_000_000,
      issuedAt: NOW,
      expiresAt: 1_794_694_400_000,
      claim0: claim,
      claimSource: 'refresh',
      manifestSha256: null,
      operatorId: null,
      keyId: 'issuer',
      encryptedUserId: 'user',
    });
    const { credentialHash, signature } = row as IssuedCredentialRow;
    expect(text).toContain(`"signature":"${toHex(signature).slice(2)}"`);
    await expect(engine.verifySignature(publicKey, credentialHash, signature)).resolves.toBe(true);
    expect(facts).toEqual({ signMs: expect.any(Number), commitMs: expect.any(Number) });
  });

  it('records operator, manifest and claim of a package', async () => {
    const store = scripted(ISSUED);
    const manifest = Buffer.from('{"version":"2.3"}');
    const manifestSha256 = new Uint8Array(32).fill(9);
    await issue(store, { package: { manifest, manifestSha256, operatorId: 'operator-7f' } }).credential;
    expect(store.calls[0]?.row).toMatchObject({
      claim0: await claimOfPackage(engine, manifest),
      claimSource: 'pcp',
      manifestSha256,
      operatorId: 'operator-7f',
    });
  });

  it('stores no encrypted_user_id if the setting forbids it', async () => {
    const store = scripted(ISSUED);
    await issue(store, { encryptedUserId: 'user' }, { keepEncryptedUserId: false }).credential;
    expect(store.calls[0]?.row.encryptedUserId).toBeNull();
  });

  it('keeps the genesis of a bound holder', async () => {
    const store = scripted(ISSUED);
    const genesisIssuedAt = 1_600_000_000_000;
    const text = await textOf(issue(store, { binding: { genesisIssuedAt } }).credential);
    expect(text).toContain('"genesis_issued_at":1600000000,"expires_at":1794694400');
    expect(store.calls[0]?.row.genesisIssuedAt).toBe(genesisIssuedAt);
  });

  it('signs again, once, with the genesis that another first refresh stored', async () => {
    const other: Issuance = { outcome: 'other_genesis', genesisIssuedAt: 1_699_999_999_000 };
    const store = scripted(other, ISSUED);
    expect(await textOf(issue(store).credential)).toContain('"genesis_issued_at":1699999999');
    const [first, second] = store.calls;
    expect(second?.row).toMatchObject({
      genesisIssuedAt: 1_699_999_999_000,
      credentialId: first?.row.credentialId,
    });
    expect(second?.row.credentialHash).not.toEqual(first?.row.credentialHash);
    await expectRejected(issue(scripted(other, other)).credential, 'internal.unforeseen');
  });

  it('draws another id at most three times', async () => {
    const taken: Issuance = { outcome: 'id_taken' };
    const store = scripted(taken, taken, taken, ISSUED);
    expect(await textOf(issue(store).credential)).toContain('{"id":18374686479671623684,');
    expect(new Set(store.calls.map(({ row }) => toHex(row.credentialId))).size).toBe(4);
    await expectRejected(issue(scripted(taken, taken, taken, taken)).credential, 'internal.unforeseen');
  });

  it.each<[Issuance, string, object]>([
    [{ outcome: 'no_enrolment' }, 'refresh.no_enrolment', {}],
    [{ outcome: 'sub_mismatch' }, 'refresh.sub_mismatch', {}],
    [{ outcome: 'limited', retryAt: NOW + 5001 }, 'refresh.limited', { retryAfterSeconds: 6 }],
    [{ outcome: 'limited', retryAt: NOW + 5000 }, 'refresh.limited', { retryAfterSeconds: 5 }],
    [{ outcome: 'limited', retryAt: NOW }, 'refresh.limited', { retryAfterSeconds: 1 }],
  ])('passes on a refusal of the transaction: %o', async (outcome, code, details) => {
    await expect(issue(scripted(outcome)).credential).rejects.toMatchObject({ code, details });
  });

  it('writes nothing if the caller has gone', async () => {
    const store = scripted();
    const signal = AbortSignal.abort();
    await expect(issue(store, { signal }).credential).rejects.toMatchObject({ code: 'engine.cancelled' });
    expect(store.calls).toEqual([]);
  });

  it('writes nothing if the caller goes while it signs', async () => {
    const controller = new AbortController();
    const store = scripted();
    const issuer = createIssuer({
      engine,
      issuance: store,
      config,
      keys: {
        sign(hash) {
          controller.abort();
          return keys.sign(hash);
        },
      },
    });
    const input = { holder: HOLDER, now: NOW, binding: undefined, package: undefined };
    const rest = { encryptedUserId: undefined, signal: controller.signal, measure: measureInto({}) };
    await expect(issuer.issue({ ...input, ...rest })).rejects.toMatchObject({ code: 'engine.cancelled' });
    expect(store.calls).toEqual([]);
  });

  it('completes a commit that began before the caller went', async () => {
    const controller = new AbortController();
    const store = scripted(ISSUED);
    const issuance: Script = {
      ...store,
      issue(row, limit) {
        controller.abort();
        return store.issue(row, limit);
      },
    };
    await expect(issue(issuance, { signal: controller.signal }).credential).resolves.toMatch(/^[\w+/]+=*$/);
    expect(store.calls).toHaveLength(1);
  });
});

const at = (iso: string): number => Date.parse(iso) / 1000;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Adds months by counting days of the calendar, without `Date`. */
function monthsLater(unixSeconds: number, months: number): number {
  let days = Math.floor(unixSeconds / 86_400);
  const timeOfDay = unixSeconds - days * 86_400;
  let [year, month] = [1970, 1];
  for (; days < 0; days += daysOfMonth(year, month)) {
    [year, month] = month === 1 ? [year - 1, 12] : [year, month - 1];
  }
  for (; days >= daysOfMonth(year, month); [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1]) {
    days -= daysOfMonth(year, month);
  }
  let passed = -days;
  for (let count = 0; count < months; count += 1) {
    passed += daysOfMonth(year, month);
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
  }
  const day = Math.min(days, daysOfMonth(year, month) - 1);
  return unixSeconds - timeOfDay + (passed + day) * 86_400 + timeOfDay;
}

describe('expiryOf', () => {
  it.each([
    // spec/credential.md#validity
    ['P3Y', 1_700_000_000, 1_794_694_400],
    ['P3Y', 1_709_208_000, 1_803_816_000],
  ])('adds %s to %i: %i', (validity, issued, expires) => {
    expect(expiryOf(validity, issued)).toBe(expires);
  });

  it.each([
    ['P1Y', '2024-02-29T00:00:00Z', '2025-02-28T00:00:00Z'],
    ['P4Y', '2024-02-29T23:59:59Z', '2028-02-29T23:59:59Z'],
    ['P4Y', '2096-02-29T12:00:00Z', '2100-02-28T12:00:00Z'],
    ['P10Y', '2026-12-31T23:59:59Z', '2036-12-31T23:59:59Z'],
    ['P1Y', '2023-02-28T00:00:00Z', '2024-02-28T00:00:00Z'],
    ['P1M', '2026-01-31T01:02:03Z', '2026-02-28T01:02:03Z'],
    ['P1M', '2028-01-31T01:02:03Z', '2028-02-29T01:02:03Z'],
    ['P1M', '2026-03-31T00:00:00Z', '2026-04-30T00:00:00Z'],
    ['P1M', '2026-12-31T00:00:00Z', '2027-01-31T00:00:00Z'],
    ['P120M', '2028-02-29T00:00:00Z', '2038-02-28T00:00:00Z'],
    ['P1D', '2028-02-28T06:00:00Z', '2028-02-29T06:00:00Z'],
    ['P365D', '2027-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    // a night in which European clocks change: the calendar is that of UTC
    ['P1D', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z'],
    ['PT60S', '2026-12-31T23:59:30Z', '2027-01-01T00:00:30Z'],
    ['P1Y', '1968-02-29T00:00:00Z', '1969-02-28T00:00:00Z'],
    ['P1M', '1969-12-31T23:59:59Z', '1970-01-31T23:59:59Z'],
  ])('adds %s to %s: %s', (validity, issued, expires) => {
    expect(expiryOf(validity, at(issued))).toBe(at(expires));
  });

  it('agrees with counting days and seconds for 2,000 random dates', () => {
    const next = numbers('dates');
    for (let count = 0; count < 2000; count += 1) {
      const issued = Number(next(33)) - 2 ** 31;
      const months = Number(next(7)) + 1;
      const years = Number(next(3)) + 1;
      expect([issued, expiryOf(`P${months}M`, issued)]).toEqual([issued, monthsLater(issued, months)]);
      expect([issued, expiryOf(`P${years}Y`, issued)]).toEqual([issued, monthsLater(issued, 12 * years)]);
      expect(expiryOf(`P${months}D`, issued)).toBe(issued + months * 86_400);
      expect(expiryOf(`PT${months}S`, issued)).toBe(issued + months);
    }
  });

  it('refuses a duration of another form', () => {
    for (const text of ['', '3Y', 'P0Y', 'P03Y', 'P-1Y', 'P1.5Y', 'PT1M', 'P1Y1M', 'P1W', 'p1y', 'P1Y\n']) {
      expect(() => expiryOf(text, 0)).toThrow(RangeError);
    }
  });
});
