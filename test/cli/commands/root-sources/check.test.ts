// Rules: spec/roots.md#commands
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alteringCalls, failing, withoutBlockHashes } from '../../../support/chain/behaviours.ts';
import { type FakeProvider, startFakeProvider } from '../../../support/chain/fake-provider.ts';
import { ScriptedChain, scriptedBackend } from '../../../support/chain/scripted-chain.ts';
import { hexWords, scriptManager } from '../../../support/chain/scripted-contracts.ts';
import {
  type CliFolder,
  type CliResult,
  makeCliFolder,
  makeEmptyCliFolder,
  unapplyNewestMigration,
} from '../../support/cli.ts';
import { tableRows } from '../../support/table-rows.ts';

const MANAGER = `0x${'a'.repeat(40)}`;
/** Names of the loopback interface: providers of one host are one. */
const HOSTS = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'];
/** Parts of the URLs below, and of those of `startFakeProvider`. */
const SECRETS = /secret-key|user:|pass-7d1|token-55aa|query-key/;
const CLOSED = 'http://127.0.0.1:2/secret-key?query-key=1';
const FEED = {
  kind: 'http',
  id: 'feed',
  environment: 'staging',
  tree: 'device',
  url: CLOSED,
  token: 'token-55aa',
};
const CHAIN = {
  id: 'chain',
  kind: 'identity-manager',
  environment: 'staging',
  tree: 'orb',
  chainId: 480,
  contract: MANAGER,
};

interface Shown {
  readonly ok: boolean;
  readonly sources: readonly {
    readonly id: string;
    readonly reached: boolean;
    readonly providers: readonly Record<string, unknown>[];
    readonly checks: readonly { readonly name: string; readonly status: string; readonly cure?: string }[];
  }[];
}

let folder: CliFolder;
let script: ScriptedChain;
let providers: FakeProvider[];
let urls: string[];

beforeEach(async () => {
  folder = await makeCliFolder();
  script = new ScriptedChain();
  scriptManager(script, MANAGER, 7n).change(8n);
  script.mineMany(40);
  const backend = scriptedBackend(script);
  providers = await Promise.all(HOSTS.map(() => startFakeProvider(backend)));
  urls = providers.map(({ url }, index) =>
    url.replace('127.0.0.1', `user:pass-7d1@${HOSTS[index]}`).concat('?query-key=1'),
  );
  configure(CHAIN);
});
afterEach(async () => {
  await Promise.all(providers.map((provider) => provider.close()));
  await folder.remove();
});

function configure(...sources: readonly object[]): void {
  writeFileSync(join(folder.path, 'proofgate.config.json'), JSON.stringify({ roots: { sources } }));
}

async function check(...argv: readonly string[]): Promise<CliResult> {
  const env = { PROOFGATE_ROOTS_RPC_WORLDCHAIN: urls.join(',') };
  const now = script.head.time * 1000 + 5000;
  const result = await folder.run(['roots', 'sources', 'check', ...argv], { env, now });
  expect(`${result.stdout}${result.stderr}`).not.toMatch(SECRETS);
  return result;
}

async function checkJson(...argv: readonly string[]): Promise<{ code: number; shown: Shown }> {
  const { code, stdout } = await check(...argv, '--json');
  return { code, shown: JSON.parse(stdout) as Shown };
}

