// Rules: spec/roots.md#commands and spec/operations.md#diagnosis
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import {
  checkDisagreements,
  checkLag,
  checkLimits,
  checkWorldId,
} from '../../../src/cli/doctor/checks/worldid/check-worldid.ts';
import {
  type ChainAnswers,
  checkChainIds,
  checkClocks,
  checkQuorums,
} from '../../../src/cli/doctor/checks/worldid/providers.ts';
import { oneLine, rootsStateOf } from '../../../src/cli/doctor/checks/worldid/roots-state.ts';
import type { Config } from '../../../src/config/settings/types.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import type { SourceListing } from '../../../src/membership/sources/operator/list-sources.ts';
import { checkedHistory } from '../../membership/sources/support/checked-source.ts';
import { alteringLogs, failing, limited } from '../../support/chain/behaviours.ts';
import { hang } from '../../support/chain/broken-answers.ts';
import { type FakeProvider, startFakeProvider } from '../../support/chain/fake-provider.ts';
import { ScriptedChain, scriptedBackend } from '../../support/chain/scripted-chain.ts';
import { hexWords } from '../../support/chain/scripted-contracts.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { openTempStore, useTempStore } from '../../verification/support/temp-store.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const HOUR_MS = 3_600_000;
const PRESET = { 'roots.sources': 'worldid4-production' };
const LIMITED = { code: -32_005, message: 'rate limit exceeded' };
const folder = mkdtempSync(join(tmpdir(), 'proofgate-doctor-providers-'));

afterAll(() => rmSync(folder, { recursive: true }));

async function configOf(settings: Record<string, string> = {}): Promise<Config> {
  return (await loadConfig({ env: environmentOf(settings), cwd: folder })).config;
}

describe('doctor, providers of roots', () => {
  const HEAD = { number: 9, hash: '0x', parentHash: '0x', time: NOW / 1000 };
  const answer = (host: string, fields: object = {}): ChainAnswers['providers'][number] => ({
    host,
    hostname: host,
    chainId: 480,
    head: HEAD,
    failure: undefined,
    ...fields,
  });
  const chainOf = (fields: Partial<ChainAnswers> = {}): ChainAnswers[] => [
    {
      setting: 'roots.rpc.worldchain',
      chainId: 480,
      quorum: 2,
      allowsSingle: false,
      urls: 3,
      hosts: 3,
      providers: [answer('a'), answer('b'), answer('c')],
      ...fields,
    },
  ];
  const silent = { chainId: undefined, head: undefined, failure: 'unreachable' };

  it.each<[string, Partial<ChainAnswers>, string]>([
    ['ok', {}, '2 of 3 hosts must agree'],
    ['warn', { hosts: 2 }, '2 of 2 hosts must agree, 3 URLs'],
    ['warn', { hosts: 2, urls: 2 }, 'so that none may fail'],
    ['warn', { hosts: 1, urls: 1, quorum: 1 }, 'a single provider could invent roots'],
    ['ok', { hosts: 1, urls: 1, quorum: 1, allowsSingle: true }, '1 of 1 hosts must agree'],
  ])('judges the quorum: %s for %j', (status, fields, detail) => {
    const [found] = checkQuorums(chainOf(fields));
    expect(found).toMatchObject({ status, detail: expect.stringContaining(detail) });
    expect(found?.cure === undefined).toBe(status === 'ok');
  });

  it('fails for a provider of another chain, and warns for one that is silent while others suffice', () => {
    const judge = (...providers: ChainAnswers['providers'][number][]) =>
      checkChainIds(chainOf({ providers }))[0];
    expect(judge(answer('a'), answer('b'), answer('c'))?.status).toBe('ok');
    expect(judge(answer('a'), answer('b', { chainId: 1, head: undefined }), answer('c'))).toMatchObject({
      status: 'fail',
      detail: 'roots.rpc.worldchain: b serves chain 1, expected 480',
    });
    expect(judge(answer('a'), answer('b'), answer('c', silent))).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('c unreachable'),
    });
    expect(judge(answer('a'), answer('b', silent), answer('c', silent))).toMatchObject({ status: 'fail' });
    expect(judge(answer('a'), answer('b', { hostname: 'a' }), answer('c', silent))).toMatchObject({
      status: 'fail',
      cure: expect.stringContaining('roots sources check'),
    });
  });

  it('compares the newest block with the clock', () => {
    const judge = (seconds: number, chainId = 480): string | undefined =>
      checkClocks(chainOf({ chainId }), NOW + seconds * 1000)[0]?.status;
    expect([judge(120), judge(121), judge(-120), judge(-121)]).toEqual(['ok', 'fail', 'ok', 'warn']);
    expect([judge(120, 1), judge(121, 1), judge(601, 1)]).toEqual(['ok', 'warn', 'fail']);
    expect(checkClocks(chainOf({ providers: [answer('a', silent)] }), NOW)[0]?.status).toBe('ok');
  });

  it('makes one line of several findings, with the worst and its cure', () => {
    const found = [...checkQuorums(chainOf()), ...checkQuorums(chainOf({ hosts: 2, urls: 2 }))];
    expect(oneLine('root quorum', found)).toMatchObject({
      name: 'root quorum',
      status: 'warn',
      cure: expect.any(String),
      detail: 'roots.rpc.worldchain: 2 of 2 hosts must agree, so that none may fail',
    });
    expect(oneLine('x', [...checkQuorums(chainOf()), ...checkQuorums(chainOf())]).detail).toContain('; ');
  });
});

