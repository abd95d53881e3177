import {
  type Block,
  type CallResult,
  type ContractCall,
  type Log,
  type LogQuery,
  parseBlock,
  parseBytes,
  parseCallResult,
  parseLogs,
  parseQuantity,
  quantity,
  revertOf,
} from '../rpc/answers.ts';
import type { RpcClient } from '../rpc/rpc-client.ts';
import { RpcFailure } from '../rpc/rpc-failure.ts';
import { ProviderHealth, type ProviderStatus, type Suspension } from './provider-health.ts';

const GROWTH = 1.25;
/**
 * Time after a refusal until larger ranges are tried again, so that not every second request to a limited provider
 * fails.
 */
const GROWS_AFTER_MS = 600_000;
/** Minimum interval between requests for logs to one provider. */
const LOG_REQUEST_INTERVAL_MS = 200;

/** Determines the number of blocks that a provider accepts in one request for logs, and paces these requests. */
export class LogRange {
  /** Number of blocks per request since a refusal of more; undefined without a refusal. */
  acceptedBlocks: number | undefined;
  readonly #now: () => number;
  #growsAt = 0;
  #nextAt = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Reserves the next time slot for a request; returns the wait in milliseconds. */
  reserveSlot(): number {
    const at = Math.max(this.#now(), this.#nextAt);
    this.#nextAt = at + LOG_REQUEST_INTERVAL_MS;
    return at - this.#now();
  }

  /** Returns the number of blocks for the next request, at most `blocks`. */
  sizeOf(blocks: number): number {
    return Math.min(blocks, this.acceptedBlocks ?? blocks);
  }

  /** Records an answered request. */
  accepted(blocks: number): void {
    // A smaller range than the accepted one is no evidence for a larger one.
    if (blocks !== this.acceptedBlocks || this.#now() < this.#growsAt) return;
    this.acceptedBlocks = Math.ceil(blocks * GROWTH);
  }

  /**
   * Records a request of at least two blocks that was refused for its range.
   *
   * @param named - Number of blocks that the provider states as accepted.
   */
  refused(blocks: number, named: number = blocks): void {
    this.acceptedBlocks = named < blocks ? named : Math.floor(blocks / 2);
    this.#growsAt = this.#now() + GROWS_AFTER_MS;
  }
}

/** Names of blocks that a provider resolves. */
export type BlockTag = 'latest' | 'safe' | 'finalized';

/** A block for the call of a contract. */
export type BlockId = Pick<Block, 'number' | 'hash'>;

/** Called after every call to a provider. */
export type CallObserver = (
  provider: Provider,
  method: string,
  elapsedMs: number,
  failure: RpcFailure | undefined,
) => void;

const CHAIN_ID_INTERVAL_MS = 600_000;
/** Maximum number of logs of one range; above that of any contract in use. */
const MAX_LOGS = 20_000;

/** Options of a provider. */
export interface ProviderOptions {
  readonly client: RpcClient;
  /** Position among those of its chain, from 0. */
  readonly index: number;
  readonly chainId: number;
  readonly now: () => number;
  readonly random: () => number;
  /** Waits; rejects when the service stops. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly observe: CallObserver;
}

/** A JSON-RPC provider of a chain, with its health and capabilities as known from its answers. */
export class Provider {
  readonly index: number;
  /** Host and port, for logs. */
  readonly host: string;
  /** Host without port: URLs with the same host name count as one provider in the quorum. */
  readonly hostname: string;
  /** Its newest block, as of the last answer. */
  head: Block | undefined;
  readonly #options: ProviderOptions;
  readonly #health: ProviderHealth;
  readonly #range: LogRange;
  #headsPending = 0;
  #chainIdAt = Number.NEGATIVE_INFINITY;
  #chainIdCheck: Promise<void> | undefined;
  #takesHashes: boolean | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.#health = new ProviderHealth(options.now, options.random);
    this.#range = new LogRange(options.now);
    this.index = options.index;
    this.host = options.client.host;
    this.hostname = options.client.hostname;
  }

  /** Current suspension; undefined if the provider is usable. */
  get suspension(): Suspension | undefined {
    return this.#health.suspension;
  }

  /** Number of consecutive failures; providers with fewer are used first. */
  get failures(): number {
    return this.#health.failures;
  }

  /** Whether its answers are slow. */
  get isSlow(): boolean {
    return this.#health.isSlow;
  }

  /** Current state and its start. */
  get status(): ProviderStatus {
    return this.#health.status;
  }

  /** Last failure, with the time in milliseconds since the epoch. */
  get lastFailure(): ProviderHealth['lastFailure'] {
    return this.#health.lastFailure;
  }

  /** Time of the last rate-limit answer, in milliseconds since the epoch; undefined if there was none. */
  get rateLimitedAt(): number | undefined {
    return this.#health.rateLimitedAt;
  }

  /** Time at which a quorum of others last contradicted it, in milliseconds since the epoch; undefined if never. */
  get disagreedAt(): number | undefined {
    return this.#health.disagreedAt;
  }

  /** Maximum number of blocks per request since a refusal of more; undefined without a refusal. */
  get acceptedBlocks(): number | undefined {
    return this.#range.acceptedBlocks;
  }

  /** Whether it accepts a block hash in `eth_call` (EIP-1898); undefined until tried. */
  get takesBlockHashes(): boolean | undefined {
    return this.#takesHashes;
  }

  /** Whether a request for its head is pending. */
  get isHeadPending(): boolean {
    return this.#headsPending > 0;
  }

  /** Whether a block is above its head, so that it cannot know a fact about it. */
  isBelow(block: number): boolean {
    return !this.isHeadPending && this.head !== undefined && this.head.number < block;
  }

  /** Records whether its head, which was just read, is below the target block. */
  compareWith(block: number): void {
    if (!this.isHeadPending && this.suspension === undefined) this.#health.setLagging(this.isBelow(block));
  }

  /** Suspends the provider for ten minutes, because a quorum of others contradicted it. */
  quarantine(): void {
    this.#health.quarantine();
  }

  /** Reads the id of its chain, without a check. */
  readChainId(): Promise<number> {
    return this.#send('eth_chainId', [], (result) => parseQuantity(result, 'the chain id'));
  }

  /** Reads the block of a tag. */
  async readHead(tag: BlockTag): Promise<Block> {
    if (tag !== 'latest')
      return this.#ask('eth_getBlockByNumber', [tag, false], (result) => parseBlock(result));
    this.#headsPending++;
    try {
      this.head = await this.#ask('eth_getBlockByNumber', [tag, false], (result) => parseBlock(result));
      return this.head;
    } finally {
      this.#headsPending--;
    }
  }

  /** Reads a block by its number. */
  readBlock(number: number): Promise<Block> {
    const parse = (result: unknown): Block => parseBlock(result, number);
    return this.#ask('eth_getBlockByNumber', [quantity(number), false], parse);
  }

  /** Reads the logs of a range, in parts of the size that the provider accepts. */
  async readLogs(query: LogQuery): Promise<Log[]> {
    const logs: Log[] = [];
    for (let fromBlock = query.fromBlock; fromBlock <= query.toBlock; ) {
      const part = await this.readFirstLogs({ ...query, fromBlock });
      for (const log of part.logs) logs.push(log);
      if (logs.length > MAX_LOGS) this.#fail('eth_getLogs', `there are more than ${MAX_LOGS} logs`);
      fromBlock += part.blocks;
    }
    return logs;
  }

  /** Reads the logs of the first blocks of a range, as many blocks as the provider accepts. */
  async readFirstLogs(query: LogQuery): Promise<{ blocks: number; logs: Log[] }> {
    for (;;) {
      const blocks = this.#range.sizeOf(query.toBlock - query.fromBlock + 1);
      try {
        const logs = await this.#readPart({ ...query, toBlock: query.fromBlock + blocks - 1 });
        this.#range.accepted(blocks);
        return { blocks, logs };
      } catch (cause) {
        if (!(cause instanceof RpcFailure && cause.failureClass === 'range')) throw cause;
        if (blocks === 1) {
          this.#fail('eth_getLogs', `a single block is refused: ${cause.message}`, { isSingleBlock: true });
        }
        this.#range.refused(blocks, cause.details.acceptedBlocks);
      }
    }
  }

  /** Calls a view function at a block. */
  async callAt(block: BlockId, call: ContractCall): Promise<CallResult> {
    if (this.#takesHashes !== false) {
      try {
        const result = await this.#callContract(call, { blockHash: block.hash, requireCanonical: true });
        this.#takesHashes = true;
        return result;
      } catch (cause) {
        if (!(cause instanceof RpcFailure && cause.failureClass === 'invalid_params')) throw cause;
      }
    }
    const result = await this.#callAtNumber(block.number, call);
    this.#takesHashes = false;
    const { hash } = await this.readBlock(block.number);
    if (hash !== block.hash) throw new RpcFailure('not_there', `block ${block.number} has another hash now`);
    return result;
  }

  /** Reads the code at an address at its head, as lower-case hex digits without prefix; empty if there is none. */
  readCode(address: string): Promise<string> {
    return this.#ask('eth_getCode', [address, 'latest'], (result) => parseBytes(result, 'the code'));
  }

  async #readPart(query: LogQuery): Promise<Log[]> {
    const filter = {
      address: query.addresses,
      topics: [[...query.events.keys()]],
      fromBlock: quantity(query.fromBlock),
      toBlock: quantity(query.toBlock),
    };
    const wait = this.#range.reserveSlot();
    if (wait > 0) await this.#options.sleep(wait);
    return this.#ask('eth_getLogs', [filter], (result) => parseLogs(result, query));
  }

  async #callAtNumber(number: number, call: ContractCall): Promise<CallResult> {
    try {
      return await this.#callContract(call, quantity(number));
    } catch (cause) {
      if (!(cause instanceof RpcFailure && cause.failureClass === 'invalid_params')) throw cause;
      return this.#fail('eth_call', `the call is refused: ${cause.message}`);
    }
  }

