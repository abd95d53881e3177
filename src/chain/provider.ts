import {
  type Block,
  type Log,
  type LogQuery,
  parseBlock,
  parseLogs,
  parseQuantity,
  parseWords,
  quantity,
} from './rpc/answers.ts';
import type { RpcClient } from './rpc/rpc-client.ts';
import { RpcFailure, type RpcFailureClass } from './rpc/rpc-failure.ts';

/** Names of blocks that a provider resolves. */
export type BlockTag = 'latest' | 'safe' | 'finalized';

/** A block to call a contract at. */
export type BlockId = Pick<Block, 'number' | 'hash'>;

/** A view function of a contract. */
export interface ContractCall {
  /** Lower-case address. */
  readonly to: string;
  /** Selector and arguments, as 0x hex. */
  readonly data: string;
  /** Number of words of the result. */
  readonly words: number;
}

/** Result of a call: words without prefix, or the selector of the error with which it reverted (`0x` for none). */
export type CallResult = { readonly words: readonly string[] } | { readonly revert: string };

/** Hears of every call to a provider. */
export type CallObserver = (
  provider: Provider,
  method: string,
  elapsedMs: number,
  failure: RpcFailure | undefined,
) => void;

/** Why a provider is not asked. */
export interface Suspension {
  readonly reason: RpcFailureClass | 'disagreement';
  /** Milliseconds since the epoch; undefined until the process ends. */
  readonly until?: number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const REFUSED_MS = 300_000;
const QUARANTINE_MS = 600_000;
const CHAIN_ID_EVERY_MS = 600_000;
/** Requests in a row of one provider while it splits a range are at least so far apart. */
const SPLIT_PACE_MS = 200;
const SELECTOR_CHARACTERS = 10;
const GROWTH = 1.25;
/** Failures that say something about what was asked, not about the provider. */
const ANSWERS: readonly RpcFailureClass[] = ['range', 'not_there', 'invalid_params', 'reverted'];

/** Options of a provider. */
export interface ProviderOptions {
  readonly client: RpcClient;
  /** Position among those of its chain, from 0. */
  readonly index: number;
  readonly chainId: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly observe: CallObserver;
}

/** A JSON-RPC provider of a chain, with what its answers so far say about it. */
export class Provider {
  readonly index: number;
  readonly host: string;
  /** Highest block that it named. */
  head: Block | undefined;
  /** Largest number of blocks that it accepted after it refused a larger one; undefined while it refused none. */
  acceptedBlocks: number | undefined;
  /** Last failure, with the time in milliseconds since the epoch. */
  lastFailure: { readonly failure: RpcFailure; readonly at: number } | undefined;
  readonly #options: ProviderOptions;
  #suspension: Suspension | undefined;
  #failures = 0;
  #chainIdAt = Number.NEGATIVE_INFINITY;
  #takesHashes = true;

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.index = options.index;
    this.host = options.client.host;
  }

  /** Why it is not asked at present. */
  get suspension(): Suspension | undefined {
    const { until = Number.POSITIVE_INFINITY } = this.#suspension ?? { until: 0 };
    return this.#options.now() < until ? this.#suspension : undefined;
  }

  /** Failures since its last success; providers with fewer are asked first. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether it takes the hash of a block in `eth_call` (EIP-1898), as far as is known. */
  get takesBlockHashes(): boolean {
    return this.#takesHashes;
  }

  /** Stops asking it for ten minutes, because a quorum of others contradicted it. */
  quarantine(): void {
    this.#suspension = { reason: 'disagreement', until: this.#options.now() + QUARANTINE_MS };
  }

  /** Reads the block of a tag. */
  async readHead(tag: BlockTag): Promise<Block> {
    await this.#checkChainId();
    const block = await this.#ask('eth_getBlockByNumber', [tag, false], (result) => parseBlock(result));
    if (tag === 'latest') this.head = block;
    return block;
  }

