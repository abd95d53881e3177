import { isEqual } from '../../../bytes.ts';
import type { Chain } from '../../../chain/chain.ts';
import type { Block } from '../../../chain/rpc/answers.ts';
import type { ChainSource } from '../../../config/roots/source-types.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type {
  RootEventRow,
  RootLife,
  RootSourceRow,
  RootSourceStore,
  SourceChange,
  SourceProgress,
} from '../../../storage/root-sources.ts';
import type { Bytes32 } from '../../../storage/values.ts';
import { deriveRoots, refOf } from './contracts.ts';

/** Changes to commit after a reorganisation. */
export interface Reorganisation {
  readonly progress: Pick<SourceProgress, 'checkpoint' | 'logsAt'>;
  readonly rows: Pick<SourceChange, 'dropEventsAbove' | 'lives' | 'withdrawn'>;
}

/** Dependencies of `findReorganisation`. */
export interface ReorganisationParts {
  readonly source: ChainSource;
  readonly chain: Chain;
  readonly rootSources: Pick<RootSourceStore, 'events'>;
  /** Called at a reorganisation with the number of read blocks that were replaced. */
  readonly onReorg: (blocks: number) => void;
}

/** Number and hash of a block that was read. */
type BlockRef = Pick<RootEventRow, 'block' | 'blockHash'>;

/** A change that disappears further below the target than this many blocks stops the source. */
const MAX_REORG_BLOCKS = 7200;

/**
 * Finds the events that were read from blocks that are no longer in the chain (spec/roots.md#reorganisation).
 *
 * @returns Undefined if the checkpoint is still in the chain; `unfounded` if even the root before the scan is invalid,
 *   so that the scan must start again.
 * @throws ServiceError `roots.reorg_too_deep`, `roots.disagreement`; NoQuorum
 */
export async function findReorganisation(
  state: RootSourceRow,
  target: Block,
  { chain, rootSources, source, onReorg }: ReorganisationParts,
): Promise<Reorganisation | 'unfounded' | undefined> {
  const { checkpoint } = state;
  if (checkpoint === null) return undefined;
  const isOn = async ({ block, blockHash }: BlockRef): Promise<boolean> => {
    const found = block === target.number ? target : await chain.block(block);
    return found.hash === toHex(blockHash);
  };
  if (await isOn(checkpoint)) return undefined;
  if (source.confirmations === 'finalized') return refuseFinalized(checkpoint, chain);
  const events = await rootSources.events(state.id);
  let kept = events.length;
  for (; kept > 0; kept--) {
    const event = events[kept - 1];
    if (event === undefined || (await isOn(event))) break;
    if (target.number - event.block > MAX_REORG_BLOCKS) {
      throw new ServiceError(
        'roots.reorg_too_deep',
        `${state.id}: block ${event.block}, ${target.number - event.block} blocks below the target, is another now`,
      );
    }
  }
  const base = events[kept - 1];
  onReorg(checkpoint.block - (base?.block ?? state.scanFrom ?? 0));
  if (base === undefined && events.length > 0) return 'unfounded';
  const block = base?.block ?? (state.scanFrom ?? 1) - 1;
  return {
    progress: { checkpoint: refOf(await chain.block(block)), logsAt: 0 },
    rows: { dropEventsAbove: block, ...lifetimesAfter(state, events.slice(0, kept), events.slice(kept)) },
  };
}

/** Returns the lifetimes that change without the dropped events, and the roots that no longer have one. */
function lifetimesAfter(
  state: RootSourceRow,
  remaining: readonly RootEventRow[],
  dropped: readonly RootEventRow[],
): { readonly lives: readonly RootLife[]; readonly withdrawn: readonly Bytes32[] } {
  const isNamed = (root: Bytes32, others: readonly { readonly root: Bytes32 }[]): boolean =>
    others.some((other) => isEqual(root, other.root));
  const isPending = (root: Bytes32): boolean => state.pendingRoots.some((other) => isEqual(root, other));
  const lives = deriveRoots(remaining);
  const restored = lives.filter(({ root }) => isNamed(root, [...dropped, ...remaining.slice(-1)]));
  const current = state.pendingRoots.at(-1);
  return {
    lives:
      state.backfillTo === null || current === undefined
        ? restored
        : restored.filter(({ supersededAt, root }) => supersededAt !== null && !isEqual(root, current)),
    withdrawn: dropped.flatMap(({ root }) => (isPending(root) || isNamed(root, lives) ? [] : [root])),
  };
}

/** A finalized block never changes: providers with a different one serve another chain. */
async function refuseFinalized({ block, blockHash }: BlockRef, chain: Chain): Promise<never> {
  await Promise.all(
    chain.providers.map(async (provider) => {
      const found = await provider.readBlock(block).catch(() => undefined);
      if (found !== undefined && found.hash !== toHex(blockHash)) provider.quarantine();
    }),
  );
  throw new ServiceError('roots.disagreement', `block ${block}, which was final, is another now`);
}
