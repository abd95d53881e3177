import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { compiledFile } from '../../compiled-file.ts';
import type { SharedAcceptor } from '../../http/library/http-library.ts';
import type { Log } from '../../observability/log/log.ts';
import type { MetricsSnapshot } from '../../observability/metrics/merge-snapshots.ts';
import type { ThreadMetrics } from '../../observability/metrics/thread-metrics.ts';
import { answerOf } from '../../observability/threads.ts';
import type { UsageTally } from '../../observability/usage.ts';
import { messageOf } from '../../text.ts';
import type { FrontEndState, FrontEndStates } from '../parts/front-end-state.ts';
import { errorOf, Link } from './link.ts';
import {
  CELLS,
  type Cells,
  type FrontEndCalls,
  type FrontEndReady,
  type FrontEndSetup,
  type FrontEndStatus,
  type MainCalls,
} from './messages.ts';

/** Calls of a front end that its service answers; the others are about the thread itself. */
export type ServiceCalls = Pick<
  MainCalls,
  'attachStore' | 'findMissedRoot' | 'circuit' | 'log' | 'connectionsReached'
>;

/** Dependencies of a front end. */
export interface FrontEndParts {
  readonly index: number;
  readonly acceptor: Pick<SharedAcceptor, 'add' | 'remove'>;
  readonly calls: ServiceCalls;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Returns the start parameters for each start of the thread. */
  setup(cells: Cells): FrontEndSetup;
  readonly states: Pick<FrontEndStates, 'report' | 'ended'>;
  readonly metrics: Pick<ThreadMetrics, 'add'>;
  readonly usage: Pick<UsageTally, 'add'>;
  /** Returns its share of the workers of the engine. */
  workers(): number;
  /** Called after a thread has ended. */
  onEnded(): void;
  /** Called when it begins to serve, ceases to, or is given up. */
  onChange(): void;
}

/** State of a front end: `waiting` is the pause before a thread that ended is replaced. */
type LifeState = 'starting' | 'serving' | 'waiting' | 'given_up' | 'stopped';

/** Starts that fail one after the other before a front end is given up. */
const MAX_FAILED_STARTS = 6;
/** First pause before a thread is replaced; it doubles with each thread that ends soon. */
const FIRST_PAUSE_MS = 50;
/** Longest pause after a thread that had served. */
const LONGEST_PAUSE_MS = 1000;
/** Longest pause after a thread that never became ready. */
const LONGEST_FAILED_PAUSE_MS = 10_000;
/** A thread that has served for so long did not end soon. */
const STEADY_MS = 1000;
const STOP_LIMIT_MS = 15_000;
const ANSWER_MS = 1000;
/** Reports that are missing, one a second, when a front end counts as hanging. */
const MISSED_REPORTS = 5;

/** One life of the thread. */
interface Life {
  readonly worker: Worker;
  readonly link: Link<MainCalls, FrontEndCalls>;
  readonly cells: Cells;
  readonly ended: Promise<void>;
}

/** A thread that serves the public interfaces, and that which replaces it when it ends. */
export class FrontEnd {
  readonly #parts: FrontEndParts;
  #state: LifeState = 'starting';
  #life: Life | undefined;
  #ready: FrontEndReady | undefined;
  #status: FrontEndStatus | undefined;
  #readyAt = 0;
  #soonEnds = 0;
  #failedStarts = 0;
  #timer: NodeJS.Timeout | undefined;
  #isDraining = false;
  #missedReports = 0;
  #health: FrontEndState | undefined;

  constructor(parts: FrontEndParts) {
    this.#parts = parts;
  }

  get state(): LifeState {
    return this.#state;
  }

  /** Figures of the last report; undefined while it does not serve. */
  get status(): FrontEndStatus | undefined {
    return this.#ready === undefined ? undefined : this.#status;
  }

  /** Expiry of the certificate in use, in milliseconds since the epoch. */
  get certificateExpiresAt(): number | undefined {
    return this.#ready?.certificateExpiresAt;
  }

