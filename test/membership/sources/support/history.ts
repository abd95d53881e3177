/** A contract on a scripted chain, its providers, and nodes that read it into a store. */
import { expect } from 'vitest';
import { Chain } from '../../../../src/chain/chain.ts';
import { Provider } from '../../../../src/chain/provider/provider.ts';
import type { ChainSource } from '../../../../src/config/roots/source-types.ts';
import { createChainReader } from '../../../../src/membership/sources/reader/chain-reader.ts';
import { SourceKeys } from '../../../../src/membership/sources/reader/source-keys.ts';
import { SourceReader } from '../../../../src/membership/sources/reader/source-reader.ts';
import { toHex } from '../../../../src/semaphore/hex.ts';
import type { RootSourceStore, SourceChange } from '../../../../src/storage/root-sources.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { createDirectClient, type DirectClient } from '../../../support/chain/direct-client.ts';
import { ScriptedChain, scriptedBackend } from '../../../support/chain/scripted-chain.ts';
import { scriptBridge, scriptManager, scriptRegistry } from '../../../support/chain/scripted-contracts.ts';
import { type ExpectedLife, FIRST_ROOT, livesBy, livesOf } from './replay.ts';

const CONTRACT = `0x${'c0'.repeat(20)}`;
/** Blocks that no reorganisation reaches: the contract was made in the first of them. */
export const FIRST_BLOCKS = 6;
const SETTLING_BLOCKS = 10;
/** Logs are read after so long at the latest (spec/roots.md#rounds, `quick-end`). */
const LOGS_EVERY_MS = 60_000;

/** A source of a kind in a tree, for tests. */
export function testSource(fields: Partial<ChainSource> = {}): ChainSource {
  const { kind = 'identity-manager' } = fields;
  const isRegistry = kind === 'registry4';
  return {
    id: 'test-source',
    kind,
    environment: 'staging',
    tree: isRegistry ? 'account' : 'orb',
    rpc: 'custom',
    chainId: 480,
    contract: CONTRACT,
    startBlock: 2,
    issuers: isRegistry ? CONTRACT : undefined,
    oprfKeys: isRegistry ? CONTRACT : undefined,
    verifier: undefined,
    confirmations: 2,
    pollSeconds: 1,
    lookBackSeconds: 600,
    maxRange: 7,
    staleAfterSeconds: 60,
    ...fields,
  };
}

/** When a node ends: before a commit, or after it; after how many others. */
export interface CrashPoint {
  readonly when: 'before' | 'after';
  readonly commits: number;
}

/** A node ended at a commit. */
export class Crash extends Error {
  readonly when: CrashPoint['when'];

  constructor(when: CrashPoint['when']) {
    super(`the process ends ${when} a commit`);
    this.when = when;
  }
}

/** A contract whose root a history changes. */
interface HistoryContract {
  change(root: bigint): void;
}

/** A chain with one contract, providers of it, and nodes that read it into a store. */
export class History {
  readonly chain: ScriptedChain;
  readonly contract: HistoryContract;
  readonly source: ChainSource;
  readonly clients: readonly DirectClient[];
  readonly store: Store;
  /** Where one of the nodes ends. */
  crash: CrashPoint | undefined;
  /** Reorganisations that nodes have followed. */
  reorganisations = 0;
  /** Contradictions of providers that nodes have seen. */
  disagreements = 0;
  #nodes = 0;

  constructor(store: Store, source: ChainSource = testSource(), blockSeconds = 2) {
    this.store = store;
    this.source = source;
    this.chain = new ScriptedChain({ chainId: source.chainId, blockSeconds });
    this.contract = scriptContract(this.chain, source);
    this.chain.mineMany(FIRST_BLOCKS);
    const backend = scriptedBackend(this.chain);
    this.clients = ['a', 'b', 'c'].map((name) => createDirectClient(backend, `${name}.example`));
  }

  /** The time of the head: the clock of all nodes. */
  readonly now = (): number => this.chain.head.time * 1000;

  /** Has the store forget what it knows of the source. */
  async reset(): Promise<void> {
    await this.node().open();
    await this.store.rootSources.reset(this.source.id);
  }

  /** Creates a node with its own view of the providers. */
  node(quorum = 2): SourceReader {
    return new SourceReader(this.parts(quorum));
  }

