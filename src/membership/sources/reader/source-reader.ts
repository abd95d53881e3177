import { createHash } from 'node:crypto';
import { isEqual } from '../../../bytes.ts';
import type { Chain, Confirmations } from '../../../chain/chain.ts';
import type { Block, Log } from '../../../chain/rpc/answers.ts';
import type { ChainSource } from '../../../config/roots/source-types.ts';
import { isServiceError, ServiceError } from '../../../errors/service-error.ts';
import type {
  RootEventRow,
  RootLife,
  RootSourceRow,
  RootSourceStore,
  SourceChange,
  SourceProgress,
} from '../../../storage/root-sources.ts';
import type { RootStore } from '../../../storage/roots.ts';
import type { Bytes32 } from '../../../storage/values.ts';
import { ChangeChecks } from './change-checks.ts';
import { deriveRoots, FIRST_EVENT_INDEX, firstEvent, refOf, timeOf } from './contracts.ts';
import { providersJson } from './provider-states.ts';
import { findReorganisation } from './reorganisation.ts';
import { SourceFacts } from './source-facts.ts';
import type { SourceKeys } from './source-keys.ts';

/** Outcome of a round: `lost_race` if another node changed the source meanwhile. */
export type RoundResult = 'advanced' | 'same' | 'lost_race';

/** Dependencies of a reader. */
export interface SourceReaderParts {
  readonly source: ChainSource;
  readonly chain: Chain;
  readonly store: { readonly rootSources: RootSourceStore; readonly roots: Pick<RootStore, 'find'> };
  readonly keys: SourceKeys;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called at a reorganisation with the number of read blocks that were replaced. */
  readonly onReorg: (blocks: number) => void;
}

/** Maximum interval between two readings of the logs, even if the current root stays the same. */
const LOGS_INTERVAL_MS = 60_000;
/**
 * Maximum number of requests to one provider for one part of a range, and target time per part, so that a failure
 * repeats little work.
 */
const MAX_REQUESTS_PER_PART = 20;
const PART_MS = 2000;
const BACKFILL_PACE_MS = 200;
/** Time limit of a round that reads the past, so that the current root is read again. */
const MAX_BACKFILL_ROUND_MS = 30_000;
/** Number of consecutive rounds with incomplete logs after which the blocks above the last change are read again. */
const INCOMPLETE_BEFORE_REREAD = 3;
const NO_KEYS = { issuers: [], oprfKeys: [] } as const;
const NO_IDS = { issuers: new Set<bigint>(), oprfKeys: new Set<bigint>(), isFull: false };

/** Another node has changed the source since its state was read. */
class LostRace extends Error {}

