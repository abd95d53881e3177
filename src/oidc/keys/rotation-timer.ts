/** What the timer does and asks. */
export interface RotationTimerParts {
  rotateIfDue(): Promise<void>;
  /** Milliseconds until a rotation is due; undefined when none is planned. */
  dueInMs(): Promise<number | undefined>;
  onFailed(error: unknown): void;
}

/** Looks for due rotations until it is stopped. */
export interface RotationTimer {
  start(): void;
  /** Resolves when a look that runs has ended. */
  stop(): Promise<void>;
}

/** Another process may rotate or remove a key: a plan that is older is made anew. */
const LONGEST_WAIT_MS = 60_000;
/** A rotation that fails, or that another process makes right now, must not be tried in a tight loop. */
const SHORTEST_WAIT_MS = 1000;

/** Makes the timer; it holds no process open. */
export function createRotationTimer({ rotateIfDue, dueInMs, onFailed }: RotationTimerParts): RotationTimer {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let look: Promise<void> = Promise.resolve();

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
      look = run();
    }, waitMs).unref();
  }

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      look = run();
    },
    async stop() {
      isRunning = false;
      clearTimeout(timer);
      await look;
    },
  };
}
