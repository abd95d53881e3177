import { isEqual } from '../../../bytes.ts';
import { NoQuorum } from '../../../chain/agree.ts';
import type { Chain } from '../../../chain/chain.ts';
import type { Block, Log } from '../../../chain/rpc/answers.ts';
import { isServiceError, ServiceError } from '../../../errors/service-error.ts';
import type { RootEventRow, RootSourceRow } from '../../../storage/root-sources.ts';
import type { RootStore } from '../../../storage/roots.ts';
import type { Bytes32 } from '../../../storage/values.ts';
import { firstEvent, type RootChange, wordOf } from './contracts.ts';
import { type SourceFacts, shownRoot } from './source-facts.ts';

/** Dependencies of `ChangeChecks`. */
export interface ChangeChecksParts {
  /** Id of the source. */
  readonly id: string;
  readonly chain: Chain;
  readonly facts: SourceFacts;
  readonly roots: Pick<RootStore, 'find'>;
}

/** Newest blocks with changes whose hashes are compared with those in the logs. */
const COMPARED_BLOCKS = 16;
const BLOCKS_AT_ONCE = 8;

/**
 * Derives events from the changes in a part of the scan, and checks that none is missing and that all are of blocks of
 * the chain (spec/roots.md#rounds, `consistency`). The checks throw ServiceError `roots.incomplete`.
 */
export class ChangeChecks {
  readonly #parts: ChangeChecksParts;
  /** Whether providers answer calls at old blocks; false once one failed to in the running scan. */
  #hasOldState = true;

  constructor(parts: ChangeChecksParts) {
    this.#parts = parts;
  }

  /** Begins a scan: old states are tried again. */
  beginScan(): void {
    this.#hasOldState = true;
  }

  /** Returns the changes that are new, after a check that they follow from each other and are of the chain's blocks. */
  async eventsOf(
    state: RootSourceRow,
    last: RootEventRow | undefined,
    changes: readonly RootChange[],
    end: Block,
  ): Promise<RootEventRow[]> {
    const { contract } = this.#parts.facts;
    const blocks = await this.#blocksOf(changes, end);
    const events: RootEventRow[] = [];
    let current = last?.root;
    for (const change of changes) {
      const { root, before, log, time } = change;
      if (before !== undefined) {
        if (current === undefined) {
          const first = await this.#firstRoot(state, before);
          events.push(first);
          current = first.root;
        }
        if (!isEqual(before, current))
          throw this.#incompleteAt(log, 'it begins at another root than the last');
      }
      const seconds = time ?? blocks.get(log.block)?.time;
      if (seconds === undefined) throw this.#incompleteAt(log, 'its block is unknown');
      const event = {
        block: log.block,
        logIndex: log.index,
        blockHash: wordOf(log.blockHash),
        root,
        at: seconds * 1000,
      };
      if (current !== undefined && isEqual(root, current)) continue;
      if (!contract.repeats && (await this.#isRepeated(state, events, event, log))) continue;
      events.push(event);
      current = root;
    }
    return events;
  }

  /** Reads the blocks whose times or hashes are needed. @throws ServiceError `roots.incomplete` for logs of other blocks */
  async #blocksOf(changes: readonly RootChange[], end: Block): Promise<Map<number, Block>> {
    const { chain } = this.#parts;
    const numbers = [...new Set(changes.map(({ log }) => log.block))];
    const read = this.#parts.facts.contract.isChained ? numbers : numbers.slice(-COMPARED_BLOCKS);
    const blocks = new Map<number, Block>([[end.number, end]]);
    const unread = read.filter((number) => number !== end.number);
    for (let at = 0; at < unread.length; at += BLOCKS_AT_ONCE) {
      const part = unread.slice(at, at + BLOCKS_AT_ONCE).map((number) => chain.block(number));
      for (const block of await Promise.all(part)) blocks.set(block.number, block);
    }
    for (const { log } of changes) {
      const block = blocks.get(log.block);
      if (block !== undefined && block.hash !== log.blockHash) {
        throw this.#incompleteAt(log, 'it is of another block than that of the chain');
      }
    }
    return blocks;
  }

  /** A contract that accepts each root once repeats it only in a wrong answer, unless the times are equal. */
  async #isRepeated(
    state: RootSourceRow,
    events: readonly RootEventRow[],
    event: RootEventRow,
    log: Log,
  ): Promise<boolean> {
    const { environment, tree, id } = state;
    const stored = await this.#parts.roots.find(environment, tree, event.root);
    const isOwn = stored?.source === id && !state.pendingRoots.some((root) => isEqual(root, event.root));
    const known =
      events.find(({ root }) => isEqual(root, event.root))?.at ?? (isOwn ? stored.receivedAt : undefined);
    if (known === undefined) return false;
    if (known !== event.at) throw this.#incompleteAt(log, 'its root was received before, at another time');
    return true;
  }

