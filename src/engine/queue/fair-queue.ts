import {
  type KeyOfProofs,
  LaneGroup,
  type ProofItem,
  type ProofLane,
  refuseProof,
} from '../dispatch/proof-lane.ts';
import type { ProofSource } from '../engine.ts';
import { Others, Share } from './fair-share-credit.ts';
import { networkOf, Sources, type Suspect } from './suspected-sources.ts';

/** Limits of the queue. */
export interface QueueLimits {
  /** Items that may wait, over all lanes. */
  readonly maxQueue: number;
  readonly maxBatch: number;
  /** How long an incomplete batch waits for more; 0: not at all. */
  readonly maxBatchDelayMs: number;
}

/** Proofs that go to a thread together. */
export interface ProofBatch {
  readonly lane: ProofLane;
  readonly items: ProofItem[];
  /** What a suspect was charged for it, see `Share`. */
  readonly expectedMs: number;
}

/** The moment at which a batch is asked for. */
export interface Moment {
  /** In the clock of `queuedAtMs`. */
  readonly nowMs: number;
  /** Threads that work. */
  readonly threads: number;
  /** Those of them that are free; what waits in a lane is shared among them. */
  readonly idle: number;
  /** Nothing waits for company any more. */
  readonly isDraining: boolean;
}

// A suspect may fill this part of the queue, and one large request always.
const SUSPECT_PART = 4;
const LARGE_REQUEST = 64;
// While some source is suspect, this many proofs of a network and of an app may wait with those of all others for one
// batch; what is more waits in the crowd, whose batches are shorter, so that sources nobody knows yet cannot fill or
// break the batches of the others.
const WINDOW_OF_NETWORK = 32;
const WINDOW_OF_APP = 128;
const CROWD_BATCH = 64;
/** All suspects together may fill this part of the queue, and the crowd another. */
const COMMON_PART = 3;
// Looking through the whole queue for proofs that nobody waits for any more has to pay.
const SWEEP_AFTER_MS = 100;

/**
 * The proofs that wait. Lanes take turns, so that a busy key delays another by one batch at most. Sources that sent bad
 * proofs lately have lanes of their own and take what `Share` grants them, in turn with all others.
 */
export class ProofQueue {
  readonly sources: Sources = new Sources();
  readonly #limits: QueueLimits;
  readonly #others = new Others();
  readonly #good = new LaneGroup();
  readonly #crowd = new LaneGroup();
  /** Proofs of each network and each app that joined the good lanes since their last batch. */
  readonly #window = new Map<string, number>();
  readonly #groups = new WeakMap<Suspect, LaneGroup>();
  /** Suspects with waiting proofs, the next in turn first. */
  readonly #suspects = new Set<LaneGroup>();
  #suspectsInHouse = 0;
  #suspectsWaiting = 0;
  /** Whose batch is next. */
  #turn = 0;
  #depth = 0;
  #addedSinceSweep = 0;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Proofs that wait, over all lanes. */
  get depth(): number {
    return this.#depth;
  }