/** Returns a hash that identifies the contracts of a source: state under another hash belongs to other contracts. */
export function configHashOf(source: ChainSource): string {
  const { kind, chainId, contract, issuers = '', oprfKeys = '', environment, tree } = source;
  const text = [kind, chainId, contract, issuers, oprfKeys, environment, tree].join(' ');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * Reads a source in rounds (spec/roots.md#rounds). Any number of nodes may run rounds at the same time: each step is
 * committed on the version of the state that it was derived from.
 */
export class SourceReader {
  readonly facts: SourceFacts;
  readonly #parts: SourceReaderParts;
  readonly #checks: ChangeChecks;
  readonly #configHash: string;
  #isDepthChecked = false;
  /**
   * Number of requests for logs in the next part of a scan: as many as take a few seconds, which bounds the work lost
   * at an end of the process.
   */
  #requestsPerPart = 1;
  #incomplete = 0;
  /** Version of the state on which the running round is based. */
  #version = 0;

  constructor(parts: SourceReaderParts) {
    this.#parts = parts;
    const { source, chain, store } = parts;
    this.facts = new SourceFacts(source, chain);
    this.#checks = new ChangeChecks({ id: source.id, chain, facts: this.facts, roots: store.roots });
    this.#configHash = configHashOf(parts.source);
  }

  /** Adds the state of the source to the store if it has none; drops the state of other contracts. */
  async open(): Promise<RootSourceRow> {
    const { id, environment, tree } = this.#parts.source;
    return this.#parts.store.rootSources.open({ id, environment, tree, configHash: this.#configHash });
  }

  /**
   * Runs one round.
   *
   * @throws ServiceError `roots.*`, `store.unreachable`; NoQuorum. Steps that were committed before stay.
   */
  async round(confirmations: Confirmations = this.#parts.source.confirmations): Promise<RoundResult> {
    try {
      const result = await this.#round(confirmations);
      this.#incomplete = 0;
      return result;
    } catch (cause) {
      if (cause instanceof LostRace) return 'lost_race';
      if (!isServiceError(cause, 'roots.incomplete')) throw cause;
      if (await this.#isOvertaken()) return 'lost_race';
      this.#incomplete++;
      throw cause;
    }
  }

  /** Whether another node has changed the source, so that the values read in this round may be inconsistent. */
  async #isOvertaken(): Promise<boolean> {
    const state = await this.#parts.store.rootSources.find(this.#parts.source.id);
    return state?.version !== this.#version;
  }

  async #round(confirmations: Confirmations): Promise<RoundResult> {
    const { chain, source, store } = this.#parts;
    let state = (await store.rootSources.find(source.id)) ?? (await this.open());
    this.#version = state.version;
    if (state.configHash !== this.#configHash) {
      throw new ServiceError('roots.config', `${source.id}: the store has the state of other contracts`);
    }
    const target = await chain.target(confirmations);
    if (isBehind(target, state)) return 'same';
    if (!this.#isDepthChecked) {
      await this.facts.checkDepth(target);
      this.#isDepthChecked = true;
    }
    const latest = await this.facts.latestRoot(target);
    if (state.targetTime === null) state = await this.#begin(state, target, latest);
    if (state.checkpoint === null) state = await this.#findFirstBlock(state, target);
    state = await this.#followReorg(state, target);
    if (this.#incomplete >= INCOMPLETE_BEFORE_REREAD) state = await this.#reread(state);
    if (state.targetTime === null) return 'advanced';
    if (state.backfillTo === null) return this.#follow(state, target, latest);
    state = await this.#refreshPendingRoots(state, target, latest);
    await this.#scan(state, target, latest);
    return 'advanced';
  }

  /** Ends the round early if nothing can have changed, else reads the logs. */
  async #follow(state: RootSourceRow, target: Block, latest: Bytes32 | undefined): Promise<RoundResult> {
    const { keys, now, store } = this.#parts;
    const last = await store.rootSources.lastEvent(state.id);
    const isSame =
      latest === undefined ? last === undefined : last !== undefined && isEqual(latest, last.root);
    const wanted = await keys.wanted(state.keysAt);
    if (!isSame || now() - state.logsAt >= LOGS_INTERVAL_MS) {
      await this.#scan(state, target, latest);
      return 'advanced';
    }
    const rows = await keys.read(wanted, target);
    const progress = { targetTime: timeOf(target), ...(wanted.isFull ? { keysAt: now() } : {}) };
    await this.#commit(state, progress, rows);
    return 'same';
  }

  /** First start: the current root counts at once, as if received at the beginning of the look-back. */
  async #begin(state: RootSourceRow, target: Block, latest: Bytes32 | undefined): Promise<RootSourceRow> {
    const { lookBackSeconds } = this.#parts.source;
    const receivedAt = timeOf(target) - lookBackSeconds * 1000;
    return this.#commit(
      state,
      {
        targetTime: timeOf(target),
        backfillTo: target.number,
        pendingRoots: latest === undefined ? [] : [latest],
      },
      {
        lives: latest === undefined ? [] : [{ root: latest, receivedAt, supersededAt: null }],
      },
    );
  }

  async #findFirstBlock(state: RootSourceRow, target: Block): Promise<RootSourceRow> {
    const { source, chain } = this.#parts;
    const since = target.time - source.lookBackSeconds;
    // Block 0 has no logs, and the block before the first one of the scan is its first checkpoint.
    const scanFrom = await this.facts.firstBlockSince(Math.max(source.startBlock, 1), target, since);
    const before = await chain.block(scanFrom - 1);
    const root = this.facts.contract.isChained ? undefined : await this.#checks.rootAt(before);
    const events = root === undefined || root === 'none' ? [] : [firstEvent(before, root)];
    return this.#commit(state, { scanFrom, checkpoint: refOf(before) }, { events });
  }

  /** Keeps the current root current while the past is still being read. */
  async #refreshPendingRoots(
    state: RootSourceRow,
    target: Block,
    latest: Bytes32 | undefined,
  ): Promise<RootSourceRow> {
    const known = state.pendingRoots.at(-1);
    if (latest === undefined || (known !== undefined && isEqual(known, latest))) return state;
    // It was not current at the last target, so it was received later.
    const receivedAt = state.targetTime ?? timeOf(target);
    return this.#commit(
      state,
      { targetTime: timeOf(target), pendingRoots: [...state.pendingRoots, latest] },
      { lives: [{ root: latest, receivedAt, supersededAt: null }] },
    );
  }

  /** Reads the logs from the checkpoint to the target in parts; commits each part with its checkpoint. */
  async #scan(first: RootSourceRow, target: Block, latest: Bytes32 | undefined): Promise<void> {
    const { chain, source, now, sleep } = this.#parts;
    const beganAt = now();
    this.#checks.beginScan();
    let state = first;
    for (let isFirst = true; ; isFirst = false) {
      if (!isFirst) await sleep(BACKFILL_PACE_MS);
      const partBeganAt = now();
      const from = (state.checkpoint?.block ?? 0) + 1;
      const size = Math.min(source.maxRange, chain.logRange(source.maxRange) * this.#requestsPerPart);
      const to = Math.min(from + size - 1, target.number);
      const end = to === target.number ? target : await chain.block(to);
      const logs = from > to ? [] : await chain.logs(this.facts.logQuery(from, to));
      state = await this.#commitPart(state, { logs, end, target, latest });
      const factor = now() - partBeganAt < PART_MS ? 2 : 0.5;
      this.#requestsPerPart = Math.min(Math.max(1, this.#requestsPerPart * factor), MAX_REQUESTS_PER_PART);
      if (to >= target.number || now() - beganAt > MAX_BACKFILL_ROUND_MS) return;
    }
  }

  async #commitPart(state: RootSourceRow, part: ScannedPart): Promise<RootSourceRow> {
    const { keys, now, store } = this.#parts;
    const { logs, end, target, latest } = part;
    const { contract } = this.facts;
    const last = await store.rootSources.lastEvent(state.id);
    const changes = logs.filter(({ topics }) => topics[0] === contract.rootEvent).map(contract.change);
    const events = await this.#checks.eventsOf(state, last, changes, end);
    const isLastPart = end.number === target.number;
    if (isLastPart) await this.#checks.crossCheck(state, last, events, latest);
    else await this.#checks.crossCheckOld(state, last, events, end);
    const wanted = isLastPart ? await keys.wanted(state.keysAt) : NO_IDS;
    const named = keys.idsOf(logs);
    const ids = {
      issuers: new Set([...wanted.issuers, ...named.issuers]),
      oprfKeys: new Set([...wanted.oprfKeys, ...named.oprfKeys]),
    };
    const rows = await keys.read(ids, target);
    const progress = {
      checkpoint: refOf(end),
      targetTime: Math.max(timeOf(target), state.targetTime ?? 0),
      logsAt: now(),
      ...(wanted.isFull ? { keysAt: now() } : {}),
    };
    if (state.backfillTo === null) {
      const lives =
        events.length === 0 ? [] : deriveRoots([...(last === undefined ? [] : [last]), ...events]);
      return this.#commit(state, progress, { events, lives, ...rows });
    }
    if (!isLastPart) {
      const lives = this.#lifetimesUntil(state, timeOf(end), [
        ...(last === undefined ? [] : [last]),
        ...events,
      ]);
      return this.#commit(state, progress, { events, lives, ...rows });
    }
    return this.#finishBackfill(state, progress, { events, ...rows });
  }

  /** Ends the look-back: every root gets the lifetime that follows from its changes. */
  async #finishBackfill(
    state: RootSourceRow,
    progress: Partial<SourceProgress>,
    changes: Partial<SourceChange> & Pick<SourceChange, 'events'>,
  ): Promise<RootSourceRow> {
    const lives = deriveRoots([...(await this.#parts.store.rootSources.events(state.id)), ...changes.events]);
    const withdrawn = state.pendingRoots.filter((root) => !lives.some((life) => isEqual(life.root, root)));
    return this.#commit(
      state,
      { ...progress, backfillTo: null, pendingRoots: [] },
      { ...changes, lives, withdrawn },
    );
  }

  /** Derives lifetimes while the past is being read: the last root counts as superseded at the end of the part. */
  #lifetimesUntil(state: RootSourceRow, endsAt: number, events: readonly RootEventRow[]): RootLife[] {
    const current = state.pendingRoots.at(-1);
    return deriveRoots(events).flatMap((life) => {
      const isCurrent = current !== undefined && isEqual(life.root, current);
      if (life.supersededAt !== null) return isCurrent ? [] : [life];
      return isCurrent || current === undefined ? [life] : [{ ...life, supersededAt: endsAt }];
    });
  }

  /** Resets the checkpoint to the last change, in case the logs after it were incomplete. */
  async #reread(state: RootSourceRow): Promise<RootSourceRow> {
    this.#incomplete = 0;
    const last = await this.#parts.store.rootSources.lastEvent(state.id);
    const number = last?.block ?? (state.scanFrom ?? 1) - 1;
    if (state.checkpoint === null) return state;
    if (number >= state.checkpoint.block) {
      // Even the root before the scan must be wrong.
      if (last?.logIndex === FIRST_EVENT_INDEX) await this.#restart(state);
      return state;
    }
    return this.#commit(state, { checkpoint: refOf(await this.#parts.chain.block(number)), logsAt: 0 }, {});
  }

  /** Reverts the changes that were read from blocks that are no longer in the chain. */
  async #followReorg(state: RootSourceRow, target: Block): Promise<RootSourceRow> {
    const { chain, source, store, onReorg } = this.#parts;
    const { rootSources } = store;
    const found = await findReorganisation(state, target, { chain, source, rootSources, onReorg });
    if (found === undefined) return state;
    return found === 'unfounded' ? this.#restart(state) : this.#commit(state, found.progress, found.rows);
  }

  /** Withdraws all roots, so that the next round starts from the beginning. */
  async #restart({ id }: RootSourceRow): Promise<never> {
    await this.#parts.store.rootSources.reset(id);
    throw new LostRace();
  }

  /** Commits a step and returns the resulting state. @throws LostRace */
  async #commit(
    state: RootSourceRow,
    change: Partial<SourceProgress>,
    rows: Partial<
      Pick<SourceChange, 'events' | 'lives' | 'withdrawn' | 'dropEventsAbove' | 'issuers' | 'oprfKeys'>
    >,
  ): Promise<RootSourceRow> {
    const { chain, now, store } = this.#parts;
    const { scanFrom, checkpoint, targetTime, backfillTo, pendingRoots, logsAt, keysAt } = state;
    const progress = {
      scanFrom,
      checkpoint,
      targetTime,
      backfillTo,
      pendingRoots,
      logsAt,
      keysAt,
      ...change,
    };
    const isCommitted = await store.rootSources.commit({
      source: state,
      progress,
      now: now(),
      providers: providersJson(chain),
      events: [],
      lives: [],
      withdrawn: [],
      ...NO_KEYS,
      ...rows,
    });
    if (!isCommitted) throw new LostRace();
    this.#version = state.version + 1;
    return { ...state, ...progress, version: this.#version };
  }
}

/** A part of the scan. */
interface ScannedPart {
  readonly logs: readonly Log[];
  /** Last block of the part. */
  readonly end: Block;
  readonly target: Block;
  /** Current root at the target. */
  readonly latest: Bytes32 | undefined;
}

/** Whether a block is older than the state: a provider lags, or another node is ahead. */
function isBehind(target: Block, { targetTime, checkpoint }: SourceProgress): boolean {
  const isOlder = targetTime !== null && timeOf(target) < targetTime;
  return isOlder || (checkpoint !== null && target.number < checkpoint.block);
}
