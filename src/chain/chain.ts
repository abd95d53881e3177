import { setTimeout } from 'node:timers/promises';
import { agree, type Disagreement, missingQuorum } from './agree.ts';
import { type BlockId, type BlockTag, type CallObserver, Provider } from './provider/provider.ts';
import type { ProviderStatus } from './provider/provider-health.ts';
import type { Block, CallResult, ContractCall, Log, LogQuery } from './rpc/answers.ts';
import { createRpcClient, type RpcLimits } from './rpc/rpc-client.ts';
import { RpcFailure } from './rpc/rpc-failure.ts';

/** Distance from the head at which facts are read: a number of blocks, or a block tag of the provider. */
export type Confirmations = number | 'safe' | 'finalized';

/** A condition to report to operators while facts are still established. */
export type ChainWarning =
  /** A provider has failed or lagged for a minute. */
  | { readonly kind: 'provider'; readonly provider: Provider; readonly status: ProviderStatus }
  /** The newest block is old: the chain or the providers have stalled. */
  | { readonly kind: 'head_stale'; readonly ageSeconds: number }
  /** The time of the newest block and the clock of this machine differ. */
  | { readonly kind: 'clock'; readonly offsetSeconds: number }
  /** Several URLs share a host: they count once towards the quorum. */
  | { readonly kind: 'shared_host'; readonly hostname: string };

/** Options of a chain. */
export interface ChainOptions {
  readonly chainId: number;
  readonly providers: readonly Provider[];
  /** Number of distinct hosts that must give the same answer. */
  readonly quorum: number;
  readonly now: () => number;
  /** Waits; rejects when the service stops. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly onDisagreement: (disagreement: Disagreement) => void;
}

/** Chains with 12-second slots, some of them without a block: Ethereum and Sepolia. */
const SLOW_CHAINS: readonly number[] = [1, 11_155_111];
const SLOW_CHAIN_OLD_HEAD_SECONDS = 600;
const OLD_HEAD_SECONDS = 120;
/** Difference between the newest block and the local clock above which one of them is wrong. */
export const CLOCK_OFFSET_SECONDS = 120;
/** Time for a provider to recover before it is reported. */
const REPORTED_AFTER_MS = 60_000;
/** Wait for the heads of further providers once a quorum has answered. */
const HEAD_GRACE_MS = 500;

/** Returns the age of the newest block, in seconds, from which the chain or the provider counts as stalled. */
export function oldHeadSeconds(chainId: number): number {
  return SLOW_CHAINS.includes(chainId) ? SLOW_CHAIN_OLD_HEAD_SECONDS : OLD_HEAD_SECONDS;
}

/** Facts of a chain that a quorum of providers confirms. */
export class Chain {
  readonly chainId: number;
  readonly providers: readonly Provider[];
  readonly quorum: number;
  readonly #options: ChainOptions;
  /** Time of the newest block minus local time, if the last reading of the heads succeeded. */
  #headOffsetSeconds: number | undefined;

  constructor(options: ChainOptions) {
    this.chainId = options.chainId;
    this.providers = options.providers;
    this.quorum = options.quorum;
    this.#options = options;
  }

  /**
   * Returns the highest block that a quorum has and that is confirmed: a single slow or fast provider has no influence.
   * Providers whose head is below the block are not queried about it.
   *
   * @throws NoQuorum
   */
  async target(confirmations: Confirmations): Promise<Block> {
    const tag = typeof confirmations === 'number' ? 'latest' : confirmations;
    const depth = typeof confirmations === 'number' ? confirmations : 0;
    const { number: highest } = await this.#readHeads(tag);
    const number = Math.max(highest - depth, 0);
    for (const provider of this.providers) provider.compareWith(number);
    return this.block(number);
  }

  /** Returns a block by its number. @throws NoQuorum */
  block(number: number): Promise<Block> {
    return this.#agree('eth_getBlockByNumber', number, (provider) => provider.readBlock(number));
  }

  /** Returns the logs of a range. @throws NoQuorum */
  logs(query: LogQuery): Promise<Log[]> {
    return this.#agree('eth_getLogs', query.toBlock, (provider) => provider.readLogs(query));
  }

  /** Calls a view function at a block. @throws NoQuorum */
  callAt(block: BlockId, call: ContractCall): Promise<CallResult> {
    return this.#agree('eth_call', block.number, (provider) => provider.callAt(block, call));
  }

  /**
   * Returns the number of blocks that a quorum is known to accept in one request for logs. Ranges of this size limit
   * the repeated work after a failure.
   *
   * @param maxRange - Upper bound of the result.
   */
  logRange(maxRange: number): number {
    const ranges = this.#usable().map(({ acceptedBlocks }) => Math.min(acceptedBlocks ?? maxRange, maxRange));
    return ranges.sort((one, other) => other - one)[this.quorum - 1] ?? maxRange;
  }