  /**
   * Whether `count` more proofs of this source may wait.
   *
   * @param others - What waits elsewhere and counts for the same limit.
   */
  hasRoomFor(count: number, others: number, source: ProofSource | undefined, nowMs: number): boolean {
    const { maxQueue } = this.#limits;
    const suspect = this.sources.suspect(source, nowMs);
    if (suspect && !this.#suspectHasRoom(suspect, count)) return false;
    const { waiting } = this.#crowd;
    const isCrowdFull = waiting > 0 && waiting + count > this.#partOf(COMMON_PART);
    if (!suspect && isCrowdFull && this.#crowds(source, count, nowMs)) return false;
    if (this.#depth + others + count <= maxQueue) return true;
    this.#sweep(nowMs);
    return this.#depth + others + count <= maxQueue;
  }

  /** The lane in which a proof has to wait. */
  laneOf(key: KeyOfProofs, source: ProofSource | undefined, nowMs: number): ProofLane {
    const suspect = this.sources.suspect(source, nowMs);
    if (suspect) return this.#groupOf(suspect, nowMs).laneOf(key);
    if (this.#crowds(source, 1, nowMs)) return this.#crowd.laneOf(key);
    if (source && this.sources.isAlert(nowMs)) {
      for (const name of [networkOf(source.address), source.app]) {
        this.#window.set(name, (this.#window.get(name) ?? 0) + 1);
      }
    }
    return this.#good.laneOf(key);
  }

  add(item: ProofItem): void {
    this.#addedSinceSweep += 1;
    this.#entered(item.lane, item.queuedAtMs);
    this.#push(item);
  }

  /** Takes the batch that is next in turn, if one is ripe. */
  take(moment: Moment): ProofBatch | undefined {
    if (this.#suspects.size === 0 && this.#crowd.waiting === 0) return this.#takeGood(moment);
    const takers = [
      () => this.#takeGood(moment),
      () => this.#takeCrowd(moment),
      () => this.#takeSuspect(moment),
    ] as const;
    for (let tried = 0; tried < takers.length; tried += 1) {
      const batch = takers[(this.#turn + tried) % takers.length]?.();
      if (!batch) continue;
      this.#turn = (this.#turn + tried + 1) % takers.length;
      return batch;
    }
    return undefined;
  }

  /** Takes up to `room` more proofs for a batch of this lane that no thread has begun. */
  takeMore(lane: ProofLane, room: number, nowMs: number): ProofItem[] {
    const items = lane.group === this.#good ? this.#gather(lane, room, nowMs) : [];
    if (lane.waiting.size === 0) lane.group.turns.delete(lane);
    return items;
  }

  /** To be called when proofs that were taken have their answers. */
  left(lane: ProofLane, count: number, nowMs: number): void {
    const { share } = lane.group;
    (share ?? this.#others).inHouse -= count;
    if (!share) this.#others.seen(nowMs);
    else if (share.inHouse === 0) this.#suspectsInHouse -= 1;
  }

  /** Takes everything that waits, for refusal. */
  takeAll(): ProofItem[] {
    const items: ProofItem[] = [];
    for (const group of [this.#good, this.#crowd, ...this.#suspects]) {
      for (const { waiting } of group.turns) {
        for (let item = waiting.shift(); item; item = waiting.shift()) items.push(item);
      }
      group.turns.clear();
      group.waiting = 0;
    }
    this.#suspects.clear();
    this.#suspectsWaiting = 0;
    this.#depth = 0;
    return items;
  }

  /** When the next batch is ripe; Infinity when nothing waits, and at once is as good as long ago. */
  nextRipeAtMs({ nowMs, threads }: Moment): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { share } of this.#suspects) {
      next = Math.min(next, share?.dueAtMs(nowMs, threads, this.#suspectsInHouse) ?? next);
    }
    for (const lane of [...this.#good.turns, ...this.#crowd.turns]) {
      next = Math.min(next, this.#ripeAtMs(lane));
      if (next <= nowMs) break;
    }
    return next;
  }

  #takeGood(moment: Moment): ProofBatch | undefined {
    const batch = this.#takeRipe(this.#good, Number.POSITIVE_INFINITY, moment);
    // Proofs leave the good lanes for a batch that waits already, too, or because nobody waits for them any more.
    if (this.#window.size > 0 && (batch !== undefined || this.#good.waiting === 0)) this.#window.clear();
    return batch;
  }

  #takeCrowd(moment: Moment): ProofBatch | undefined {
    return this.#takeRipe(this.#crowd, CROWD_BATCH, moment);
  }

  #takeRipe(group: LaneGroup, most: number, moment: Moment): ProofBatch | undefined {
    for (const lane of group.turns) {
      if (!moment.isDraining && this.#ripeAtMs(lane) > moment.nowMs) continue;
      const batch = this.#takeFrom(lane, Math.min(most, lane.key.maxBatch), moment);
      if (!batch) continue;
      this.#others.tookBatch(moment.nowMs);
      return batch;
    }
    return undefined;
  }

  #suspectHasRoom(suspect: Suspect, count: number): boolean {
    const waiting = this.#groups.get(suspect)?.waiting ?? 0;
    if (waiting + count > this.#partOf(SUSPECT_PART)) return false;
    return this.#suspectsWaiting + count <= this.#partOf(COMMON_PART);
  }

  /** Proofs of a part of the queue, in which one large request always fits. */
  #partOf(part: number): number {
    const { maxQueue } = this.#limits;
    return Math.max(maxQueue / part, Math.min(maxQueue, LARGE_REQUEST));
  }

  /** Whether some of `count` proofs of a source that is no suspect have to wait in the crowd. */
  #crowds(source: ProofSource | undefined, count: number, nowMs: number): boolean {
    if (source === undefined || !this.sources.isAlert(nowMs)) return false;
    const ofNetwork = this.#window.get(networkOf(source.address)) ?? 0;
    const ofApp = this.#window.get(source.app) ?? 0;
    return ofNetwork + count > WINDOW_OF_NETWORK || ofApp + count > WINDOW_OF_APP;
  }

  #takeSuspect(moment: Moment): ProofBatch | undefined {
    const { nowMs, threads, isDraining } = moment;
    for (const group of this.#suspects) {
      const { share } = group;
      if (!share) continue;
      if (!isDraining && share.dueAtMs(nowMs, threads, this.#suspectsInHouse) > nowMs) continue;
      this.#suspects.delete(group);
      this.#suspects.add(group);
      for (const lane of group.turns) {
        const batch = this.#takeFrom(lane, Math.min(lane.key.maxBatch, share.batchSize(nowMs)), moment);
        if (batch) return { ...batch, expectedMs: share.tookBatch(batch.items.length) };
      }
    }
    return undefined;
  }

  #takeFrom(lane: ProofLane, limit: number, { idle, nowMs }: Moment): ProofBatch | undefined {
    const { turns } = lane.group;
    const part = Math.ceil(lane.waiting.size / Math.max(1, idle));
    const items = this.#gather(lane, Math.min(part, limit), nowMs);
    turns.delete(lane);
    if (lane.waiting.size > 0) turns.add(lane);
    return items.length > 0 ? { lane, items, expectedMs: 0 } : undefined;
  }

  /** Takes out what may run. What nobody waits for is dropped; what a new suspect sent goes to his lane. */
  #gather(lane: ProofLane, limit: number, nowMs: number): ProofItem[] {
    const items: ProofItem[] = [];
    const { group } = lane;
    while (items.length < limit) {
      const item = lane.waiting.shift();
      if (!item) break;
      this.#shrink(group);
      const suspect = group.suspect ?? this.sources.suspect(item.source, nowMs);
      if (item.signal?.aborted) this.#cancel(item, nowMs);
      else if (suspect === group.suspect) items.push(item);
      else this.#move(item, suspect, nowMs);
    }
    return items;
  }

  #move(item: ProofItem, suspect: Suspect | undefined, nowMs: number): void {
    const lane = this.#groupOf(suspect, nowMs).laneOf(item.lane.key);
    this.left(item.lane, 1, nowMs);
    this.#entered(lane, nowMs);
    item.lane = lane;
    this.#push(item);
  }

  #push(item: ProofItem): void {
    const { lane } = item;
    lane.waiting.push(item);
    lane.group.turns.add(lane);
    lane.group.waiting += 1;
    this.#depth += 1;
    if (!lane.group.suspect) return;
    this.#suspects.add(lane.group);
    this.#suspectsWaiting += 1;
  }

  #shrink(group: LaneGroup): void {
    group.waiting -= 1;
    this.#depth -= 1;
    if (!group.suspect) return;
    this.#suspectsWaiting -= 1;
    if (group.waiting === 0) this.#suspects.delete(group);
  }

  #entered({ group: { share } }: ProofLane, nowMs: number): void {
    if (!share) this.#others.seen(nowMs);
    else if (share.inHouse === 0) this.#suspectsInHouse += 1;
    (share ?? this.#others).inHouse += 1;
  }

  #groupOf(suspect: Suspect | undefined, nowMs: number): LaneGroup {
    if (!suspect) return this.#good;
    let group = this.#groups.get(suspect);
    if (!group) {
      group = new LaneGroup(suspect, new Share(this.#others, nowMs));
      this.#groups.set(suspect, group);
    }
    return group;
  }

  #cancel(item: ProofItem, nowMs: number): void {
    this.left(item.lane, 1, nowMs);
    refuseProof(item, 'engine.cancelled');
  }

  /** Drops all that nobody waits for; not so often that it would cost more than it gives. */
  #sweep(nowMs: number): void {
    const isDue = this.#addedSinceSweep >= this.#limits.maxQueue / SUSPECT_PART;
    if (!isDue && nowMs - this.#sweptAtMs < SWEEP_AFTER_MS) return;
    this.#addedSinceSweep = 0;
    this.#sweptAtMs = nowMs;
    for (const group of [this.#good, this.#crowd, ...this.#suspects]) {
      for (const lane of group.turns) {
        lane.waiting.keep((item) => {
          if (!item.signal?.aborted) return true;
          this.#shrink(group);
          this.#cancel(item, nowMs);
          return false;
        });
        if (lane.waiting.size === 0) group.turns.delete(lane);
      }
    }
  }

  #ripeAtMs(lane: ProofLane): number {
    const { maxBatchDelayMs } = this.#limits;
    if (maxBatchDelayMs <= 0 || lane.waiting.size >= lane.key.maxBatch) return Number.NEGATIVE_INFINITY;
    return (lane.waiting.first?.queuedAtMs ?? Number.POSITIVE_INFINITY) + maxBatchDelayMs;
  }
}