  /** Calls of the thread; undefined while it does not serve. */
  get link(): Pick<Link<MainCalls, FrontEndCalls>, 'call' | 'tell'> | undefined {
    return this.#ready === undefined || this.#isHanging ? undefined : this.#life?.link;
  }

  /** Starts the thread for the first time. @throws Error that kept it from becoming ready */
  start(): Promise<void> {
    return this.#begin();
  }

  /** Every answer ends its connection from now on, also those of a thread that replaces this one. */
  setDraining(): void {
    this.#isDraining = true;
    if (this.#ready !== undefined) this.#life?.link.tell('drain');
  }

  /** Sends no further connections. */
  leave(): void {
    if (this.#ready === undefined) return;
    if (!this.#isHanging) this.#parts.acceptor.remove(this.#ready.descriptor);
    this.#ready = undefined;
    this.#parts.onChange();
  }

  /** Called once a second: a front end that does not report any more gets no connections until it does. */
  watch(): void {
    if (this.#ready === undefined) return;
    this.#missedReports++;
    if (this.#missedReports !== MISSED_REPORTS) return;
    const { index, acceptor, log, states, onChange } = this.#parts;
    acceptor.remove(this.#ready.descriptor);
    log.error(`front end ${index} does not respond and gets no connections until it does`, {
      event: 'front_end.hanging',
      frontEnd: index,
    });
    states.report(index, { isReady: false, reason: 'does not respond', overload: [] });
    onChange();
  }

  /** Has the thread take over what changed while it could not be told. */
  #catchUp(): void {
    const { link } = this;
    if (link === undefined) return;
    if (this.#isDraining) this.setDraining();
    link.call('reloadCertificate').catch(() => undefined);
    link.call('setWorkers', this.#parts.workers()).catch(() => undefined);
  }

  /** Waits until no exchange of the thread is open; returns the number of those that are open after `timeoutMs`. */
  async whenIdle(timeoutMs: number): Promise<number> {
    const open = this.#status?.openExchanges ?? 0;
    if (this.#ready === undefined) return 0;
    const left = this.link?.call('whenIdle', timeoutMs);
    return (left && (await answerOf(left, timeoutMs + ANSWER_MS))) ?? open;
  }

  get #isHanging(): boolean {
    return this.#missedReports >= MISSED_REPORTS;
  }

  #reported(status: FrontEndStatus): void {
    this.#status = status;
    const wasHanging = this.#isHanging;
    this.#missedReports = 0;
    if (!wasHanging || this.#ready === undefined) return;
    const { index, acceptor, states, onChange } = this.#parts;
    acceptor.add(this.#ready.descriptor);
    this.#catchUp();
    if (this.#health !== undefined) states.report(index, this.#health);
    this.#announce();
    onChange();
  }

  /** Ends the thread in good order; it is not replaced. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    this.leave();
    const life = this.#life;
    if (life === undefined) return;
    const stopped = life.link.call('stop').then(() => life.ended);
    await Promise.race([stopped.catch(() => life.ended), delay(STOP_LIMIT_MS, undefined, { ref: false })]);
  }

  /** Has the thread close its connections without a turn of the event loop of this one; waits at most until `end`. */
  halt(end: number): void {
    const life = this.#life;
    if (life === undefined) return;
    life.link.tell('halt');
    Atomics.wait(life.cells, CELLS.closed, 0, Math.max(0, end - performance.now()));
  }

  async #begin(): Promise<void> {
    try {
      await this.#startThread();
    } catch (error) {
      // The system has refused the thread; otherwise its end has told.
      if (this.#life === undefined && this.#state === 'starting') this.#ended(error as Error);
      throw error;
    }
  }

  #startThread(): Promise<void> {
    const cells: Cells = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
    const { index, acceptor, calls, states, metrics, usage } = this.#parts;
    const worker = new Worker(compiledFile('app/front-ends/front-end-thread.js'), {
      name: `front-end-${index}`,
      workerData: this.#parts.setup(cells),
    });
    return new Promise((resolve, reject) => {
      let reason: Error | undefined;
      let counted: MetricsSnapshot | undefined;
      let forget: ((last?: MetricsSnapshot) => void) | undefined;
      const link = new Link<MainCalls, FrontEndCalls>(worker, {
        ...calls,
        ready: (facts) => {
          forget = metrics.add(() => link.call('metrics'));
          this.#serve(facts);
          resolve();
        },
        failed: (fault) => {
          reason = errorOf(fault);
        },
        report: (status) => this.#reported(status),
        health: (state) => {
          this.#health = state;
          states.report(index, state);
        },
        last: (sample, snapshot) => {
          usage.add(sample);
          counted = snapshot;
        },
        leave: () => {
          this.leave();
          Atomics.store(cells, CELLS.left, 1);
          Atomics.notify(cells, CELLS.left);
        },
        replace: (facts) => {
          const former = this.#ready;
          if (former === undefined) return;
          if (!this.#isHanging) {
            acceptor.add(facts.descriptor);
            acceptor.remove(former.descriptor);
          }
          this.#ready = { ...former, ...facts };
        },
      });
      worker.on('error', (error) => {
        reason ??= error;
      });
      const ended = new Promise<void>((resolveEnd) => {
        worker.on('exit', (code) => {
          reason ??= new Error(`its thread ended with code ${code}`);
          link.close(reason);
          forget?.(counted);
          reject(reason);
          this.#ended(reason);
          resolveEnd();
        });
      });
      this.#life = { worker, link, cells, ended };
    });
  }

  #serve(facts: FrontEndReady): void {
    if (this.#state === 'stopped') return;
    const { acceptor, onChange } = this.#parts;
    this.#ready = facts;
    this.#status = facts;
    this.#missedReports = 0;
    this.#state = 'serving';
    this.#failedStarts = 0;
    this.#readyAt = performance.now();
    acceptor.add(facts.descriptor);
    this.#catchUp();
    this.#announce();
    onChange();
  }

  #announce(): void {
    const { index, log } = this.#parts;
    log.info(`front end ${index} serves`, { event: 'front_end.ready', frontEnd: index });
  }

  #ended(reason: Error): void {
    this.#life = undefined;
    this.#parts.onEnded();
    const wasServing = this.#state === 'serving';
    this.leave();
    if (this.#state === 'stopped') return;
    const { index, log, states, onChange } = this.#parts;
    if (!wasServing) this.#failedStarts++;
    const isSoon = !wasServing || performance.now() - this.#readyAt < STEADY_MS;
    this.#soonEnds = isSoon ? this.#soonEnds + 1 : 0;
    const isFirstStart = this.#readyAt === 0;
    this.#state = isFirstStart || this.#failedStarts >= MAX_FAILED_STARTS ? 'given_up' : 'waiting';
    const fields = { frontEnd: index, err: reason };
    if (this.#state === 'given_up') {
      log.error(`front end ${index} never became ready and is given up: ${messageOf(reason)}`, {
        event: 'front_end.given_up',
        ...fields,
      });
      states.ended(index, 'given up');
    } else {
      const longest = wasServing ? LONGEST_PAUSE_MS : LONGEST_FAILED_PAUSE_MS;
      const pauseMs = Math.min(longest, FIRST_PAUSE_MS * 2 ** this.#soonEnds);
      log.error(`front end ${index} ended and is replaced in ${pauseMs} ms: ${messageOf(reason)}`, {
        event: 'front_end.ended',
        ...fields,
      });
      states.ended(index, 'restarting');
      this.#timer = setTimeout(() => this.#replace(), pauseMs);
    }
    onChange();
  }

  #replace(): void {
    this.#state = 'starting';
    // `ended` has logged it.
    this.#begin().catch(() => undefined);
  }
}