  /** Returns the event for the root before the first change of the scan; it counts from the start of the scan. */
  async #firstRoot(state: RootSourceRow, root: Bytes32): Promise<RootEventRow> {
    return firstEvent(await this.#parts.chain.block((state.scanFrom ?? 1) - 1), root);
  }

  /**
   * Compares the last root of a part with the root of the contract at the end of the part, if providers have a state
   * that old.
   */
  async crossCheckOld(
    state: RootSourceRow,
    last: RootEventRow | undefined,
    events: readonly RootEventRow[],
    end: Block,
  ): Promise<void> {
    if (!this.#hasOldState) return;
    const expected = (events.at(-1) ?? last)?.root ?? (await this.#rootWithoutChanges(state));
    if (expected === undefined) return;
    const latest = await this.rootAt(end);
    if (latest === undefined) {
      this.#hasOldState = false;
      return;
    }
    const isSame = expected === 'none' || latest === 'none' ? expected === latest : isEqual(expected, latest);
    if (!isSame) throw this.#incompleteWith(state, expected, latest);
  }

  /**
   * Returns the root of a contract without changes since the start of the scan; undefined if it cannot be determined.
   */
  async #rootWithoutChanges({ scanFrom }: RootSourceRow): Promise<Bytes32 | 'none' | undefined> {
    if (!this.#parts.facts.contract.isChained) return 'none';
    return this.rootAt(await this.#parts.chain.block((scanFrom ?? 1) - 1));
  }

  /**
   * Compares the last root with the root of the contract at the target: providers that have not seen all blocks answer
   * with too few logs.
   */
  async crossCheck(
    state: RootSourceRow,
    last: RootEventRow | undefined,
    events: RootEventRow[],
    latest: Bytes32 | undefined,
  ): Promise<void> {
    const found = events.at(-1) ?? last;
    if (found === undefined && latest !== undefined) {
      const first = await this.#firstRoot(state, latest);
      const before = await this.rootAt(await this.#parts.chain.block(first.block));
      if (before === 'none' || (before !== undefined && !isEqual(before, latest))) {
        throw new ServiceError('roots.incomplete', `${state.id}: the root changed, but there are no logs`);
      }
      events.push(first);
      return;
    }
    const isSame =
      found === undefined ? latest === undefined : latest !== undefined && isEqual(found.root, latest);
    if (isSame) return;
    throw this.#incompleteWith(state, found?.root, latest);
  }

  #incompleteWith(
    { id }: RootSourceRow,
    found: Bytes32 | 'none' | undefined,
    latest: Bytes32 | 'none' | undefined,
  ): ServiceError {
    return new ServiceError(
      'roots.incomplete',
      `${id}: the logs lead to the root ${shownRoot(found)}, but the contract has ${shownRoot(latest)}`,
    );
  }

  #incompleteAt({ block, index }: Log, text: string): ServiceError {
    return new ServiceError(
      'roots.incomplete',
      `${this.#parts.id}: the log ${index} of block ${block}: ${text}`,
    );
  }
  /**
   * Returns the root that was current at an old block: `none` if there was none, undefined if no provider has a state
   * that old, or the contract is newer.
   */
  async rootAt(block: Block): Promise<Bytes32 | 'none' | undefined> {
    try {
      return (await this.#parts.facts.latestRoot(block)) ?? 'none';
    } catch (cause) {
      if (cause instanceof NoQuorum || isServiceError(cause)) return undefined;
      throw cause;
    }
  }
}
