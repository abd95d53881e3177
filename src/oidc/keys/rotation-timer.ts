/** Dependencies of `createRotationTimer`. */
export interface RotationTimerParts {
  rotateIfDue(): Promise<void>;
  /** Returns the milliseconds until a rotation is due, or undefined if none is planned. */
  dueInMs(): Promise<number | undefined>;
  onFailed(error: unknown): void;
}

/** Timer that performs due rotations until it is stopped. */
export interface RotationTimer {
  start(): void;
  /** Resolves when a check in progress has ended. */
  stop(): Promise<void>;
}

/** Maximum time between checks, since another process may rotate or remove a key. */
const LONGEST_WAIT_MS = 60_000;
/**
 * Minimum time between checks, so that a rotation that fails, or that another process performs now, is not
 * retried in a tight loop.
 */
const SHORTEST_WAIT_MS = 1000;

/** Creates the timer, which does not keep the process alive. */
export function createRotationTimer({ rotateIfDue, dueInMs, onFailed }: RotationTimerParts): RotationTimer {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let check: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    let waitMs = LONGEST_WAIT_MS;
    try {
      await rotateIfDue();
      const dueMs = await dueInMs();
      if (dueMs !== undefined) waitMs = Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, dueMs));
    } catch (error) {
      onFailed(error);
    }
    if (isRunning) plan(waitMs);
  }

  function plan(waitMs: number): void {
    timer = setTimeout(() => {
      check = run();
    }, waitMs).unref();
  }

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      check = run();
    },
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      await check;
    },
  };
}
