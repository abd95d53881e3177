// Rules: spec/roots.md#settings
import { describe, expect, it } from 'vitest';
import { readRootSources } from '../../../src/config/roots/read-sources.ts';
import {
  rootsFaults as combinedFaults,
  rootsRefusals,
  rootsWarnings,
} from '../../../src/config/roots/roots-consistency.ts';
import { quorumOf } from '../../../src/config/roots/source-types.ts';
import type { Profile } from '../../../src/config/settings/setting.ts';
import type { RootsConfig } from '../../../src/config/settings/types.ts';

const TWO = ['https://a.example/key', 'https://b.example/key'];

function configOf(
  entries: readonly unknown[],
  roots: Partial<RootsConfig>,
  profile: Profile = 'production',
): { roots: RootsConfig; profile: Profile } {
  const { sources } = readRootSources(entries, '.');
  const usual = { quorum: 'auto', allowSingleProvider: false, rpc: {}, sources, oracles: {} } as const;
  return { profile, roots: { ...usual, ...roots } as RootsConfig };
}

const rootsFaults = (config: Parameters<typeof combinedFaults>[0]): string[] =>
  combinedFaults(config).map(({ fault }) => fault);

describe('sources of roots and their providers', () => {
  it('fit together where each chain has providers of different hosts', () => {
    const config = configOf(['worldid3-ethereum'], { rpc: { ethereum: TWO } });
    expect([rootsFaults(config), rootsRefusals(config), rootsWarnings(config)]).toEqual([[], [], []]);
  });

  it('must have providers', () => {
    expect(rootsFaults(configOf(['worldid3-ethereum'], {}))).toEqual([
      expect.stringContaining(
        'roots.rpc.ethereum (PROOFGATE_ROOTS_RPC_ETHEREUM): expected the URLs of providers',
      ),
    ]);
  });

  it('refuse a quorum above the number of providers at different hosts', () => {
    const rpc = { ethereum: [...TWO, 'https://a.example/other'] };
    expect(rootsFaults(configOf(['worldid3-ethereum'], { rpc, quorum: 3 }))).toEqual([
      expect.stringContaining('roots.quorum (PROOFGATE_ROOTS_QUORUM): expected at most 2'),
    ]);
    expect(rootsWarnings(configOf([], { rpc }))).toEqual([
      'roots.rpc.ethereum: several URLs have the same host, and so count as one provider',
    ]);
  });

  it('take plain http in production on loopback and private addresses only', () => {
    const faultsOf = (url: string, profile?: Profile): number =>
      rootsFaults(configOf([], { rpc: { custom: [url] } }, profile)).length;
    expect(
      [
        'http://127.0.0.1:8545',
        'http://10.1.2.3',
        'http://100.64.3.4:8545',
        'http://[fd00::1]',
        'http://[::1]:8545',
      ].map((url) => faultsOf(url)),
    ).toEqual([0, 0, 0, 0, 0]);
    expect([faultsOf('http://a.example'), faultsOf('http://8.8.8.8')]).toEqual([1, 1]);
    expect(faultsOf('http://a.example', 'development')).toBe(0);
  });

  it('refuse a port that fetch blocks, which would be unreachable for ever', () => {
    const feed = { kind: 'http', id: 'feed', environment: 'staging', tree: 'orb' };
    const config = configOf([{ ...feed, url: 'https://id.example:6000/roots' }], {
      rpc: { custom: ['http://127.0.0.1:25', 'http://127.0.0.1:8545', 'https://a.example'] },
      oracles: { 'production.orb': 'https://sequencer.example:1' },
    });
    expect(rootsFaults(config)).toEqual([
      'roots.rpc.custom (PROOFGATE_ROOTS_RPC_CUSTOM): expected another port than 25, which is blocked for HTTP clients',
      'roots.sources (PROOFGATE_ROOTS_SOURCES): expected another port than 6000, which is blocked for HTTP clients',
      'roots.oracle.production.orb (PROOFGATE_ROOTS_ORACLE_PRODUCTION_ORB): expected another port than 1, which is blocked for HTTP clients',
    ]);
  });

  it('refuse different chains behind one list of providers', () => {
    const base = { kind: 'bridged', environment: 'staging', rpc: 'custom', contract: `0x${'1'.repeat(40)}` };
    const entries = [
      { ...base, id: 'one', tree: 'orb', chainId: 1 },
      { ...base, id: 'two', tree: 'face', chainId: 2 },
    ];
    expect(rootsFaults(configOf(entries, { rpc: { custom: TWO } }))).toEqual([
      expect.stringContaining('one and two name different chains for roots.rpc.custom'),
    ]);
  });

  it('make production refuse a single provider, unless it is allowed', () => {
    const rpc = { ethereum: TWO.slice(1) };
    expect(rootsRefusals(configOf(['worldid3-ethereum'], { rpc }))).toEqual([
      expect.stringContaining('a single provider could invent roots'),
    ]);
    expect(
      rootsRefusals(configOf(['worldid3-ethereum'], { rpc: { ethereum: TWO }, quorum: 1 })),
    ).toHaveLength(1);
    expect(rootsRefusals(configOf(['worldid3-ethereum'], { rpc, allowSingleProvider: true }))).toEqual([]);
  });

  it('need two providers by default, or the only one', () => {
    const local = ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://127.0.0.1:3'];
    expect([TWO, TWO.slice(1), local].map((urls) => quorumOf({ quorum: 'auto' }, urls))).toEqual([2, 1, 2]);
    expect(quorumOf({ quorum: 'auto' }, ['https://a.example:1', 'https://a.example:2'])).toBe(1);
  });
});
