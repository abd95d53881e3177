/**
 * A chain in memory that a test writes block by block, with forks, and that answers the JSON-RPC methods which `src/chain`
 * uses, as anvil and geth do. Fast enough for thousands of histories.
 */
import { createHash } from 'node:crypto';

/** Answer to a JSON-RPC call. */
export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError };

/** Member `error` of a JSON-RPC response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Answers JSON-RPC calls: a scripted chain, anvil, or either of them altered. */
export type RpcBackend = (method: string, params: readonly unknown[]) => Promise<RpcOutcome>;

/** Event of a contract. */
export interface ScriptedLog {
  /** Lower-case address. */
  readonly address: string;
  readonly topics: readonly string[];
  /** 0x hex. */
  readonly data: string;
}

/** Result of a view function: 0x hex, the data of a revert, or either depending on the block that is asked. */
export type ScriptedView = string | { readonly revert: string } | ((block: ScriptedBlock) => ScriptedView);

/** A block. */
export interface ScriptedBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly logs: readonly ScriptedLog[];
  /** View results that changed in this block, by `address data`. */
  readonly views: ReadonlyMap<string, ScriptedView>;
}

/** Options of a scripted chain. */
export interface ScriptedChainOptions {
  readonly chainId?: number;
  /** Number of the first block. */
  readonly firstBlock?: number;
  /** Time of the first block, seconds since the epoch. */
  readonly firstTime?: number;
  readonly blockSeconds?: number;
  /** Blocks between the head and the block of the tag. */
  readonly safeDepth?: number;
  readonly finalizedDepth?: number;
}

/** A filter of `eth_getLogs`. */
interface Filter {
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
}

const UNKNOWN_BLOCK: RpcOutcome = { error: { code: -32_000, message: 'unknown block' } };
const NO_RESOURCE: RpcOutcome = { error: { code: -32_001, message: 'Resource not found' } };
const INVALID_PARAMS: RpcOutcome = { error: { code: -32_602, message: 'invalid params' } };
const SOME_CODE = '0x60';
const SELECTOR_CHARACTERS = 10;

/** A chain in memory. */
export class ScriptedChain {
  readonly chainId: number;
  readonly blocks: ScriptedBlock[] = [];
  readonly #firstBlock: number;
  readonly #blockSeconds: number;
  readonly #depths: Readonly<Record<string, number>>;
  readonly #byHash = new Map<string, ScriptedBlock>();
  readonly #contracts = new Map<string, string>();
  /** Time of the next block, seconds since the epoch. */
  nextTime: number;
  #pendingLogs: ScriptedLog[] = [];
  #pendingViews = new Map<string, ScriptedView>();
  #made = 0;

  constructor(options: ScriptedChainOptions = {}) {
    const { chainId = 480, firstBlock = 0, firstTime = 1_700_000_000, blockSeconds = 2 } = options;
    const { safeDepth = 2, finalizedDepth = 4 } = options;
    this.chainId = chainId;
    this.#firstBlock = firstBlock;
    this.#blockSeconds = blockSeconds;
    this.#depths = { latest: 0, pending: 0, safe: safeDepth, finalized: finalizedDepth };
    this.nextTime = firstTime;
    this.mine();
  }

  /** The newest block. */
  get head(): ScriptedBlock {
    return this.blocks[this.blocks.length - 1] as ScriptedBlock;
  }

  /** Puts an event into the next block. */
  emit(log: ScriptedLog): void {
    this.#pendingLogs.push(log);
  }

