/** A chain that grows and is reorganised at random. */
import type { ScriptedBlock } from '../../../support/chain/scripted-chain.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';
import { FIRST_BLOCKS, type History } from './history.ts';
import { FIRST_ROOT } from './replay.ts';

/** Draws a number from 0 up to one below an end. */
export type Random = (below: number) => number;

/** Numbers from a seed, so that a failing history can be repeated. */
export function randomFrom(seed: number): Random {
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

/** A block with the current root at its end. */
interface RecordedBlock {
  readonly block: ScriptedBlock;
  readonly latest: string | undefined;
}

const LATEST_ROOT = { 'identity-manager': '0xd7b0fef1', bridged: '0xd7b0fef1', registry4: '0x5445b007' };
const MOST_DROPPED = 5;

/** Changes the root of a history's contract, and remembers what the contract had as current root in which block. */
export class RandomChanges {
  readonly #history: History;
  readonly #random: Random;
  readonly #made: bigint[] = [];
  /** All blocks by their hashes, dropped ones included. */
  readonly #blocks = new Map<string, RecordedBlock>();
  /** Changes to a root that was made before. */
  returns = 0;
  /** Blocks with several changes. */
  crowdedBlocks = 0;

  constructor(history: History, random: Random) {
    this.#history = history;
    this.#random = random;
    if (history.source.kind === 'identity-manager') this.#made.push(FIRST_ROOT);
    for (const block of history.chain.blocks) this.#record(block);
  }

  /** Makes a block, in one of three with up to three changes. */
  mine(): void {
    const { chain, contract } = this.#history;
    const changes = this.#random(3) === 0 ? this.#random(4) : 0;
    if (changes > 1) this.crowdedBlocks++;
    for (let change = 0; change < changes; change++) contract.change(this.#nextRoot());
    this.#record(chain.mine());
  }

  /** Replaces up to five of the newest blocks by up to seven others. */
  reorganise(): void {
    const { chain } = this.#history;
    const most = Math.min(MOST_DROPPED, chain.blocks.length - FIRST_BLOCKS);
    chain.drop(1 + this.#random(Math.max(most, 1)));
    for (let blocks = this.#random(7); blocks >= 0; blocks--) this.mine();
  }

  /** Whether a root was the current one at the end of a block, dropped ones included. */
  wasLatest(root: string): boolean {
    return [...this.#blocks.values()].some(({ latest }) => latest === root);
  }

  /** Returns the current root at the end of a block of the chain, or of its head if that is below the block. */
  latestAt(number: number): string | undefined {
    const { chain } = this.#history;
    return this.#blocks.get((chain.at(number) ?? chain.head).hash)?.latest;
  }

  /** Returns the blocks up to one by its hash, dropped ones included; none if there never was one. */
  branchOf(hash: string): ScriptedBlock[] {
    const branch: ScriptedBlock[] = [];
    for (let found = this.#blocks.get(hash); found !== undefined; ) {
      branch.push(found.block);
      found = this.#blocks.get(found.block.parentHash);
    }
    return branch.reverse();
  }

  #record(block: ScriptedBlock): void {
    this.#blocks.set(block.hash, { block, latest: this.#latestRoot() });
  }

  #latestRoot(): string | undefined {
    const { chain, source } = this.#history;
    const view = chain.view(source.contract, LATEST_ROOT[source.kind]);
    return typeof view === 'string' && view !== hexWords(0n) ? view : undefined;
  }

  /** Roots come back where the contract allows it: a bridge takes one again only if its block was dropped. */
  #nextRoot(): bigint {
    const { source } = this.#history;
    if (this.#random(3) === 0) {
      const old = source.kind === 'bridged' ? this.#dropped() : this.#made;
      const root = old[this.#random(Math.max(old.length, 1))];
      if (root !== undefined) {
        this.returns++;
        return root;
      }
    }
    const root = FIRST_ROOT + BigInt(this.#made.length) + 1n;
    this.#made.push(root);
    return root;
  }

  #dropped(): bigint[] {
    const { chain, source } = this.#history;
    // rootHistory(uint256)
    const received = (root: bigint): unknown =>
      chain.view(source.contract, `0xf1c621ee${hexWords(root).slice(2)}`);
    return this.#made.filter((root) => received(root) === hexWords(0n));
  }
}
