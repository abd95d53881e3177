import type { Chain } from '../../../chain/chain.ts';
import type { Block, CallResult, ContractCall, LogQuery } from '../../../chain/rpc/answers.ts';
import type { ChainSource } from '../../../config/roots/source-types.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { shortHex, toHex } from '../../../semaphore/hex.ts';
import type { Bytes32 } from '../../../storage/values.ts';
import { argument, KEY_EVENTS, ROOT_CONTRACTS, type RootContract, wordOf } from './contracts.ts';

/** Depth of the trees of World ID. */
export const TREE_DEPTH = 30;
const GET_TREE_DEPTH = '0x8e5cdd50';
const IS_VALID_ROOT = '0x2cdabbce';
const ROOT_HISTORY = '0xf1c621ee';
const ROOT_TIMESTAMP = '0x8561a5ef';
/** Distance from the target, in blocks, at which the search for the first block begins. */
const NEAREST_BLOCKS = 1024;

/** Returns the addresses and topics of the logs that a source reads. */
export function watchedEvents(source: ChainSource): Pick<LogQuery, 'addresses' | 'events'> {
  const { kind, contract, issuers, oprfKeys } = source;
  const { rootEvent, shape } = ROOT_CONTRACTS[kind];
  const events = new Map([[rootEvent, shape]]);
  const addresses = [contract];
  if (issuers !== undefined && oprfKeys !== undefined) {
    addresses.push(issuers, oprfKeys);
    for (const [topic, keyEvent] of Object.entries(KEY_EVENTS)) events.set(topic, keyEvent.shape);
  }
  return { addresses: [...new Set(addresses)], events };
}

/** Returns the call of the current root. */
export function latestRootCall({ kind, contract }: ChainSource): ContractCall {
  return { to: contract, ...ROOT_CONTRACTS[kind].latestRoot };
}

/** Returns the call of the depth of the tree. */
export function treeDepthCall({ contract }: ChainSource): ContractCall {
  return { to: contract, data: GET_TREE_DEPTH, words: 1 };
}

/**
 * Returns the current root from the result of its call; undefined if the contract has none yet.
 *
 * @throws ServiceError `roots.contract_missing`, `roots.wrong_contract`
 */
export function rootOf(result: CallResult, { kind, contract, chainId }: ChainSource): Bytes32 | undefined {
  if ('words' in result) {
    const root = wordOf(result.words[0]);
    return root.every((byte) => byte === 0) ? undefined : root;
  }
  if ('revert' in result) {
    if (result.revert === ROOT_CONTRACTS[kind].emptyError) return undefined;
    throw new ServiceError('roots.wrong_contract', `${contract}: the call of the current root reverts`);
  }
  if (result.bytes === 0) {
    throw new ServiceError('roots.contract_missing', `${contract}: no contract on chain ${chainId}`);
  }
  throw new ServiceError(
    'roots.wrong_contract',
    `${contract}: the current root has ${result.bytes} bytes, expected 32`,
  );
}

/** Reads the contracts of a source, by quorum. */
export class SourceFacts {
  readonly contract: RootContract;
  readonly #source: ChainSource;
  readonly #chain: Chain;

  constructor(source: ChainSource, chain: Chain) {
    this.#source = source;
    this.#chain = chain;
    this.contract = ROOT_CONTRACTS[source.kind];
  }

  /** Returns the logs that the source reads in a range of blocks. */
  logQuery(fromBlock: number, toBlock: number): LogQuery {
    return { ...watchedEvents(this.#source), fromBlock, toBlock };
  }

  /**
   * Returns the current root at a block; undefined if the contract has none yet.
   *
   * @throws ServiceError `roots.contract_missing`, `roots.wrong_contract`
   */
  async latestRoot(block: Block): Promise<Bytes32 | undefined> {
    return rootOf(await this.#chain.callAt(block, latestRootCall(this.#source)), this.#source);
  }

  /** Checks the depth of the tree, if the contract has a getter for it. @throws ServiceError `roots.depth_mismatch` */
  async checkDepth(block: Block): Promise<void> {
    if (this.#source.kind === 'bridged') return;
    const call = treeDepthCall(this.#source);
    const result = await this.#chain.callAt(block, call);
    if (!('words' in result)) return;
    const depth = BigInt(`0x${result.words[0]}`);
    if (depth === BigInt(TREE_DEPTH)) return;
    throw new ServiceError(
      'roots.depth_mismatch',
      `${call.to}: the tree has depth ${depth}, expected ${TREE_DEPTH}`,
    );
  }

  /**
   * Whether the contract knows a root, by a call without reading logs; undefined for a kind of contract without such a
   * call.
   */
  async knows(root: Bytes32, block: Block): Promise<boolean | undefined> {
    const word = argument(BigInt(`0x${Buffer.from(root).toString('hex')}`));
    const isSet = async (selector: string): Promise<boolean> => {
      const call = { to: this.#source.contract, data: selector + word, words: 1 };
      const result = await this.#chain.callAt(block, call);
      return 'words' in result && /[1-9a-f]/.test(result.words[0] ?? '');
    };
    switch (this.#source.kind) {
      case 'registry4':
        return (await isSet(IS_VALID_ROOT)) && (await isSet(ROOT_TIMESTAMP));
      case 'bridged':
        return isSet(ROOT_HISTORY);
      case 'identity-manager':
        return undefined;
    }
  }

  /**
   * Finds the first block at or after a time. Reads no block that is further below the target than twice the distance
   * of the result, or `NEAREST_BLOCKS`: providers may have pruned it.
   *
   * @param from - Lower bound of the result.
   * @param target - A block at or after that time.
   * @param since - Seconds since the epoch.
   */
  async firstBlockSince(from: number, target: Block, since: number): Promise<number> {
    let [low, high] = [Math.min(from, target.number), target.number];
    let [older, newer]: [BlockTime | undefined, BlockTime] = [undefined, target];
    for (let step = 0; low < high; step++) {
      const guess =
        older === undefined
          ? target.number - Math.max(NEAREST_BLOCKS, 2 * (target.number - newer.number))
          : between(older, newer, step % 2 === 0 ? undefined : since);
      const number = Math.min(Math.max(guess, low), high - 1);
      const { time } = await this.#chain.block(number);
      if (time < since) [low, older] = [number + 1, { number, time }];
      else [high, newer] = [number, { number, time }];
    }
    return low;
  }
}

/** Returns the first digits of a root, for messages. */
export function shownRoot(root: Bytes32 | 'none' | undefined): string {
  return root === undefined || root === 'none' ? 'none' : shortHex(toHex(root));
}

type BlockTime = Pick<Block, 'number' | 'time'>;

/** Returns a block between two: the block at a time by linear interpolation, or without a time the middle one. */
function between(older: BlockTime, newer: BlockTime, time?: number): number {
  const part = time === undefined ? 0.5 : (time - older.time) / (newer.time - older.time);
  return Math.floor(older.number + (newer.number - older.number) * part);
}
