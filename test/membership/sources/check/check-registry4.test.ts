// Rules: spec/roots.md#commands
import { beforeEach, describe, expect, it } from 'vitest';
import { builtInKey, loadBuiltInKey } from '../../../../src/membership/keys/built-in-keys.ts';
import { holdsKey } from '../../../../src/membership/sources/check/check-registry4.ts';
import type { SourceCheckParts } from '../../../../src/membership/sources/check/check-source.ts';
import { answering } from '../../../support/chain/behaviours.ts';
import { CONTRACTS, encodeWords } from '../../../support/chain/contracts.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';
import { useTempStore } from '../../../verification/support/temp-store.ts';
import {
  CHECK_CONFIG,
  checkedHistory,
  checkHistory,
  expectFailed,
  ISSUER_KEY,
  lineNamed,
  namesOf,
} from '../support/checked-source.ts';
import type { History } from '../support/history.ts';

const OTHER = `0x${'9'.repeat(40)}`;
const CODE = Buffer.from(CONTRACTS.Groth16Verifier.bytecode.slice(2), 'hex');
const LINES = [
  'root window',
  'verifier: contract',
  'verifier: issuers',
  'verifier: oprfKeys',
  'expiration threshold',
  'verifying key',
  'issuers',
];

const temp = useTempStore();
let history: History;
beforeEach(() => {
  history = checkedHistory(temp.store, { kind: 'registry4' });
});

async function keyBytes(id: string): Promise<Uint8Array> {
  const row = builtInKey(id);
  if (row === undefined) throw new Error(`no key ${id}`);
  return (await loadBuiltInKey(row)).key;
}

/** Changes results of view functions, and makes them part of the target. */
function set(views: Readonly<Record<string, string>>): void {
  for (const [data, view] of Object.entries(views)) {
    history.chain.setView(history.source.contract, data, view);
  }
  history.chain.mineMany(5);
}

const withKeys = (keys: Readonly<Record<string, string>>): Partial<SourceCheckParts> => ({
  config: { ...CHECK_CONFIG, verify: { ...CHECK_CONFIG.verify, keys } },
});
const word = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;

describe('the check of the contracts of World ID 4.0', () => {
  it('passes if they fit the settings', async () => {
    const report = await checkHistory(history);
    expect(namesOf(report, 'fail')).toEqual([]);
    expect(report.lines.filter(({ name }) => LINES.includes(name)).map(({ status }) => status)).toEqual(
      LINES.map(() => 'ok'),
    );
    expect(lineNamed(report, 'verifying key').detail).toBe(
      `trapdoor-15 is the one in ${history.source.contract}`,
    );
  });

  it.each<[string, string, string]>([
    ['root window', '0x65b64a72', '7 s, but verify.worldid4.rootWindowSeconds is 3600'],
    ['expiration threshold', '0x2fbeebea', '7 s, but verify.worldid4.minExpirationThresholdSeconds is 18000'],
  ])('fails line "%s" for another number than in the settings', async (name, getter, detail) => {
    set({ [getter]: hexWords(7n) });
    expect(lineNamed(await checkHistory(history), name)).toMatchObject({ status: 'fail', detail });
    set({ [getter]: '0x' });
    expect(lineNamed(await checkHistory(history), name)).toMatchObject({ code: 'roots.wrong_contract' });
  });

  it.each<[string, string]>([
    ['verifier: contract', '0xc6c15ae0'],
    ['verifier: issuers', '0x340eb98f'],
    ['verifier: oprfKeys', '0x1dfc0cea'],
  ])('fails line "%s" if the verifier names another address', async (name, getter) => {
    set({ [getter]: word(OTHER) });
    const report = await checkHistory(history);
    expect(namesOf(report, 'fail')).toEqual([name]);
    expect(lineNamed(report, name)).toMatchObject({
      code: 'roots.wrong_contract',
      detail: expect.stringContaining(`the verifier names ${OTHER}`),
    });
  });

  it('fails for an issuer of the list without a key, and names it', async () => {
    set({ [`${ISSUER_KEY}${encodeWords(128n)}`]: hexWords(5n, 0n) });
    const report = await checkHistory(history);
    expect(namesOf(report, 'fail')).toEqual(['issuers']);
    expect(lineNamed(report, 'issuers').detail).toBe('128: not registered');
  });

  it('fails if the verifier names a contract without code, or none', async () => {
    set({ '0x46657fe9': word(OTHER) });
    expectFailed(await checkHistory(history), 'verifying key', { code: 'roots.contract_missing' });
    set({ '0x46657fe9': hexWords(0n) });
    expectFailed(await checkHistory(history), 'verifying key', { code: 'roots.wrong_contract' });
  });

  it('fails for another bound key, none, an unknown one, and one that is not for 4.0', async () => {
    const detailOf = async (parts: Partial<SourceCheckParts>): Promise<string> => {
      const { status, detail } = lineNamed(await checkHistory(history, parts), 'verifying key');
      return `${status} ${detail}`;
    };
    const binding = 'verify.worldid4.key.staging';
    expect(await detailOf(withKeys({ [binding]: 'worldid4' }))).toContain('fail worldid4 is not the one in');
    expect(await detailOf(withKeys({}))).toBe('fail none is bound to staging');
    expect(await detailOf(withKeys({ [binding]: 'mine' }))).toBe('fail there is no key mine');
    expect(await detailOf(withKeys({ [binding]: 'trapdoor-4' }))).toContain('15 public inputs');
    const store = { absent: 'there is no store here' };
    expect(await detailOf({ ...withKeys({ [binding]: 'mine' }), store })).toBe(
      'skip mine: there is no store here',
    );
  });

  it('fails if one provider of three has other code', async () => {
    const [client] = history.clients;
    if (client !== undefined) client.behaviour = answering('0x60', 'eth_getCode');
    expectFailed(await checkHistory(history), 'verifying key', {
      code: 'roots.disagreement',
      text: 'a.example: 1 bytes',
    });
  });

  it('has no lines of the verifier without its address', async () => {
    history = checkedHistory(temp.store, { kind: 'registry4', verifier: undefined });
    const report = await checkHistory(history);
    expect(lineNamed(report, 'verifier').status).toBe('skip');
    expect(report.lines.map(({ name }) => name)).not.toContain('verifying key');
  });
});

describe('the code of a verifier', () => {
  it('holds the key that it was made of, and no other', async () => {
    expect(holdsKey(CODE, await keyBytes('trapdoor-15'))).toBe(true);
    expect(holdsKey(CODE, await keyBytes('worldid4'))).toBe(false);
  });

  it('does not hold a key of which α or a single IC coordinate differs', async () => {
    const key = await keyBytes('trapdoor-15');
    for (const at of [31, 63, 448 + 31, key.length - 1]) {
      const altered = Uint8Array.from(key);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(holdsKey(CODE, altered), `byte ${at}`).toBe(false);
    }
  });

  it('has coordinates without their leading zero bytes, and at whole bytes', async () => {
    // α and one IC point whose coordinates begin with zero bytes.
    const key = new Uint8Array(448 + 64);
    key.set([0x12, 0x34], 30);
    key.set([0x56], 63);
    key.set([0x78, 0x9a, 0xbc], 448 + 29);
    key.set([0xde], 448 + 63);
    const push = '6112346056' + '62789abc60de';
    expect(holdsKey(Buffer.from(push, 'hex'), key)).toBe(true);
    expect(holdsKey(Buffer.from(`0${push}0`, 'hex'), key)).toBe(false);
  });
});
