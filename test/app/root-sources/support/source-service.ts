/** The sources of a service over a scripted chain and providers on the loopback interface, on a clock of the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { createRootSources, type RootSources } from '../../../../src/app/parts/root-sources.ts';
import type { RootSource } from '../../../../src/config/roots/source-types.ts';
import type { Config } from '../../../../src/config/settings/types.ts';
import { loadConfig } from '../../../../src/config/sources/load.ts';
import {
  checkAccountRoot,
  checkRoot,
  createRootRegistry,
} from '../../../../src/membership/roots/root-registry.ts';
import { createMetrics, type Metrics } from '../../../../src/observability/metrics/metrics.ts';
import { wordOf } from '../../../../src/semaphore/words.ts';
import type { RootRow } from '../../../../src/storage/roots.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { testSource } from '../../../membership/sources/support/history.ts';
import { type FakeProvider, startFakeProvider } from '../../../support/chain/fake-provider.ts';
import { ScriptedChain, scriptedBackend } from '../../../support/chain/scripted-chain.ts';
import {
  type ScriptedManager,
  type ScriptedRegistry,
  scriptManager,
  scriptRegistry,
} from '../../../support/chain/scripted-contracts.ts';
import { environmentOf } from '../../../support/server/environment-of.ts';
import { pollUntil } from '../../../support/until.ts';
import { openTempStore } from '../../../verification/support/temp-store.ts';

/** Names of the loopback interface: providers of one host are one. */
const HOSTS = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'];
export const MANAGER: string = `0x${'c0'.repeat(20)}`;
export const REGISTRY: string = `0x${'c4'.repeat(20)}`;
export const WINDOW_SECONDS: number = 3600;
/** How often the runners look at the clock, in real time. */
const LEASE_SECONDS = 0.03;

/** The source of the tree orb, and that of the tree account, with the default times of their kinds. */
export const ORB: RootSource = testSource({
  id: 'orb',
  contract: MANAGER,
  confirmations: 0,
  maxRange: 2000,
  startBlock: 1,
  pollSeconds: 15,
  lookBackSeconds: 691_200,
  staleAfterSeconds: 14_400,
});
export const ACCOUNT: RootSource = testSource({
  id: 'account',
  kind: 'registry4',
  contract: REGISTRY,
  issuers: REGISTRY,
  oprfKeys: REGISTRY,
  confirmations: 0,
  maxRange: 2000,
  startBlock: 1,
  lookBackSeconds: 7200,
  pollSeconds: 4,
  staleAfterSeconds: 900,
});

const SOURCES: readonly RootSource[] = [ORB, ACCOUNT];

/** A line of the log. */
export interface LoggedLine {
  readonly level: string;
  readonly event: unknown;
  readonly text: string;
}

/** Options of `openSourceService`. */
export interface SourceServiceOptions {
  readonly providers?: number;
  readonly chainId?: number;
  readonly sources?: readonly RootSource[];
  readonly roots?: Partial<Config['roots']>;
}

/** What came of a root in a check: its age rule, or that nobody knows it. */
export type RootVerdict = 'accepted' | 'too old' | 'unknown';

/** The sources of a service, with what they read and what they show. */
export class SourceService {
  readonly chain: ScriptedChain;
  readonly manager: ScriptedManager;
  readonly registry: ScriptedRegistry;
  readonly clock: { now: number };
  readonly lines: LoggedLine[] = [];
  /** Stale sources that were reported, with their lag. */
  readonly stale: (readonly [source: string, lagSeconds: number])[] = [];
  readonly metrics: Metrics = createMetrics();
  providers: FakeProvider[] = [];
  store!: Store;
  sources!: RootSources;
  /** Thrown by all use of the store by the sources while it is set. */
  storeError: Error | undefined;
  /** How often the store has rejected. */
  storeRefusals = 0;
  readonly #options: SourceServiceOptions;
  #config!: Config;
  readonly #undo: (() => unknown)[] = [];
  /** Last use of the store by a round that has ended, by source: the runner knows after it when the next one is due. */
  readonly #last = new Map<string, 'find' | 'fail'>();
  /** Rounds by source. */
  readonly #settled = new Map<string, number>();

  constructor(options: SourceServiceOptions) {
    this.#options = options;
    this.chain = new ScriptedChain({ chainId: options.chainId ?? 480 });
    this.manager = scriptManager(this.chain, MANAGER, 100n);
    this.registry = scriptRegistry(this.chain, REGISTRY, WINDOW_SECONDS);
    this.chain.mine();
    this.clock = { now: this.chain.head.time * 1000 };
    const counter = this.metrics.rootsSourceRoundsTotal;
    const inc = counter.inc.bind(counter);
    vi.spyOn(counter, 'inc').mockImplementation((data) => {
      const labels = data as { readonly source: string; readonly result: string };
      this.#last.set(labels.source, labels.result === 'failed' ? 'fail' : 'find');
      inc(labels);
    });
  }