describe('doctor, what rounds left in the store', () => {
  const listing = (fields: Partial<SourceListing> = {}): SourceListing => ({
    id: 'four',
    isConfigured: true,
    kind: 'registry4',
    environment: 'staging',
    tree: 'account',
    chainId: 480,
    place: '0x',
    quorum: 2,
    providers: [],
    block: 1,
    lagSeconds: 5,
    isStale: false,
    isFailing: false,
    currentRoot: undefined,
    currentRootAgeSeconds: undefined,
    backfillBlocksLeft: 0,
    leaseHolder: undefined,
    lastError: undefined,
    lastErrorAgeSeconds: undefined,
    ...fields,
  });

  it('fails for a source that is stale, and warns for one that was never read', () => {
    expect(checkLag(listing())).toMatchObject({ status: 'ok', detail: 'four: 5 s' });
    const lastError = 'roots.unreachable: error: "https://a.example/secret-key"';
    expect(checkLag(listing({ isStale: true, lagSeconds: 1000, lastError }))).toMatchObject({
      status: 'fail',
      detail: 'four: not read for 1000 s, last error roots.unreachable',
    });
    expect(checkLag(listing({ lagSeconds: undefined }))).toMatchObject({
      status: 'warn',
      detail: 'four: not read yet',
      cure: expect.stringContaining('sources list'),
    });
  });

  it('warns for a day about a disagreement', () => {
    const provider = (ageMs: number) => ({
      providers: [{ host: 'b', state: 'up', disagreedAt: NOW - ageMs }],
    });
    expect(checkDisagreements(listing(provider(24 * HOUR_MS - 1)), NOW)).toMatchObject({
      status: 'warn',
      detail: 'four: b contradicted others within a day',
    });
    expect(checkDisagreements(listing(provider(24 * HOUR_MS)), NOW).status).toBe('ok');
    const lastError = 'roots.disagreement: providers contradict each other';
    const undecided = (seconds: number) => listing({ lastError, lastErrorAgeSeconds: seconds });
    expect(checkDisagreements(undecided(86_399), NOW).status).toBe('warn');
    expect(checkDisagreements(undecided(86_400), NOW).status).toBe('ok');
  });

  it('warns about small ranges, and for an hour about limits of the rate', () => {
    const judge = (fields: object): CheckResult =>
      checkLimits(listing({ providers: [{ host: 'b', state: 'up', ...fields }] }), NOW);
    expect(judge({ range: 500 }).status).toBe('ok');
    expect(judge({ range: 499 })).toMatchObject({
      status: 'warn',
      detail: 'four: b accepts 499 blocks at once',
    });
    expect(judge({ rateLimitedAt: NOW - HOUR_MS }).status).toBe('ok');
    expect(judge({ rateLimitedAt: NOW - HOUR_MS + 1 })).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('limited the rate'),
      cure: expect.any(String),
    });
  });

  it('finds what a round met: a liar, a limit and a small range', async () => {
    const temp = await openTempStore();
    onTestFinished(() => temp.close());
    const history = checkedHistory(temp.store);
    const [liar, limitedRate, limitedRange] = history.clients;
    if (liar === undefined || limitedRate === undefined || limitedRange === undefined) {
      throw new Error('expected three providers');
    }
    const node = history.node();
    limitedRate.behaviour = failing(LIMITED, 'eth_getLogs');
    limitedRange.behaviour = limited(3, { code: 35, message: 'block range too large' });
    await node.round();
    limitedRate.behaviour = undefined;
    liar.behaviour = alteringLogs((logs) =>
      logs.map((log) => ({ ...log, topics: [...log.topics.slice(0, -1), hexWords(31n)] })),
    );
    history.contract.change(3000n);
    history.chain.mineMany(4);
    await node.round();
    const config = await configOf({});
    const roots = { ...config.roots, sources: [history.source] };
    const { sources, trees } = await rootsStateOf({ ...config, roots }, temp.store, history.now());
    expect(trees).toMatchObject([{ environment: 'staging', tree: 'orb' }]);
    const [source] = sources;
    if (source === undefined) throw new Error('expected a source');
    // The providers of a history have a clock of their own.
    const at = Math.max(...source.providers.map((each) => each.disagreedAt ?? each.rateLimitedAt ?? 0));
    expect(checkDisagreements(source, at).detail).toContain('a.example contradicted');
    expect(checkLimits(source, at).detail).toMatch(
      /: b\.example limited the rate within an hour, c\.example accepts \d blocks at once$/,
    );
  });
});

