/**
 * Random histories of a contract on a chain with reorganisations, read by several nodes with lying providers and crashes.
 * The registry must end as a replay of the final chain says.
 */
import { Chain, Provider } from '../../../../src/chain/index.ts';
import type { ChainSource } from '../../../../src/config/index.ts';
import { createChainReader, SourceKeys } from '../../../../src/membership/index.ts';
import { SourceReader } from '../../../../src/membership/sources/source-reader.ts';
import { toHex } from '../../../../src/semaphore/hex.ts';
import type { RootSourceStore, Store } from '../../../../src/storage/index.ts';
import {
  alteringBlocks,
  alteringLogs,
  type Behaviour,
  lagging,
  silent,
} from '../../../support/chain/behaviours.ts';
import { createDirectClient, type DirectClient } from '../../../support/chain/direct-client.ts';
import { ScriptedChain, scriptedBackend } from '../../../support/chain/scripted-chain.ts';
import {
  hexWords,
  scriptBridge,
  scriptManager,
  scriptRegistry,
} from '../../../support/chain/scripted-contracts.ts';

/** A life of a root that the registry must have: times in seconds since the epoch. */
export interface ExpectedLife {
  readonly root: string;
  readonly receivedAt: number;
  readonly supersededAt: number | null;
}

/** Numbers from a seed, so that a failing history can be repeated. */
export function randomFrom(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const CONTRACT = `0x${'c0'.repeat(20)}`;
const FIRST_ROOT = 1000n;
/** Blocks that no reorganisation reaches: the contract was made in the first of them. */
const FIRST_BLOCKS = 6;
const SETTLING_BLOCKS = 10;

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
  /** Thrown by the next commits of any node, before or after it is made. */
  crash: 'before' | 'after' | undefined;
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

  /** Creates a node with its own view of the providers. */
  node(quorum = 2): SourceReader {
    return new SourceReader(this.parts(quorum));
  }

  /** Creates what a reader of the source needs. */
  parts(quorum = 2): ConstructorParameters<typeof SourceReader>[0] {
    const { source, now } = this;
    const sleep = async (): Promise<void> => undefined;
    const chainId = source.chainId;
    // Calls take no time, so that pauses of providers would never end.
    let calls = this.#nodes++ * 1000;
    const patience = (): number => (calls += 30_000);
    const providers = this.clients.map(
      (client, index) =>
        new Provider({
          ...{ client, index, chainId, sleep },
          now: patience,
          random: () => 0.5,
          observe: () => undefined,
        }),
    );
    const chain = new Chain({
      ...{ chainId, providers, quorum, now, sleep },
      onDisagreement: () => undefined,
    });
    const keys = new SourceKeys({
      ...{ source, chain, now, keys: this.store.worldId4Keys },
      apps: { list: async () => [] },
      issuerIds: [],
      refreshMs: Number.MAX_SAFE_INTEGER,
      onBadKey: () => undefined,
    });
    const store = { roots: this.store.roots, rootSources: this.#crashing(this.store.rootSources) };
    return { source, chain, keys, store, now, sleep, onReorg: () => undefined };
  }

  /** Creates the reader that the service runs. */
  reader(quorum = 2): ReturnType<typeof createChainReader> {
    return createChainReader(this.parts(quorum));
  }

  /** Runs rounds of honest providers until nothing is left to be read. */
  async settle(): Promise<void> {
    for (const client of this.clients) client.behaviour = undefined;
    this.crash = undefined;
    // The chain outgrows what it was before its last reorganisation.
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

  /** Returns the lives that the chain up to the target says, derived without any code of the source. */
  expected(): ExpectedLife[] {
    const { confirmations, kind } = this.source;
    const depth = typeof confirmations === 'number' ? confirmations : 0;
    const last = this.chain.head.number - depth;
    const blocks = this.chain.blocks.filter(({ number }) => number <= last);
    const changes: { readonly root: string; readonly time: number }[] = [];
    const first = kind === 'registry4' || kind === 'bridged' ? undefined : hexWords(FIRST_ROOT);
    if (first !== undefined)
      changes.push({ root: first, time: this.chain.at(this.source.startBlock - 1)?.time ?? 0 });
    for (const block of blocks) {
      for (const log of block.logs) {
        const root = rootOf(kind, log.topics, log.data);
        if (root !== undefined && root !== changes.at(-1)?.root) changes.push({ root, time: block.time });
      }
    }
    const lives = new Map<string, ExpectedLife>();
    changes.forEach(({ root, time }, index) => {
      lives.set(root, { root, receivedAt: time, supersededAt: changes[index + 1]?.time ?? null });
    });
    return [...lives.values()].sort(byRoot);
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
      .sort(byRoot);
  }

  #crashing(rootSources: RootSourceStore): RootSourceStore {
    return {
      ...rootSources,
      commit: async (change) => {
        const { crash } = this;
        this.crash = undefined;
        if (crash === 'before') throw new Error('crash before the commit');
        const isCommitted = await rootSources.commit(change);
        if (crash === 'after') throw new Error('crash after the commit');
        return isCommitted;
      },
    };
  }
}

/** Runs a random history; the registry is then to be compared with the chain. */
export async function runHistory(history: History, seed: number, steps: number): Promise<void> {
  const random = randomFrom(seed);
  const { chain, contract, clients } = history;
  let nodes = [history.node(), history.node()];
  let fresh = FIRST_ROOT;
  const made: bigint[] = [FIRST_ROOT];
  const nextRoot = (): bigint => {
    // Roots come back where the contract allows it.
    const canRepeat = history.source.kind !== 'bridged' && made.length > 1;
    if (canRepeat && random(3) === 0) return made[random(made.length)] ?? FIRST_ROOT;
    fresh += 1n;
    made.push(fresh);
    return fresh;
  };
  const mine = (): void => {
    for (let changes = random(3) === 0 ? random(4) : 0; changes > 0; changes--) contract.change(nextRoot());
    chain.mine();
  };
  for (let step = 0; step < steps; step++) {
    switch (random(8)) {
      case 0:
        chain.drop(1 + random(Math.min(5, Math.max(chain.blocks.length - FIRST_BLOCKS, 1))));
        for (let blocks = random(7); blocks >= 0; blocks--) mine();
        break;
      case 1:
        for (const client of clients) client.behaviour = undefined;
        if (random(2) === 0) {
          const liar = clients[random(clients.length)];
          if (liar !== undefined) liar.behaviour = LIES[random(LIES.length)];
        }
        break;
      case 2:
        for (const client of clients) client.behaviour = undefined;
        // Two of three behind a load balancer that has not seen the newest blocks.
        if (random(2) === 0) for (const client of clients.slice(1)) client.behaviour = silent;
        break;
      case 3:
        nodes = [history.node(), history.node()];
        break;
      default:
        mine();
    }
    if (random(12) === 0) history.crash = random(2) === 0 ? 'before' : 'after';
    const both = random(4) === 0;
    await Promise.all(
      nodes
        .slice(0, both ? 2 : 1)
        .map((node) => node.round(random(10) === 0 ? 0 : undefined).catch(() => undefined)),
    );
  }
}

/** What a single provider does wrong. */
export const LIES: readonly Behaviour[] = [
  alteringLogs((logs) => logs.slice(1)),
  alteringLogs((logs) => logs.map((log) => ({ ...log, blockHash: `0x${'ab'.repeat(32)}` }))),
  alteringLogs((logs) =>
    logs.map((log) => ({ ...log, topics: [...log.topics.slice(0, -1), hexWords(31_337n)] })),
  ),
  alteringBlocks((block) => ({ ...block, hash: `0x${'cd'.repeat(32)}` })),
  alteringBlocks((block) => ({ ...block, timestamp: `0x${(Number(block.timestamp) + 5).toString(16)}` })),
  lagging(4),
  silent,
];

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

function rootOf(kind: ChainSource['kind'], topics: readonly string[], data: string): string | undefined {
  if (kind === 'identity-manager') return topics[3];
  return kind === 'bridged' ? data.slice(0, 66) : topics[1];
}

function byRoot(one: ExpectedLife, other: ExpectedLife): number {
  return one.root < other.root ? -1 : 1;
}