  /** Opens store and providers; the sources are started by `start`. */
  async open(): Promise<this> {
    const temp = await openTempStore();
    this.#undo.push(() => temp.close());
    this.store = temp.store;
    const folder = mkdtempSync(join(tmpdir(), 'proofgate-sources-'));
    this.#undo.push(() => rmSync(folder, { recursive: true }));
    const { config } = await loadConfig({
      env: environmentOf({ profile: 'test', dataDir: folder }),
      cwd: folder,
    });
    const backend = scriptedBackend(this.chain);
    const hosts = HOSTS.slice(0, this.#options.providers ?? 1);
    this.providers = await Promise.all(hosts.map(() => startFakeProvider(backend)));
    for (const provider of this.providers) this.#undo.push(() => provider.close());
    const urls = this.providers.map(({ url }, index) => url.replace('127.0.0.1', HOSTS[index] ?? ''));
    this.#config = {
      ...config,
      roots: {
        ...config.roots,
        sources: this.#options.sources ?? SOURCES,
        rpc: { custom: urls },
        leaseSeconds: LEASE_SECONDS,
        ...this.#options.roots,
      },
    };
    return this;
  }

  /** Starts the sources as a process does; those of a former process are stopped before. */
  async start(): Promise<void> {
    await this.sources?.stop();
    const write =
      (level: string) =>
      (text: string, fields?: object): void => {
        this.lines.push({ level, text, event: (fields as { event?: unknown } | undefined)?.event });
      };
    this.sources = createRootSources({
      config: this.#config,
      metrics: this.metrics,
      isShared: false,
      now: () => this.clock.now,
      store: this.#failingStore(),
      apps: { list: async () => [] },
      log: { info: write('info'), warn: write('warn'), error: write('error') },
      onStale: (source, lagSeconds) => this.stale.push([source, lagSeconds]),
    });
    this.metrics.setReaders([(metrics) => this.sources.metrics?.(metrics)]);
    await this.sources.start();
  }

  async close(): Promise<void> {
    await this.sources?.stop();
    this.metrics.close();
    for (const undo of this.#undo.reverse()) await undo();
  }

  /** Makes a block at the time of the clock. */
  mine(): void {
    this.chain.nextTime = Math.max(this.chain.nextTime, Math.floor(this.clock.now / 1000));
    this.chain.mine();
  }

  /** Waits until each source has ended a further round, and knows when the next one is due. */
  async rounds(): Promise<void> {
    const before = new Map(this.#settled);
    const ids = (this.#options.sources ?? SOURCES).map(({ id }) => id);
    await pollUntil(() => ids.every((id) => (this.#settled.get(id) ?? 0) > (before.get(id) ?? 0)));
    await this.sources.states.refresh();
  }

  /** Moves the clock, and waits for a round of each source. */
  async advance(seconds: number): Promise<void> {
    this.clock.now += seconds * 1000;
    await this.rounds();
  }

  /** Says what a request over a root of the tree orb would get. */
  async ofOrb(root: bigint, maxAgeSeconds: number): Promise<RootVerdict> {
    const row = await this.#find('orb', root);
    return row === undefined ? 'unknown' : verdict(checkRoot(row, maxAgeSeconds, this.clock.now));
  }

  /** Says what a request over a root of the tree account would get. */
  async ofAccount(root: bigint): Promise<RootVerdict> {
    const row = await this.#find('account', root);
    if (row === undefined) return 'unknown';
    const confirmedUntil = this.sources.lookup.confirmedUntil?.(row.source);
    return verdict(checkAccountRoot(row, WINDOW_SECONDS, this.clock.now, confirmedUntil));
  }

  /** Returns the states that readiness shows, by source. */
  states(): Record<string, string> {
    return Object.fromEntries(this.sources.states.list().map(({ id, status }) => [id, status]));
  }

  /** Returns the value of a metric without its prefix; undefined if it is not shown. */
  async metric(name: string): Promise<number | undefined> {
    const lines = (await this.metrics.exposition()).split('\n');
    const line = lines.find((each) => each.startsWith(`proofgate_${name} `));
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
  }

  /** Returns the texts of the log under an event. */
  logged(event: string): string[] {
    return this.lines.filter((line) => line.event === event).map(({ text }) => text);
  }

  async #find(tree: 'orb' | 'account', root: bigint): Promise<RootRow | undefined> {
    const roots = createRootRegistry(this.store.roots, 0, () => this.clock.now, this.sources.lookup);
    return await roots.find('staging', tree, wordOf(root));
  }

  /** The store, of which each part rejects while there is an error. */
  #failingStore(): Store {
    const fail = (): void => {
      if (this.storeError === undefined) return;
      this.storeRefusals++;
      throw this.storeError;
    };
    const guarded = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get: (target, name, receiver) => {
          const member: unknown = Reflect.get(target, name, receiver);
          if (typeof member !== 'function') return member;
          return async (...args: unknown[]) => {
            const id = String(args[0]);
            const isLast = this.#last.get(id) === name;
            if (isLast) this.#last.delete(id);
            try {
              fail();
              return await member.apply(target, args);
            } finally {
              if (isLast) this.#settled.set(id, (this.#settled.get(id) ?? 0) + 1);
            }
          };
        },
      });
    const { rootSources, leases, roots, worldId4Keys } = this.store;
    return {
      ...this.store,
      rootSources: guarded(rootSources),
      leases: guarded(leases),
      roots: guarded(roots),
      worldId4Keys: guarded(worldId4Keys),
    };
  }
}

function verdict({ isAccepted }: { readonly isAccepted: boolean }): RootVerdict {
  return isAccepted ? 'accepted' : 'too old';
}

/** Opens the sources of a service, and starts them. */
export async function startSourceService(options: SourceServiceOptions = {}): Promise<SourceService> {
  const service = await new SourceService(options).open();
  await service.start();
  return service;
}
