import type { EngineEvent } from '../pool/executor.ts';
import type { Moment, ProofBatch, ProofQueue } from '../queue/fair-queue.ts';
import { afterLoss, type WorkRefusal } from '../queue/work.ts';
import type { Board, Tray } from '../slots/batch-slots.ts';
import { FALSE, VALID, verdictOfByte } from '../verdicts.ts';
import type { DispatchStats } from './dispatch-stats.ts';
import { answerProof, type ProofItem, type ProofLane, refuseProof } from './proof-lane.ts';

/** A batch in a tray. */
interface Run extends ProofBatch {
  readonly tray: Tray;
  /** Not each proof by itself. */
  readonly isCombined: boolean;
  readonly losses: number;
}

type Waiting = ProofBatch & Pick<Run, 'losses'>;

/** The batches that lie on the board: lays them out, and gives each proof its answer. */
export class ProofRuns {
  readonly #board: Board;
  readonly #queue: ProofQueue;
  readonly #stats: DispatchStats;
  readonly #log: (event: EngineEvent) => void;
  #runs: Run[] = [];
  readonly #repeats: Waiting[] = [];

  constructor(board: Board, queue: ProofQueue, stats: DispatchStats, log: (event: EngineEvent) => void) {
    this.#board = board;
    this.#queue = queue;
    this.#stats = stats;
    this.#log = log;
  }

  /** Batches on the board or to be laid out again. */
  get count(): number {
    return this.#runs.length + this.#repeats.length;
  }

  /** Trays that no thread has taken yet. */
  get open(): number {
    return this.#runs.reduce((open, { tray }) => open + (tray.state === 'open' ? 1 : 0), 0);
  }

  /** Threads that work on a tray. */
  get taken(): number {
    return this.#runs.reduce((taken, { tray }) => taken + (tray.state === 'taken' ? 1 : 0), 0);
  }

  /** Answers the proofs of all batches that have ended. */
  collect(nowMs: number): void {
    const runs = this.#runs;
    this.#runs = [];
    for (const run of runs) {
      const { state } = run.tray;
      if (state === 'done') this.#settle(run, nowMs);
      else if (state === 'faulty') this.#lose(run, run.tray.fault, nowMs);
      else this.#runs.push(run);
    }
  }

  /** A thread has ended: what it held runs again. */
  threadEnded(threadId: number, nowMs: number): void {
    const runs = this.#runs;
    this.#runs = [];
    for (const run of runs) {
      if (run.tray.holder === threadId) this.#lose(run, 'the thread ended', nowMs);
      else this.#runs.push(run);
    }
  }

  /** Lets proofs that have come since join a batch of their lane that no thread has begun. */
  extend(nowMs: number): void {
    for (const { lane, items, tray, losses } of this.#runs) {
      const [count, room] = [items.length, lane.key.maxBatch - items.length];
      if (lane.waiting.size === 0 || room <= 0 || losses > 0 || tray.state !== 'open') continue;
      const more = this.#queue.takeMore(lane, room, nowMs);
      if (more.length === 0) continue;
      for (const [index, { row }] of more.entries()) tray.put(count + index, row);
      this.#stats.running += more.length;
      if (tray.extend(count, count + more.length)) items.push(...more);
      else this.#repeats.push({ lane, items: more, expectedMs: 0, losses: 0 });
    }
  }

  /** Lays out the batch that is next in turn; false when there is none or no tray is free. */
  layOut(moment: Moment): boolean {
    const batch = this.#repeats.shift() ?? this.#next(moment);
    if (!batch) return false;
    const { key, group } = batch.lane;
    const { reference, inputCount } = key;
    const isCombined = group.share?.expectsBad !== true;
    const tray = this.#board.take(reference, inputCount, !isCombined);
    if (!tray) {
      this.#repeats.unshift(batch);
      return false;
    }
    for (const [index, { row }] of batch.items.entries()) tray.put(index, row);
    tray.open(batch.items.length);
    this.#runs.push({ ...batch, tray, isCombined });
    return true;
  }

  /** Refuses all that no thread works on. */
  refuseAll(code: WorkRefusal): void {
    for (const item of this.#queue.takeAll()) refuseProof(item, code);
    for (const { lane, items } of this.#repeats.splice(0)) this.#refuse(lane, items, code, 0);
    const runs = this.#runs;
    this.#runs = [];
    for (const run of runs) {
      if (!run.tray.withdraw(run.items.length)) this.#runs.push(run);
      else {
        this.#board.giveBack(run.tray);
        this.#refuse(run.lane, run.items, code, 0);
      }
    }
  }

  #next(moment: Moment): Waiting | undefined {
    const batch = this.#queue.take(moment);
    if (!batch) return undefined;
    this.#stats.running += batch.items.length;
    return { ...batch, losses: 0 };
  }

  #settle(run: Run, nowMs: number): void {
    const { lane, items, tray, expectedMs } = run;
    const { runMs } = tray;
    const left: ProofItem[] = [];
    let bad = 0;
    lane.group.share?.ranBatch(items.length, expectedMs, runMs, nowMs);
    this.#stats.ranBatch(items, runMs, nowMs);
    for (const [index, item] of items.entries()) {
      const byte = tray.verdictByte(index);
      const verdict = byte === undefined ? undefined : verdictOfByte(byte);
      if (!verdict) left.push(item);
      else {
        if (verdict === VALID) {
          if (lane.group.suspect) this.#queue.sources.held(lane.group.suspect);
        } else if (verdict === FALSE || verdict.code === 'proof.point_not_in_subgroup') {
          // What is found by the pairing alone breaks its batch; all else is refused before it.
          bad += 1;
          if (item.source) this.#queue.sources.failed(item.source, nowMs);
        }
        answerProof(item, verdict);
      }
    }
    lane.group.share?.found(bad, items.length);
    if (bad > 0 && run.isCombined && items.length > 1) this.#stats.brokenBatches += 1;
    this.#board.giveBack(tray);
    this.#answered(lane, items.length - left.length, nowMs);
    if (left.length > 0) this.#again({ ...run, items: left }, 'no verdict', nowMs);
  }

  #lose(run: Run, reason: string, nowMs: number): void {
    this.#board.giveBack(run.tray);
    run.lane.group.share?.ranBatch(run.items.length, run.expectedMs, run.expectedMs, nowMs);
    this.#again(run, reason, nowMs);
  }

  #again({ lane, items, losses }: Run, reason: string, nowMs: number): void {
    this.#log({ event: 'engine.batch_lost', lane: lane.name, items: items.length, reason });
    const repeats = afterLoss(items, losses);
    for (const repeat of repeats) {
      this.#repeats.push({ lane, items: [...repeat.items], losses: repeat.losses, expectedMs: 0 });
    }
    if (repeats.length > 0) return;
    this.#stats.poisoned += 1;
    this.#log({ event: 'engine.poisoned', lane: lane.name });
    for (const { source } of items) if (source) this.#queue.sources.failed(source, nowMs);
    this.#refuse(lane, items, 'engine.poison', nowMs);
  }

  #refuse(lane: ProofLane, items: readonly ProofItem[], code: WorkRefusal, nowMs: number): void {
    for (const item of items) refuseProof(item, code);
    this.#answered(lane, items.length, nowMs);
  }

  #answered(lane: ProofLane, count: number, nowMs: number): void {
    this.#stats.running -= count;
    this.#stats.verified += count;
    this.#queue.left(lane, count, nowMs);
  }
}