describe('proofgate roots sources check', () => {
  it('passes for honest providers, and writes nothing', async () => {
    const before = await tableRows(folder.path);
    expect(Object.keys(before)).toEqual(expect.arrayContaining(['root_sources', 'roots', 'leases', 'nodes']));
    const { code, shown } = await checkJson();
    expect([code, shown.ok]).toEqual([0, true]);
    const [source] = shown.sources;
    expect(source?.checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(source?.providers).toHaveLength(3);
    expect(source?.providers[0]).toEqual({
      host: new URL(urls[0] ?? '').host,
      chain_id: 480,
      head: 40,
      head_age_seconds: 5,
      safe: 38,
      head_time: '2023-11-14T22:14:40.000Z',
      finalized: 36,
      block_hashes: true,
      range: 41,
      depth: 30,
      latest_root: hexWords(8n),
    });
    expect(await tableRows(folder.path)).toEqual(before);
  });

  it('prints a line per check, and with --providers the facts of each', async () => {
    const plain = await check();
    expect(plain.stdout).toMatch(
      /^chain: identity-manager of staging\/orb, chain 480\nok {4}chain id +480, 3/,
    );
    expect(plain.stdout).not.toContain('block hashes  range');
    const { stdout } = await check('--providers');
    expect(stdout).toMatch(
      /\nprovider +chain +head +age +safe +finalized +block hashes +range +depth +latest/,
    );
    expect(stdout).toMatch(/\n127\.0\.0\.1:\d+ +480 +40 +5 s +38 +36 +yes +41 +30 +0x00000000\n/);
  });

  it('exits with 1 for a provider that lies, and names it and the cure', async () => {
    if (providers[1] !== undefined) providers[1].behaviour = alteringCalls(() => hexWords(31n));
    const { code, stdout } = await check();
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nfail {2}root at the target +\S+, \S+: 0x00000000; localhost:\d+: 0x/);
    expect(stdout).toMatch(/\n +cure: Find out which of them is wrong with/);
  });

  it('exits with 0 for what the source copes with', async () => {
    if (providers[1] !== undefined) providers[1].behaviour = withoutBlockHashes;
    const { code, stdout } = await check();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\nnote {2}block hashes/)]);
  });

  it('shows no key that a provider repeats', async () => {
    for (const provider of providers) {
      const message = `unauthorized: ${provider.url}`;
      provider.behaviour = failing({ code: -32_000, message });
    }
    const { code, shown } = await checkJson();
    expect(code).toBe(1);
    expect(shown.sources[0]?.checks[0]).toMatchObject({ name: 'chain id', status: 'fail' });
  });

  it('exits with 69 if no provider, or no feed, answers', async () => {
    urls = [CLOSED, 'http://localhost:2/secret-key'];
    const down = await checkJson();
    expect([down.code, down.shown.ok, down.shown.sources[0]?.reached]).toEqual([69, false, false]);
    configure(FEED);
    const feed = await checkJson();
    expect([feed.code, feed.shown.sources[0]?.reached]).toEqual([69, false]);
  });

  it('checks the source that is named, and exits with 1 rather than 69 if both apply', async () => {
    configure(CHAIN, FEED);
    expect((await checkJson()).code).toBe(69);
    const one = await checkJson('chain');
    expect([one.code, one.shown.sources.map(({ id }) => id)]).toEqual([0, ['chain']]);
    if (providers[0] !== undefined)
      providers[0].behaviour = failing({ code: 1, message: 'x' }, 'eth_getCode');
    expect((await checkJson()).code).toBe(1);
    const unknown = await check('none');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('roots.source_unknown')]);
  });

  it('needs no source', async () => {
    configure();
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('no sources') });
  });

  it('runs where there is no store, and makes none', async () => {
    const own = folder;
    folder = await makeEmptyCliFolder();
    try {
      configure(CHAIN);
      const { code, stdout } = await check();
      expect([code, stdout]).toEqual([0, expect.stringMatching(/\nskip {2}store +there is no store here/)]);
      expect(readdirSync(folder.path)).toEqual(['proofgate.config.json']);
    } finally {
      await folder.remove();
      folder = own;
    }
  });

  it('runs where the server of the store cannot be reached', async () => {
    const storage = { url: 'postgres://proofgate@127.0.0.1:1/proofgate' };
    writeFileSync(
      join(folder.path, 'proofgate.config.json'),
      JSON.stringify({ storage, roots: { sources: [CHAIN] } }),
    );
    const { code, stdout, stderr } = await check();
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('the store cannot be reached'), '']);
  });

  it('leaves pending migrations as they are', async () => {
    unapplyNewestMigration(folder.path);
    const before = await tableRows(folder.path);
    const { code, stdout } = await check();
    expect([code, stdout]).toEqual([0, expect.stringContaining('its migrations are pending')]);
    expect(await tableRows(folder.path)).toEqual(before);
  });
});
