// Rules: spec/worldid4.md#state
import { describe, expect, it } from 'vitest';
import { createWorldId4Keys } from '../../../src/membership/worldid4/key-lookup.ts';
import type { IssuerKey4Row, OprfKey4Row } from '../../../src/storage/worldid4-keys.ts';

const CACHE_MS = 5000;

function createLookup(): {
  readonly lookup: ReturnType<typeof createWorldId4Keys>;
  readonly reads: string[];
  readonly known: Map<string, object>;
  pass(ms: number): void;
} {
  let now = 0;
  const reads: string[] = [];
  const known = new Map<string, object>();
  const read = async (key: string): Promise<object | undefined> => {
    reads.push(key);
    return known.get(key);
  };
  const store = {
    findIssuer: (environment: string, id: string) =>
      read(`issuer ${environment} ${id}`) as Promise<IssuerKey4Row | undefined>,
    findOprfKey: (environment: string, id: string) =>
      read(`oprf ${environment} ${id}`) as Promise<OprfKey4Row | undefined>,
  };
  const lookup = createWorldId4Keys(store, CACHE_MS, () => now);
  const pass = (ms: number): void => {
    now += ms;
  };
  return { lookup, reads, known, pass };
}

describe('keys of World ID 4.0', () => {
  it('are read once within the cache time, by environment, table and id', async () => {
    const { lookup, reads, known, pass } = createLookup();
    const [issuer, oprf] = [{ a: 1 }, { b: 2 }];
    known.set('issuer staging 1', issuer);
    known.set('oprf staging 1', oprf);
    const first = [lookup.issuer('staging', '1'), lookup.issuer('staging', '1')];
    expect(await Promise.all(first)).toEqual([issuer, issuer]);
    expect(await lookup.oprfKey('staging', '1')).toBe(oprf);
    expect(await lookup.issuer('production', '1')).toBeUndefined();
    pass(CACHE_MS);
    expect(await lookup.issuer('staging', '1')).toBe(issuer);
    expect(await lookup.oprfKey('staging', '1')).toBe(oprf);
    expect(reads).toEqual(['issuer staging 1', 'oprf staging 1', 'issuer production 1']);
  });

  it('that were removed count until their cache time is over', async () => {
    const { lookup, known, pass } = createLookup();
    known.set('oprf staging rp', {});
    await lookup.oprfKey('staging', 'rp');
    known.clear();
    pass(CACHE_MS);
    expect(await lookup.oprfKey('staging', 'rp')).toEqual({});
    pass(1);
    expect(await lookup.oprfKey('staging', 'rp')).toBeUndefined();
  });

  it('that were missing count as soon as they are added', async () => {
    const { lookup, known } = createLookup();
    expect(await lookup.issuer('staging', '1')).toBeUndefined();
    known.set('issuer staging 1', {});
    expect(await lookup.issuer('staging', '1')).toEqual({});
  });
});