describe('doctor, sources and their providers', () => {
  const state = { sources: [], trees: [] };
  let script: ScriptedChain;
  let providers: FakeProvider[];
  const temp = useTempStore();
  beforeEach(async () => {
    script = new ScriptedChain();
    providers = await Promise.all([1, 2].map(() => startFakeProvider(scriptedBackend(script))));
  });
  afterEach(async () => {
    await Promise.all(providers.map((provider) => provider.close()));
  });

  async function examine(settings: Record<string, string> = {}): Promise<Map<string, CheckResult>> {
    const urls = providers.map(({ url }, index) =>
      index === 0 ? url : url.replace('127.0.0.1', 'localhost'),
    );
    const config = await configOf({ ...PRESET, 'roots.rpc.worldchain': urls.join(','), ...settings });
    const found = await rootsStateOf(config, temp.store, NOW);
    const results = await checkWorldId(found, config, { now: () => script.head.time * 1000, cwd: folder });
    expect(JSON.stringify(results)).not.toContain('secret-key');
    return new Map(results.map((result) => [result.name, result]));
  }

  it('prints one line per check', async () => {
    const lines = await examine({ 'verify.worldid4.enabled': 'true' });
    expect([...lines].map(([name, { status }]) => `${status} ${name}`)).toEqual([
      'ok roots',
      'warn root quorum',
      'ok root chain ids',
      'ok root clock',
      'warn root lag',
      'ok root disagreements',
      'ok root limits',
      'ok World ID 4.0',
    ]);
    expect(lines.get('root chain ids')?.detail).toBe('roots.rpc.worldchain: 2 providers of chain 480');
  });

  it('fails for providers of another chain, and for those that refuse', async () => {
    script = new ScriptedChain({ chainId: 1 });
    const [first] = providers;
    await first?.close();
    providers[0] = await startFakeProvider(scriptedBackend(script));
    expect((await examine()).get('root chain ids')).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/127\.0\.0\.1:\d+ serves chain 1, expected 480/),
    });
    for (const provider of providers) provider.behaviour = failing({ code: 1, message: 'unauthorized' });
    expect((await examine()).get('root chain ids')).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/127\.0\.0\.1:\d+ refused, localhost:\d+ refused/),
    });
  });

  it('ends after one timeout if the providers hang', async () => {
    for (const provider of providers) provider.broken = hang;
    const lines = await examine({ 'roots.rpcTimeoutMs': '100' });
    expect(lines.get('root chain ids')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('unreachable'),
    });
    expect(lines.get('root clock')?.detail).toContain('not known');
    // A provider that does not even name its chain is asked for nothing else; a busy one may not see the call.
    for (const { calls } of providers) expect(calls.length).toBeLessThanOrEqual(1);
  });

  it('asks nobody without a source', async () => {
    const config = await configOf({ 'roots.rpc.worldchain': providers.map(({ url }) => url).join(',') });
    const results = await checkWorldId(state, config, { now: () => NOW, cwd: folder });
    expect(results.map(({ name }) => name)).toEqual(['roots', 'World ID 4.0']);
    expect(providers.flatMap(({ calls }) => calls)).toEqual([]);
  });
});
