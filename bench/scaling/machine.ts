import type { Clock } from './clock.ts';

/** Longest time of a thread on a core while others wait for one. Linux divides a core in slices of this order. */
const SLICE_US = 3000;

interface Job {
  leftUs: number;
  readonly done: () => void;
}

/** A machine whose threads share its cores in turn. */
export class Machine {
  readonly clock: Clock;
  #freeCores: number;
  readonly #ready: Thread[] = [];

  constructor(clock: Clock, cores: number = Number.POSITIVE_INFINITY) {
    this.clock = clock;
    this.#freeCores = cores;
  }

  /** Adds a thread that has work to those that wait for a core. */
  enqueue(thread: Thread): void {
    this.#ready.push(thread);
    this.#fill();
  }

  /** Takes the core of a thread whose slice is over. */
  release(): void {
    this.#freeCores++;
    this.#fill();
  }

  #fill(): void {
    while (this.#freeCores > 0) {
      const thread = this.#ready.shift();
      if (thread === undefined) return;
      this.#freeCores--;
      thread.start(SLICE_US);
    }
  }
}

/** A thread that does its jobs in the order of their arrival. */
export class Thread {
  readonly #machine: Machine;
  readonly #startUs: number;
  readonly #jobs: Job[] = [];
  #first = 0;
  #isAwake = false;
  #starts = 0;
  #endedUs = 0;
  /** Begin of the running slice. */
  #since: number | undefined;

  /** @param startUs - Processor time to begin each time that it gets a core. */
  constructor(machine: Machine, startUs: number = 0) {
    this.#machine = machine;
    this.#startUs = startUs;
  }

  /** Processor time so far, in µs. */
  get busyUs(): number {
    return this.#endedUs + (this.#since === undefined ? 0 : this.#machine.clock.now - this.#since);
  }

  /** How often it got a core. */
  get starts(): number {
    return this.#starts;
  }

  /** Adds a job, which calls `done` after `us` of processor time. */
  add(us: number, done: () => void): void {
    this.#jobs.push({ leftUs: us, done });
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#machine.enqueue(this);
  }

  /** Runs on a core for at most `sliceUs`; called by the machine. */
  start(sliceUs: number): void {
    this.#starts++;
    (this.#jobs[this.#first] as Job).leftUs += this.#startUs;
    this.#run(sliceUs);
  }

  #run(sliceUs: number): void {
    const job = this.#jobs[this.#first] as Job;
    const us = Math.min(job.leftUs, sliceUs);
    const { clock } = this.#machine;
    this.#since = clock.now;
    clock.after(us, () => {
      this.#endedUs += us;
      this.#since = undefined;
      job.leftUs -= us;
      const isDone = job.leftUs <= 0;
      if (isDone) {
        this.#drop();
        job.done();
      }
      const hasMore = this.#first < this.#jobs.length;
      if (hasMore && isDone && us < sliceUs) {
        this.#run(sliceUs - us);
        return;
      }
      this.#isAwake = hasMore;
      if (hasMore) this.#machine.enqueue(this);
      this.#machine.release();
    });
  }

  #drop(): void {
    this.#first++;
    if (this.#first < 1024 || this.#first * 2 < this.#jobs.length) return;
    this.#jobs.splice(0, this.#first);
    this.#first = 0;
  }
}
