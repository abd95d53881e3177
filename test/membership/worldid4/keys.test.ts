// Rules: spec/worldid4.md#keys
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import {
  ISSUER_KEYS,
  type KeyKind,
  type KeyTables,
  OPRF_KEYS,
} from '../../../src/membership/worldid4/key-kinds.ts';

import { addKey, importKeys, keyLine, parseKey, removeKey } from '../../../src/membership/worldid4/keys.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import type { IssuerKey4Row, OprfKey4Row } from '../../../src/storage/worldid4-keys.ts';
import worldId4 from '../../vectors/worldid4-proofs.json' with { type: 'json' };

const { bad_keys: BAD, trapdoor } = worldId4;
const NOW = 1_780_000_000_000;
const [GOOD = {}] = trapdoor.setup.issuers;
const KINDS: readonly (readonly [name: string, kind: KeyKind, input: JsonObject])[] = [
  ['issuers', ISSUER_KEYS, { environment: 'staging', ...GOOD }],
  ['OPRF keys', OPRF_KEYS, { environment: 'staging', ...trapdoor.setup.oprf_keys[0] }],
];

/** A store in memory that records its writes. */
function fakeStore(): KeyTables & { readonly writes: (IssuerKey4Row | OprfKey4Row)[][] } {
  const writes: (IssuerKey4Row | OprfKey4Row)[][] = [];
  const issuers = new Map<string, IssuerKey4Row>();
  const oprfKeys = new Map<string, OprfKey4Row>();
  return {
    writes,
    pageIssuers: async () => [...issuers.values()],
    pageOprfKeys: async () => [...oprfKeys.values()],
    async put(newIssuers, newOprfKeys) {
      writes.push([...newIssuers, ...newOprfKeys]);
      for (const row of newIssuers) issuers.set(`${row.environment} ${row.issuerSchemaId}`, row);
      for (const row of newOprfKeys) oprfKeys.set(`${row.environment} ${row.rpId}`, row);
    },
    removeIssuer: async (environment, id) => issuers.delete(`${environment} ${id}`),
    removeOprfKey: async (environment, id) => oprfKeys.delete(`${environment} ${id}`),
  };
}

async function* linesOf(...inputs: readonly (JsonObject | string)[]): AsyncGenerator<string> {
  for (const input of inputs) yield typeof input === 'string' ? input : JSON.stringify(input);
}

function idOf(kind: KeyKind, value: unknown): string {
  return parseKey(kind, { environment: 'staging', ...GOOD, [kind.idMember]: value }, NOW).id;
}

describe('parseKey', () => {
  it.each(KINDS)('reads keys of %s with coordinates as hex of either case or decimal', (_, kind, input) => {
    const key = parseKey(kind, input, NOW);
    expect(key).toMatchObject({ environment: 'staging', source: 'operator', updatedAt: NOW });
    const decimal = {
      ...input,
      x: BigInt(String(input.x)).toString(),
      y: BigInt(String(input.y)).toString(),
    };
    expect(parseKey(kind, decimal, NOW)).toEqual(key);
    expect(parseKey(kind, { ...input, x: `0X${toHex(key.x).slice(2).toUpperCase()}` }, NOW)).toEqual(key);
    expect(parseKey(kind, JSON.parse(keyLine(kind, key)) as JsonObject, NOW)).toEqual(key);
  });

  it('keeps the id of an issuer as canonical decimal text below 2^64', () => {
    expect([1, '1', '001', 0].map((value) => idOf(ISSUER_KEYS, value))).toEqual(['1', '1', '1', '0']);
    expect(idOf(ISSUER_KEYS, '18446744073709551615')).toBe('18446744073709551615');
    expect(idOf(ISSUER_KEYS, Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
    for (const value of ['18446744073709551616', 2 ** 53, -1, '-1', 1.5, '0x1', '', ' 1', null, undefined]) {
      expect(() => idOf(ISSUER_KEYS, value)).toThrow(/issuer_schema_id: expected a whole number below 2\^64/);
    }
  });

  it('keeps an rp_id in lower case', () => {
    expect(idOf(OPRF_KEYS, 'rp_0387DF34F862CD4E')).toBe('rp_0387df34f862cd4e');
    for (const value of ['rp_0387df34f862cd4', 'rp_0387df34f862cd4ee', '0387df34f862cd4e', 1, undefined]) {
      expect(() => idOf(OPRF_KEYS, value)).toThrow(/rp_id: expected rp_ and 16 hex digits/);
    }
  });

  it.each([
    [{ environment: 'dev' }, /environment: expected production or staging/],
    [{ x: undefined }, /x: expected a number/],
    [{ x: 5 }, /x: expected a number/],
    [{ x: '' }, /x: expected a number/],
    [{ x: '0x' }, /x: expected a number/],
    [{ y: `0x${'0'.repeat(65)}` }, /y: expected a number/],
    [{ y: `${2n ** 256n}` }, /y: expected a number/],
    [{ y: '012' }, /y: expected a number/],
    [{ y: '-1' }, /y: expected a number/],
  ])('refuses %j', (change, message) => {
    const parse = (): unknown => parseKey(ISSUER_KEYS, { environment: 'staging', ...GOOD, ...change }, NOW);
    expect(parse).toThrow(message);
    expect(parse).toThrow(expect.objectContaining({ code: 'key.invalid' }));
  });
});

describe('importKeys', () => {
  it.each(KINDS)('stores %s in one write', async (_, kind, input) => {
    const store = fakeStore();
    const other = { ...input, environment: 'production' };
    expect(await importKeys(kind, store, linesOf(input, '', other, input), NOW)).toBe(3);
    expect(store.writes.map((rows) => rows.length)).toEqual([3]);
    expect((await kind.page(store, 10)).map(({ environment }) => environment)).toEqual([
      'staging',
      'production',
    ]);
  });

  it.each(BAD)('names the line of a key that is bad because: $why, and stores nothing', async ({ x, y }) => {
    const store = fakeStore();
    const good = { environment: 'staging', ...GOOD };
    const lines = linesOf(good, '', { ...good, x, y }, 'not JSON');
    await expect(importKeys(ISSUER_KEYS, store, lines, NOW)).rejects.toMatchObject({
      code: expect.stringMatching(/^key\.(not_on_curve|wrong_subgroup|identity|range)$/),
      message: expect.stringMatching(/^line 3: /),
    });
    expect(store.writes).toEqual([]);
  });

  it.each([
    ['not JSON', /line 1: expected a JSON object/],
    ['[]', /line 1: expected a JSON object/],
    ['{"rp_id":"rp_0387df34f862cd4e"}', /line 1: unknown member "rp_id"/],
  ])('refuses the line %s', async (line, message) => {
    await expect(importKeys(ISSUER_KEYS, fakeStore(), linesOf(line), NOW)).rejects.toThrow(message);
  });
});

describe('removeKey', () => {
  it.each(KINDS)('removes one of %s, and reports one that is not there', async (name, kind, input) => {
    const code = name === 'issuers' ? 'issuer.unknown' : 'oprf_key.unknown';
    const store = fakeStore();
    const key = parseKey(kind, input, NOW);
    await addKey(kind, store, key);
    expect(await kind.page(store, 10)).toEqual([key]);
    const elsewhere = { ...input, environment: 'production' };
    await expect(removeKey(kind, store, elsewhere, NOW)).rejects.toMatchObject({ code });
    expect(await removeKey(kind, store, input, NOW)).toEqual({ environment: 'staging', id: key.id });
    expect(await kind.page(store, 10)).toEqual([]);
    await expect(removeKey(kind, store, input, NOW)).rejects.toMatchObject({ code });
  });
});