  /** Returns the conditions to report to operators. */
  warnings(): ChainWarning[] {
    const now = this.#options.now();
    const warnings: ChainWarning[] = [];
    for (const provider of this.providers) {
      const { status } = provider;
      if (status.since !== undefined && now - status.since >= REPORTED_AFTER_MS) {
        warnings.push({ kind: 'provider', provider, status });
      }
    }
    const hostnames = this.providers.map(({ hostname }) => hostname);
    const shared = hostnames.filter((hostname, index) => hostnames.indexOf(hostname) !== index);
    for (const hostname of new Set(shared)) warnings.push({ kind: 'shared_host', hostname });
    const offsetSeconds = this.#headOffsetSeconds ?? 0;
    if (-offsetSeconds > oldHeadSeconds(this.chainId))
      warnings.push({ kind: 'head_stale', ageSeconds: -offsetSeconds });
    if (Math.abs(offsetSeconds) > CLOCK_OFFSET_SECONDS) warnings.push({ kind: 'clock', offsetSeconds });
    return warnings;
  }

  /**
   * Reads the newest block of each provider and the block of a tag; returns the highest block of the tag that a quorum
   * has.
   */
  async #readHeads(tag: BlockTag): Promise<Block> {
    const heads = new Map<string, Block>();
    const named = new Map<string, Block>();
    const failures: RpcFailure[] = [];
    const read = async (provider: Provider): Promise<void> => {
      try {
        const head = await provider.readHead('latest');
        keepHighest(named, provider, tag === 'latest' ? head : await provider.readHead(tag));
        keepHighest(heads, provider, head);
      } catch (cause) {
        if (!(cause instanceof RpcFailure)) throw cause;
        failures.push(cause);
      }
    };
    const paused = this.providers.filter(({ suspension }) => suspension !== undefined);
    await this.#settle(this.#usable().map(read), () => heads.size >= this.quorum);
    const newest = this.#highestOf(heads);
    const highest = this.#highestOf(named);
    if (newest === undefined || highest === undefined) {
      this.#headOffsetSeconds = undefined;
      const earlier = paused.flatMap(({ lastFailure }) => lastFailure?.failure ?? []);
      const { quorum } = this;
      throw missingQuorum({ method: 'eth_getBlockByNumber', quorum }, heads.size, [...earlier, ...failures]);
    }
    this.#headOffsetSeconds = newest.time - Math.floor(this.#options.now() / 1000);
    return highest;
  }

  /** Returns the highest block that a quorum has. */
  #highestOf(blocks: ReadonlyMap<string, Block>): Block | undefined {
    return [...blocks.values()].sort((one, other) => other.number - one.number)[this.quorum - 1];
  }

  /** Waits for all reads, or for enough of them plus a grace period. */
  async #settle(reads: readonly Promise<void>[], isEnough: () => boolean): Promise<void> {
    const all = Promise.all(reads);
    const enough = new Promise<void>((resolve) => {
      const check = (): void => {
        if (isEnough()) resolve();
      };
      // Rejections are handled by `all`.
      for (const read of reads) read.then(check, check);
    });
    await Promise.race([all, enough.then(() => this.#options.sleep(HEAD_GRACE_MS))]);
  }

  /** Returns the usable providers, the healthiest first. */
  #usable(): Provider[] {
    const usable = this.providers.filter(({ suspension }) => suspension === undefined);
    const isLate = ({ isHeadPending, isSlow }: Provider): number => Number(isHeadPending || isSlow);
    return usable.sort(
      (one, other) => one.failures - other.failures || isLate(one) - isLate(other) || one.index - other.index,
    );
  }

  #agree<T>(method: string, block: number, ask: (provider: Provider) => Promise<T>): Promise<T> {
    const providers = this.#usable().filter((provider) => !provider.isBelow(block));
    const { onDisagreement } = this.#options;
    return agree({ method, block, providers, quorum: this.quorum, ask, onDisagreement });
  }
}

function keepHighest(blocks: Map<string, Block>, { hostname }: Provider, block: Block): void {
  const other = blocks.get(hostname);
  if (other === undefined || other.number < block.number) blocks.set(hostname, block);
}

/** Options of a chain whose providers are reached over HTTP. */
export interface ChainSetup extends Pick<ChainOptions, 'chainId' | 'quorum' | 'now' | 'onDisagreement'> {
  /** http and https URLs of the providers. */
  readonly urls: readonly string[];
  readonly limits: RpcLimits;
  /** Cancels calls and waits when the service stops. */
  readonly signal: AbortSignal;
  readonly observe: CallObserver;
}

/** Creates a chain with its providers. */
export function createChain({ urls, limits, signal, observe, ...options }: ChainSetup): Chain {
  const { chainId, now } = options;
  const sleep = (ms: number): Promise<void> => setTimeout(ms, undefined, { signal });
  const providers = urls.map((url, index) => {
    const client = createRpcClient(url, limits, signal);
    return new Provider({ client, index, chainId, now, random: Math.random, sleep, observe });
  });
  return new Chain({ ...options, providers, sleep });
}
