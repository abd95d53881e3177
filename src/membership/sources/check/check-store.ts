import type { ChainSource, RootSource } from '../../../config/roots/source-types.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type { RootSourceRow } from '../../../storage/root-sources.ts';
import type { Store } from '../../../storage/store.ts';
import type { Bytes32 } from '../../../storage/values.ts';
import { shownRoot } from '../reader/source-facts.ts';
import { configHashOf } from '../reader/source-reader.ts';
import { type Agreement, queryAll } from './check-agreement.ts';
import { type CheckLine, fail, failWithCure, note, ok, skip, type Verdict } from './report.ts';

const SEE_LIST = 'Start the service if it does not run, and see `proofgate roots sources list`.';

/** Parts of a store that a check reads. */
export interface CheckedStore {
  readonly rootSources: Pick<Store['rootSources'], 'find'>;
  readonly roots: Pick<Store['roots'], 'find'>;
  readonly verifyingKeys: Pick<Store['verifyingKeys'], 'find'>;
}

/** The store, or why there is none to compare with. */
export type StoreOrReason = CheckedStore | { readonly absent: string };

/**
 * Compares the values on which the providers of a source agree with the store. @param now - Milliseconds since the
 * epoch.
 */
export async function checkStore(
  source: ChainSource,
  store: StoreOrReason,
  agreement: Agreement,
  now: number,
): Promise<CheckLine[]> {
  const row = await findRow(source, store);
  if (!('id' in row)) return [{ name: 'store', ...row }];
  if (row.configHash !== configHashOf(source)) {
    return [{ name: 'store', ...fail('it has the state of other contracts', 'roots.config') }];
  }
  const { target, latest } = agreement;
  const rootVerdict =
    target === undefined || latest === undefined
      ? skip('the root of the contract is not known')
      : await judgeRoot({
          source,
          now,
          root: latest,
          store: store as CheckedStore,
          at: target.time * 1000,
          readUntil: row.targetTime,
        });
  return [
    { name: 'root in the store', ...rootVerdict },
    { name: 'checkpoint', ...(await judgeCheckpoint(row, agreement)) },
  ];
}

/** Returns the state of a source, or the reason why there is none. */
export async function findRow({ id }: RootSource, store: StoreOrReason): Promise<RootSourceRow | Verdict> {
  if ('absent' in store) return skip(store.absent);
  return (await store.rootSources.find(id)) ?? skip('it has nothing of this source yet');
}

/** A root that a source publishes, to be found in the store. */
export interface PublishedRoot {
  readonly source: RootSource;
  readonly store: Pick<CheckedStore, 'roots'>;
  readonly root: Bytes32;
  /** Time at which the source published it or was seen to publish it, in milliseconds since the epoch. */
  readonly at: number;
  /** Time up to which the store has read the source; null before the first round. */
  readonly readUntil: number | null;
  readonly now: number;
}

/** Judges whether the store has the current root of a source as its current one. */
export async function judgeRoot(published: PublishedRoot): Promise<Verdict> {
  const { source, store, root, at, readUntil, now } = published;
  const { environment, tree, staleAfterSeconds } = source;
  const found = await store.roots.find(environment, tree, root);
  if (found !== undefined && found.supersededAt === null) return ok(`${shownRoot(root)} is current`);
  if (readUntil === null) return skip('the store has read nothing yet');
  if (readUntil >= at) {
    if (found === undefined) return fail(`${shownRoot(root)} is not known`, 'roots.incomplete');
    // The service continued to read while this check was running.
    if (readUntil > at) return ok(`${shownRoot(root)} was current, the store has read on`);
    return fail(`${shownRoot(root)} is superseded there, and current in the contract`, 'roots.incomplete');
  }
  const lagSeconds = Math.max(0, Math.floor((now - readUntil) / 1000));
  const detail = `${shownRoot(root)} is newer than what the store has read, ${lagSeconds} s ago`;
  return lagSeconds > staleAfterSeconds ? failWithCure(detail, SEE_LIST) : note(detail);
}

/** Judges whether the chain still has the block that the source has read up to. */
async function judgeCheckpoint({ checkpoint }: RootSourceRow, { providers }: Agreement): Promise<Verdict> {
  if (checkpoint === null) return skip('the scan has not begun');
  const { block, blockHash } = checkpoint;
  const answers = await queryAll(
    providers,
    async (provider) => (await provider.readBlock(block)).hash,
    (hash) => hash.slice(0, 18),
  );
  if (answers.fault !== undefined) return answers.fault;
  if (answers.value === undefined) return skip('no provider can be asked');
  const expected = toHex(blockHash);
  if (answers.value === expected) return ok(`block ${block} has the hash that was read`);
  return fail(
    `block ${block}: ${expected.slice(0, 18)} was read, it is ${answers.value.slice(0, 18)} now`,
    'roots.disagreement',
  );
}