  /**
   * Creates what a reader of the source needs.
   *
   * @param onCall - Hears of each call to a provider.
   */
  parts(quorum = 2, onCall: () => void = () => undefined): ConstructorParameters<typeof SourceReader>[0] {
    const { source, now } = this;
    const sleep = async (): Promise<void> => undefined;
    const chainId = source.chainId;
    // Calls take no time, so that pauses of providers would never end.
    let calls = this.#nodes++ * 1000;
    const patience = (): number => (calls += 30_000);
    const providers = this.clients.map(
      (client, index) =>
        new Provider({
          client,
          index,
          chainId,
          sleep,
          now: patience,
          random: () => 0.5,
          observe: onCall,
        }),
    );
    const chain = new Chain({
      chainId,
      providers,
      quorum,
      now,
      sleep,
      onDisagreement: () => this.disagreements++,
    });
    const keys = new SourceKeys({
      source,
      chain,
      now,
      keys: this.store.worldId4Keys,
      apps: { list: async () => [] },
      issuerIds: [],
      refreshMs: Number.MAX_SAFE_INTEGER,
      onBadKey: () => undefined,
    });
    const store = { roots: this.store.roots, rootSources: this.#crashing(this.store.rootSources) };
    return { source, chain, keys, store, now, sleep, onReorg: () => this.reorganisations++ };
  }

  /** Creates a node that does something before its commits, which are counted from 1. */
  nodeThat(before: (commits: number, change: SourceChange) => Promise<void>): SourceReader {
    let commits = 0;
    const { roots, rootSources } = this.store;
    const commit: RootSourceStore['commit'] = async (change) => {
      await before(++commits, change);
      return rootSources.commit(change);
    };
    return new SourceReader({ ...this.parts(), store: { roots, rootSources: { ...rootSources, commit } } });
  }

  /** Creates a node whose process ends before a commit. */
  nodeThatEndsAt(commit: number): SourceReader {
    return this.nodeThat(async (commits) => {
      if (commits === commit) throw new Error('the process ends');
    });
  }

  /** Creates the reader that the service runs. */
  reader(onCall?: () => void): ReturnType<typeof createChainReader> {
    return createChainReader(this.parts(2, onCall));
  }

  /** Runs rounds of honest providers until nothing is left to be read. */
  async settle(): Promise<void> {
    for (const client of this.clients) client.behaviour = undefined;
    this.crash = undefined;
    // The chain outgrows what it was before its last reorganisations, and logs are due even if the root is the same.
    const { targetTime, logsAt } = (await this.store.rootSources.find(this.source.id)) ?? {};
    const settlesAt = Math.max(targetTime ?? 0, (logsAt ?? 0) + LOGS_EVERY_MS);
    while (this.now() < settlesAt) this.chain.mine();
    this.chain.mineMany(SETTLING_BLOCKS);
    const node = this.node();
    for (let round = 0; round < 20; round++) {
      const result = await node.round().catch((cause: unknown) => {
        if (round > 10) throw cause;
        return 'failed' as const;
      });
      const state = await this.store.rootSources.find(this.source.id);
      if (result === 'same' && state?.backfillTo === null) return;
    }
    throw new Error('the source does not settle');
  }

  /**
   * Returns the lives that the chain up to the target says, derived without any code of the source.
   *
   * @param scanFrom - First block whose changes count.
   */
  expected(scanFrom: number = this.source.startBlock): ExpectedLife[] {
    const { confirmations } = this.source;
    const depth = typeof confirmations === 'number' ? confirmations : 0;
    const last = this.chain.head.number - depth;
    const blocks = this.chain.blocks.filter(({ number }) => number <= last);
    return livesOf(blocks, this.source.kind, scanFrom);
  }

  /** Returns the lives that the registry has. */
  async found(): Promise<ExpectedLife[]> {
    const { environment, tree } = this.source;
    const rows = await this.store.roots.list({ environment, tree });
    return rows
      .map(({ root, receivedAt, supersededAt }) => ({
        root: toHex(root),
        receivedAt: receivedAt / 1000,
        supersededAt: supersededAt === null ? null : supersededAt / 1000,
      }))
      .sort(livesBy);
  }

  /** Returns the roots that the registry has as current. */
  async current(): Promise<string[]> {
    const found = await this.found();
    return found.filter(({ supersededAt }) => supersededAt === null).map(({ root }) => root);
  }

  /** Expects the lives that the chain says in the registry. */
  async expectFollowed(): Promise<void> {
    expect(await this.found()).toEqual(this.expected());
  }

  /** Settles, and expects the lives that the chain says. */
  async expectSettled(): Promise<void> {
    await this.settle();
    await this.expectFollowed();
  }

  #crashing(rootSources: RootSourceStore): RootSourceStore {
    return {
      ...rootSources,
      commit: async (change) => {
        const { crash } = this;
        const isDue = crash?.commits === 0;
        this.crash = crash === undefined || isDue ? undefined : { ...crash, commits: crash.commits - 1 };
        if (isDue && crash.when === 'before') throw new Crash('before');
        const isCommitted = await rootSources.commit(change);
        if (isDue) throw new Crash('after');
        return isCommitted;
      },
    };
  }
}

function scriptContract(chain: ScriptedChain, { kind, contract }: ChainSource): HistoryContract {
  if (kind === 'bridged') {
    const bridge = scriptBridge(chain, contract);
    return { change: (root) => bridge.add(root) };
  }
  if (kind === 'registry4') {
    const registry = scriptRegistry(chain, contract);
    return { change: (root) => registry.record(root) };
  }
  return scriptManager(chain, contract, FIRST_ROOT);
}

/** Creates the history of a test source of which the store knows nothing. */
export async function newHistory(store: Store, fields: Partial<ChainSource> = {}): Promise<History> {
  const history = new History(store, testSource(fields));
  await history.reset();
  return history;
}
