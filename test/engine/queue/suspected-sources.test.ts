// Rules: spec/engine.md#suspected-sources
import { describe, expect, it } from 'vitest';
import { networkOf, SuspectedSources } from '../../../src/engine/queue/suspected-sources.ts';

const MINUTE = 60_000;
const source = (address: string, app = 'app'): { address: string; app: string } => ({ address, app });

describe('sources that sent bad proofs', () => {
  it('are suspects from the first failure, and no other source is', () => {
    const sources = new SuspectedSources();
    expect(sources.find(source('a'), 0)).toBeUndefined();
    sources.recordBad(source('a'), 0);
    expect(sources.find(source('a'), 1)).toMatchObject({ address: 'a', app: 'app' });
    expect(sources.find(source('a', 'other app'), 1)).toBeUndefined();
    expect(sources.find(source('b'), 1)).toBeUndefined();
    expect(sources.find(undefined, 1)).toBeUndefined();
  });

  it('are forgiven after 32 valid proofs in a row', () => {
    const sources = new SuspectedSources();
    const recordValid = (count: number): void => {
      for (let index = 0; index < count; index += 1) {
        const suspect = sources.find(source('a'), 2);
        if (suspect) sources.recordValid(suspect);
      }
    };
    sources.recordBad(source('a'), 0);
    recordValid(31);
    expect(sources.find(source('a'), 2)?.valid).toBe(31);
    sources.recordBad(source('a'), 1);
    recordValid(31);
    expect(sources.find(source('a'), 2)).toBeDefined();
    recordValid(1);
    expect([sources.find(source('a'), 2), sources.size]).toEqual([undefined, 0]);
  });

  it('are forgiven 60 s after the last failure', () => {
    const sources = new SuspectedSources();
    sources.recordBad(source('a'), 0);
    sources.recordBad(source('a'), 10_000);
    expect(sources.find(source('a'), 10_000 + MINUTE - 1)).toBeDefined();
    expect([sources.find(source('a'), 10_000 + MINUTE), sources.size]).toEqual([undefined, 0]);
  });

  it('are all forgotten 60 s after the last failure of any, whichever source is looked up', () => {
    const sources = new SuspectedSources();
    sources.recordBad(source('a'), 0);
    sources.recordBad(source('b'), 10_000);
    expect([sources.find(source('c'), 10_000 + MINUTE - 1), sources.size]).toEqual([undefined, 2]);
    expect([sources.find(source('c'), 10_000 + MINUTE), sources.size]).toEqual([undefined, 0]);
  });

  it('are the only reason to read the address of other sources', () => {
    const sources = new SuspectedSources();
    let reads = 0;
    const other = {
      app: 'app',
      get address(): string {
        reads++;
        return 'b';
      },
    };
    const readsAt = (nowMs: number): number => {
      reads = 0;
      expect(sources.find(other, nowMs)).toBeUndefined();
      return reads;
    };
    expect(readsAt(0)).toBe(0);
    sources.recordBad(source('a'), 1);
    expect(readsAt(MINUTE)).toBe(1);
    expect(readsAt(MINUTE + 1)).toBe(0);
  });

  it('include their whole address once three of its apps have failed, so that rotating apps does not evade', () => {
    const sources = new SuspectedSources();
    sources.recordBad(source('a', '1'), 0);
    sources.recordBad(source('a', '2'), 1);
    expect(sources.find(source('a', 'never seen'), 2)).toBeUndefined();
    sources.recordBad(source('a', '3'), 3);
    const whole = sources.find(source('a', 'never seen'), 4);
    expect(whole).toMatchObject({ address: 'a', app: undefined });
    expect(sources.find(source('a', '1'), 4)).toBe(whole);
    expect(sources.find(source('b', '1'), 4)).toBeUndefined();
    sources.recordBad(source('a', '9'), 5);
    expect(sources.find(source('a', '2'), 5 + MINUTE - 1)).toBe(whole);
    expect([sources.find(source('a', '1'), 5 + MINUTE), sources.size]).toEqual([undefined, 0]);
  });

  it('count for their address only while the failures of their apps are remembered', () => {
    const sources = new SuspectedSources();
    sources.recordBad(source('a', '1'), 0);
    sources.recordBad(source('a', '2'), 1000);
    sources.recordBad(source('a', '3'), MINUTE + 500);
    expect(sources.find(source('a', '4'), MINUTE + 501)).toBeUndefined();
    sources.recordBad(source('a', '4'), MINUTE + 600);
    expect(sources.find(source('a', '5'), MINUTE + 601)).toBeDefined();
  });

  it('are bounded in number: the least recently failed one is dropped', () => {
    const sources = new SuspectedSources();
    for (let index = 0; index < 1024; index += 1) sources.recordBad(source(`a${index}`), index);
    sources.recordBad(source('a0'), 2000);
    for (let index = 0; index < 500; index += 1) {
      for (const app of ['1', '2', '3', '4']) sources.recordBad(source(`b${index}`, app), 3000);
    }
    expect(sources.size).toBe(1024);
    expect(sources.find(source('a0'), 3001)).toBeDefined();
    expect(sources.find(source('a500'), 3001)).toBeUndefined();
    expect(sources.find(source('a501'), 3001)).toBeDefined();
    expect(sources.find(source('b499', 'any'), 3001)).toBeDefined();
  });
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('networks whose addresses sent bad proofs', () => {
  const failing = (
    hosts: readonly number[],
    nowMs = 0,
    sources = new SuspectedSources(),
  ): SuspectedSources => {
    for (const host of hosts) sources.recordBad(source(`192.0.2.${host}`), nowMs);
    return sources;
  };

  it('are suspects as a whole from the third failed address', () => {
    expect(failing([1, 1, 1, 2]).find(source('192.0.2.9'), 1)).toBeUndefined();
    const sources = failing([1, 2, 3]);
    expect(sources.find(source('192.0.2.9'), 1)).toMatchObject({
      address: '192.0.2.0/24',
      app: undefined,
    });
    expect(sources.find(source('192.0.3.9'), 1)).toBeUndefined();
  });

  it('are forgiven after 32 valid proofs in a row, or 60 s after the last failure', () => {
    const sources = failing([1, 2, 3]);
    for (let count = 0; count < 32; count += 1) {
      const suspect = sources.find(source('192.0.2.9'), 1);
      if (suspect) sources.recordValid(suspect);
    }
    expect(sources.find(source('192.0.2.9'), 1)).toBeUndefined();
    const others = failing([4, 5, 6]);
    others.recordBad(source('198.51.100.1'), MINUTE - 1);
    expect(others.find(source('192.0.2.9'), MINUTE - 1)).toBeDefined();
    expect(others.find(source('192.0.2.9'), MINUTE)).toBeUndefined();
  });

  it('do not count forgiven addresses', () => {
    const sources = failing([1, 2]);
    for (let count = 0; count < 32; count += 1) {
      const suspect = sources.find(source('192.0.2.1'), 1);
      if (suspect) sources.recordValid(suspect);
    }
    failing([3], 2, sources);
    expect(sources.find(source('192.0.2.9'), 3)).toBeUndefined();
    failing([4], 3, sources);
    expect(sources.find(source('192.0.2.9'), 4)).toBeDefined();
  });

  it('count only addresses that failed within 60 s', () => {
    const sources = failing([3], MINUTE, failing([1, 2]));
    expect(sources.find(source('192.0.2.9'), MINUTE + 1)).toBeUndefined();
  });
});
