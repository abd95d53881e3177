// Rules: spec/roots.md#presets and spec/roots.md#settings
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PRESETS } from '../../../src/config/roots/presets.ts';
import { readRootSources } from '../../../src/config/roots/read-sources.ts';
import { ENCODINGS } from '../../support/encodings.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'proofgate-sources-'));
const CONTRACT = '0xf7134CE138832c1456F2a91D64621eE90c2bddEa';
const OWN = {
  id: 'own',
  kind: 'identity-manager',
  environment: 'staging',
  tree: 'orb',
  chainId: 31_337,
  contract: CONTRACT,
};
const FEED = {
  id: 'feed',
  kind: 'http',
  environment: 'staging',
  tree: 'orb',
  url: 'https://id.example/roots',
};

afterAll(() => rmSync(FOLDER, { recursive: true }));

const read = (...entries: readonly unknown[]): ReturnType<typeof readRootSources> =>
  readRootSources(entries, FOLDER);

describe('roots.sources', () => {
  it('takes the name of every preset, with the defaults of its kind', () => {
    for (const name of Object.keys(PRESETS)) {
      const { sources, faults } = read(name);
      expect(faults, name).toEqual([]);
      expect(sources).toMatchObject([{ id: name, maxRange: 2000 }]);
    }
    expect(read('worldid3-ethereum').sources[0]).toMatchObject({
      confirmations: 12,
      pollSeconds: 15,
      lookBackSeconds: 691_200,
      staleAfterSeconds: 14_400,
      rpc: 'ethereum',
      chainId: 1,
      startBlock: 17_636_832,
      contract: CONTRACT.toLowerCase(),
    });
    expect(read('worldid3-worldchain').sources[0]).toMatchObject({ confirmations: 10, pollSeconds: 15 });
    expect(read('worldid4-production').sources[0]).toMatchObject({
      confirmations: 1,
      pollSeconds: 4,
      lookBackSeconds: 7200,
      staleAfterSeconds: 900,
      rpc: 'worldchain',
      tree: 'account',
    });
  });

  it('takes a preset with parts of it replaced, and a contract of its own', () => {
    const replaced = read({
      preset: 'worldid3-ethereum',
      confirmations: 'finalized',
      id: 'mine',
      rpc: 'custom',
    });
    expect(replaced).toMatchObject({
      faults: [],
      sources: [{ id: 'mine', confirmations: 'finalized', rpc: 'custom' }],
    });
    expect(read(OWN)).toMatchObject({
      faults: [],
      sources: [{ rpc: 'custom', startBlock: 0, chainId: 31_337 }],
    });
    expect(read({ ...OWN, chainId: 480 }).sources).toMatchObject([{ rpc: 'worldchain' }]);
  });

  it('takes a feed, whose token may be in a file', () => {
    writeFileSync(join(FOLDER, 'token'), 'secret\n');
    expect(read({ ...FEED, token: 'abc' })).toMatchObject({
      faults: [],
      holdsSecret: true,
      sources: [{ kind: 'http', token: 'abc', pollSeconds: 30 }],
    });
    expect(read({ ...FEED, tokenFile: 'token' })).toMatchObject({
      faults: [],
      holdsSecret: false,
      sources: [{ token: 'secret' }],
    });
    for (const [, encode] of ENCODINGS) {
      writeFileSync(join(FOLDER, 'token'), encode('secret\n'));
      expect(read({ ...FEED, tokenFile: 'token' })).toMatchObject({ sources: [{ token: 'secret' }] });
    }
  });

  it.each([
    ['WorldID3-Ethereum', 'unknown preset "WorldID3-Ethereum"; did you mean worldid3-ethereum?'],
    [5, 'expected the name of a preset or an object'],
    [{ ...OWN, contrakt: 'x' }, 'unknown field "contrakt"; did you mean contract?'],
    [{ ...OWN, contract: CONTRACT.replace('f7', 'F7') }, 'contract: wrong checksum (ERC-55)'],
    [{ ...OWN, contract: '0x12' }, 'contract: expected 0x and 40 hex digits'],
    [{ ...OWN, id: 'A' }, 'id: expected 1 to 40 of a-z, 0-9 and "-"'],
    [{ ...OWN, kind: 'other' }, 'kind: expected identity-manager, bridged, registry4, http'],
    [{ ...OWN, tree: 'account' }, 'tree: the tree account, and no other, is published by the kind registry4'],
    [{ ...OWN, kind: 'registry4' }, 'tree: the tree account, and no other'],
    [{ ...OWN, environment: 'test' }, 'environment: expected production, staging'],
    [{ ...OWN, pollSeconds: 0 }, 'pollSeconds: expected 1..3600, got 0'],
    [{ ...OWN, pollSeconds: 3601 }, 'pollSeconds: expected 1..3600, got 3601'],
    [{ ...OWN, confirmations: 'latest' }, 'confirmations: expected 0..100000, "safe" or "finalized"'],
    [{ ...OWN, rpc: 'mars' }, 'rpc: expected one of ethereum'],
    [{ ...OWN, chainId: undefined }, 'chainId: expected 1..9007199254740991, got none'],
    [{ ...FEED, url: 'ftp://id.example' }, 'url: expected an http or https URL'],
    [{ ...FEED, url: 'https://user:secret@id.example' }, 'url: expected no credentials'],
    [{ ...FEED, url: 'https://user@id.example' }, 'url: expected no credentials'],
    [{ ...FEED, tokenFile: 'absent' }, 'tokenFile: cannot be read'],
    [{ ...FEED, token: 'a', tokenFile: 'token' }, 'expected token or tokenFile, got both'],
  ])('refuses %j', (entry, fault) => {
    const { faults } = read(entry);
    expect(faults.join('\n')).toContain(`roots.sources[0]: ${fault}`);
  });

  it('refuses two sources of one tree, and two of one name', () => {
    expect(read('worldid3-ethereum', 'worldid3-optimism').faults).toEqual([
      'roots.sources[1]: production/orb has a source already, worldid3-ethereum; a tree has one source',
    ]);
    expect(read(OWN, { ...OWN, tree: 'device' }).faults).toEqual([
      'roots.sources[1]: id: own is also that of another source',
    ]);
  });
});