  async #callContract({ to, data, words }: ContractCall, at: unknown): Promise<CallResult> {
    try {
      return await this.#ask('eth_call', [{ to, data }, at], (result) => parseCallResult(result, words));
    } catch (cause) {
      if (!(cause instanceof RpcFailure && cause.failureClass === 'reverted')) throw cause;
      return revertOf(cause);
    }
  }

  async #ask<T>(method: string, params: readonly unknown[], parse: (result: unknown) => T): Promise<T> {
    if (this.#options.now() - this.#chainIdAt >= CHAIN_ID_INTERVAL_MS) await this.#checkChainId();
    return this.#send(method, params, parse);
  }

  #checkChainId(): Promise<void> {
    this.#chainIdCheck ??= this.#compareChainId().finally(() => {
      this.#chainIdCheck = undefined;
    });
    return this.#chainIdCheck;
  }

  async #compareChainId(): Promise<void> {
    const { chainId, now } = this.#options;
    const found = await this.readChainId();
    if (found !== chainId) {
      const failure = new RpcFailure('chain_mismatch', `expected chain ${chainId}, got ${found}`);
      this.#health.failed('eth_chainId', failure);
      throw failure;
    }
    this.#chainIdAt = now();
  }

  async #send<T>(method: string, params: readonly unknown[], parse: (result: unknown) => T): Promise<T> {
    const began = performance.now();
    const elapsed = (): number => performance.now() - began;
    try {
      const result = parse(await this.#options.client.call(method, params));
      this.#health.succeeded(method, elapsed());
      this.#options.observe(this, method, elapsed(), undefined);
      return result;
    } catch (cause) {
      if (cause instanceof RpcFailure) {
        this.#health.failed(method, cause);
        this.#options.observe(this, method, elapsed(), cause);
      }
      throw cause;
    }
  }

  /** Throws for answers that are individually well-formed but inconsistent. */
  #fail(method: string, message: string, details: RpcFailure['details'] = {}): never {
    const failure = new RpcFailure('bad_response', message, details);
    this.#health.failed(method, failure);
    throw failure;
  }
}