  /** Reads a block by its number. */
  readBlock(number: number): Promise<Block> {
    return this.#ask('eth_getBlockByNumber', [quantity(number), false], (result) =>
      parseBlock(result, number),
    );
  }

  /** Reads the logs of a range, in parts of the size that the provider accepts. */
  async readLogs(query: LogQuery): Promise<Log[]> {
    const logs: Log[] = [];
    let from = query.fromBlock;
    for (let isFirst = true; from <= query.toBlock; isFirst = false) {
      if (!isFirst) await this.#options.sleep(SPLIT_PACE_MS);
      const left = query.toBlock - from + 1;
      const blocks = Math.min(left, this.acceptedBlocks ?? left);
      const part = { ...query, fromBlock: from, toBlock: from + blocks - 1 };
      try {
        logs.push(...(await this.#readPart(part)));
        from += blocks;
        this.#growRange();
      } catch (cause) {
        if (!(cause instanceof RpcFailure && cause.failureClass === 'range')) throw cause;
        this.#shrinkRange(blocks, cause);
      }
    }
    return logs;
  }

  /** Calls a view function at a block. */
  async callAt(block: BlockId, call: ContractCall): Promise<CallResult> {
    if (this.#takesHashes) {
      try {
        return await this.#callContract(call, { blockHash: block.hash, requireCanonical: true });
      } catch (cause) {
        if (!(cause instanceof RpcFailure && cause.failureClass === 'invalid_params')) throw cause;
        this.#takesHashes = false;
      }
    }
    const result = await this.#callContract(call, quantity(block.number));
    const { hash } = await this.readBlock(block.number);
    if (hash !== block.hash) throw new RpcFailure('not_there', `block ${block.number} has another hash now`);
    return result;
  }

  /** Reads the code at an address, as 0x hex in lower case. */
  readCode(address: string): Promise<string> {
    return this.#ask('eth_getCode', [address, 'latest'], parseBytes);
  }

  #readPart(query: LogQuery): Promise<Log[]> {
    const filter = {
      address: query.addresses,
      topics: [[...query.events.keys()]],
      fromBlock: quantity(query.fromBlock),
      toBlock: quantity(query.toBlock),
    };
    return this.#ask('eth_getLogs', [filter], (result) => parseLogs(result, query));
  }

  async #callContract({ to, data, words }: ContractCall, at: unknown): Promise<CallResult> {
    try {
      const parse = (result: unknown): CallResult => ({ words: parseWords(result, words) });
      return await this.#ask('eth_call', [{ to, data }, at], parse);
    } catch (cause) {
      if (!(cause instanceof RpcFailure && cause.failureClass === 'reverted')) throw cause;
      return { revert: (cause.details.revertData ?? '0x').slice(0, SELECTOR_CHARACTERS) };
    }
  }

  #growRange(): void {
    if (this.acceptedBlocks !== undefined) this.acceptedBlocks = Math.ceil(this.acceptedBlocks * GROWTH);
  }

  #shrinkRange(refusedBlocks: number, failure: RpcFailure): void {
    if (refusedBlocks === 1) {
      throw new RpcFailure(
        'bad_response',
        `a single block is refused: ${failure.message}`,
        {},
        { cause: failure },
      );
    }
    const { acceptedBlocks = refusedBlocks } = failure.details;
    this.acceptedBlocks = acceptedBlocks < refusedBlocks ? acceptedBlocks : Math.floor(refusedBlocks / 2);
  }

  async #checkChainId(): Promise<void> {
    const { now, chainId } = this.#options;
    if (now() - this.#chainIdAt < CHAIN_ID_EVERY_MS) return;
    const found = await this.#ask('eth_chainId', [], (result) => parseQuantity(result, 'the chain id'));
    if (found !== chainId) {
      const failure = new RpcFailure('chain_mismatch', `expected chain ${chainId}, got ${found}`);
      this.#suspend(failure);
      throw failure;
    }
    this.#chainIdAt = now();
  }

  async #ask<T>(method: string, params: readonly unknown[], parse: (result: unknown) => T): Promise<T> {
    const began = performance.now();
    let failure: RpcFailure | undefined;
    try {
      const result = parse(await this.#options.client.call(method, params));
      this.#failures = 0;
      this.#suspension = undefined;
      return result;
    } catch (cause) {
      if (cause instanceof RpcFailure) {
        failure = cause;
        if (!ANSWERS.includes(cause.failureClass)) this.#suspend(cause);
      }
      throw cause;
    } finally {
      this.#options.observe(this, method, performance.now() - began, failure);
    }
  }

  /** Pauses after a failure: the longer, the more failures there were in a row. */
  #suspend(failure: RpcFailure): void {
    const { now, random } = this.#options;
    this.lastFailure = { failure, at: now() };
    const { failureClass, details } = failure;
    if (failureClass === 'chain_mismatch') {
      this.#suspension = { reason: failureClass };
      return;
    }
    const growing = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    const pause =
      failureClass === 'refused' ? REFUSED_MS : (details.retryAfterMs ?? growing * (0.5 + random() / 2));
    this.#failures++;
    this.#suspension = { reason: failureClass, until: now() + pause };
  }
}

function parseBytes(result: unknown): string {
  if (typeof result !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(result)) {
    throw new RpcFailure('bad_response', 'the code is no hex text');
  }
  return result.toLowerCase();
}