  /**
   * Sets what a view function returns from the next block on.
   *
   * @param data - Selector and arguments; the selector alone for all arguments that have no result of their own.
   */
  setView(address: string, data: string, view: ScriptedView): void {
    if (!this.#contracts.has(address)) this.#contracts.set(address, SOME_CODE);
    this.#pendingViews.set(`${address} ${data}`, view);
  }

  /** Sets the code of a contract, 0x hex, in all blocks. */
  setCode(address: string, code: string): void {
    this.#contracts.set(address, code);
  }

  /** Returns what a view function returns in the next block as it is so far; undefined for an unknown one. */
  view(address: string, data: string): ScriptedView | undefined {
    const pending = this.#pendingViews.get(`${address} ${data}`);
    return pending ?? this.#viewAt(this.head, address, data);
  }

  /** Makes a block of what was emitted and set since the last one. */
  mine(): ScriptedBlock {
    const parent = this.blocks[this.blocks.length - 1];
    // Blocks that take the place of dropped ones have other hashes.
    const hash = digest(`${this.chainId} ${++this.#made}`);
    const block: ScriptedBlock = {
      number: parent === undefined ? this.#firstBlock : parent.number + 1,
      hash,
      parentHash: parent?.hash ?? digest('parent'),
      time: this.nextTime,
      logs: this.#pendingLogs,
      views: this.#pendingViews,
    };
    this.blocks.push(block);
    this.#byHash.set(hash, block);
    this.#clear();
    return block;
  }

  /** Makes blocks without events, after one of what was emitted and set. */
  mineMany(count: number): void {
    for (let made = 0; made < count; made++) this.mine();
  }

  /** Drops the newest blocks with their events and state; what the next blocks have takes their place. */
  drop(count: number): void {
    for (const { hash } of this.blocks.splice(Math.max(this.blocks.length - count, 1)))
      this.#byHash.delete(hash);
    this.#clear();
  }

  /** Returns the block of a number; undefined if there is none. */
  at(number: number): ScriptedBlock | undefined {
    return this.blocks[number - this.#firstBlock];
  }

  /** Answers a JSON-RPC call. */
  answer(method: string, params: readonly unknown[]): RpcOutcome {
    const [first, second] = params;
    switch (method) {
      case 'eth_chainId':
        return { result: hex(this.chainId) };
      case 'eth_getBlockByNumber':
        return { result: shownBlock(this.#named(first)) };
      case 'eth_getLogs':
        return this.#answerLogs(first as Filter);
      case 'eth_call':
        return this.#answerCall(first as { to: string; data: string }, second);
      case 'eth_getCode':
        return { result: this.#contracts.get(String(first).toLowerCase()) ?? '0x' };
      default:
        return { error: { code: -32_601, message: `the method ${method} does not exist` } };
    }
  }

  #clear(): void {
    this.#pendingLogs = [];
    this.#pendingViews = new Map();
    this.nextTime = this.head.time + this.#blockSeconds;
  }

  #named(name: unknown): ScriptedBlock | undefined {
    const depth = this.#depths[String(name)];
    if (depth !== undefined) return this.blocks[Math.max(this.blocks.length - 1 - depth, 0)];
    return this.at(Number(name));
  }

  #viewAt(block: ScriptedBlock, address: string, data: string): ScriptedView | undefined {
    for (const key of [`${address} ${data}`, `${address} ${data.slice(0, SELECTOR_CHARACTERS)}`]) {
      for (let index = block.number - this.#firstBlock; index >= 0; index--) {
        const view = this.blocks[index]?.views.get(key);
        if (view !== undefined) return view;
      }
    }
    return undefined;
  }

  #answerCall({ to, data }: { to: string; data: string }, at: unknown): RpcOutcome {
    const isByHash = typeof at === 'object' && at !== null;
    const block = isByHash ? this.#byHash.get((at as { blockHash: string }).blockHash) : this.#named(at);
    if (block === undefined) return isByHash ? NO_RESOURCE : UNKNOWN_BLOCK;
    let view = this.#viewAt(block, to.toLowerCase(), data);
    while (typeof view === 'function') view = view(block);
    if (typeof view === 'string') return { result: view };
    if (view !== undefined) return { error: { code: 3, message: 'execution reverted', data: view.revert } };
    if (!this.#contracts.has(to.toLowerCase())) return { result: '0x' };
    return { error: { code: 3, message: 'execution reverted', data: '0x' } };
  }

  #answerLogs({ address, topics = [], fromBlock, toBlock, blockHash }: Filter): RpcOutcome {
    const from = blockHash === undefined ? this.#named(fromBlock) : this.#byHash.get(blockHash);
    const to = blockHash === undefined ? this.#named(toBlock) : from;
    if (blockHash !== undefined && from === undefined) return UNKNOWN_BLOCK;
    // Nodes answer a range that begins or ends above their head with the logs that they have.
    const first = from?.number ?? Number(fromBlock);
    const last = to?.number ?? this.head.number;
    if (Number.isNaN(first)) return INVALID_PARAMS;
    const addresses = address === undefined ? undefined : [address].flat().map((each) => each.toLowerCase());
    const result: unknown[] = [];
    for (let number = first; number <= last; number++) {
      const block = this.at(number);
      for (const [index, log] of block?.logs.entries() ?? []) {
        if (addresses !== undefined && !addresses.includes(log.address)) continue;
        if (!topics.every((wanted, at) => wanted === null || [wanted].flat().includes(log.topics[at] ?? '')))
          continue;
        result.push(shownLog(block as ScriptedBlock, index, log));
      }
    }
    return { result };
  }
}

/** Returns the backend of a scripted chain. */
export function scriptedBackend(chain: ScriptedChain): RpcBackend {
  return async (method, params) => chain.answer(method, params);
}

function shownBlock(block: ScriptedBlock | undefined): unknown {
  if (block === undefined) return null;
  const { number, hash, parentHash, time } = block;
  return { number: hex(number), hash, parentHash, timestamp: hex(time), transactions: [] };
}

function shownLog(block: ScriptedBlock, index: number, { address, topics, data }: ScriptedLog): unknown {
  const place = { blockNumber: hex(block.number), blockHash: block.hash, logIndex: hex(index) };
  return {
    address,
    topics,
    data,
    ...place,
    transactionHash: digest(`${block.hash} ${index}`),
    removed: false,
  };
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

function digest(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}
