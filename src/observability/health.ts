import { performance } from 'node:perf_hooks';

/**
 * One background check: returns or resolves to an optional detail for display; throws or rejects with the reason of a
 * failure.
 */
export type HealthCheck = () => Promise<string | undefined> | string | undefined;

/** Last known state of one check. */
export interface CheckReport {
  readonly status: 'ok' | 'failed' | 'pending';
  /** Time since the last result, in milliseconds; null before the first. */
  readonly ageMs: number | null;
  readonly detail?: string;
}

/** Status of a part in its own terms, for readiness. */
export interface NoticeReport {
  readonly status: string;
  readonly [detail: string]: unknown;
}

/** A part that reports its status in its own terms. */
export interface Notice {
  report(): NoticeReport;
  /** Whether the part makes the service unready. */
  isBlocking(): boolean;
}

/** Body of `/health/ready`. */
export interface HealthReport {
  readonly status: 'ok' | 'unavailable';
  readonly checks: Readonly<Record<string, CheckReport | NoticeReport>>;
  readonly draining?: true;
}

/** Settings of `createHealth`. */
export interface HealthSettings {
  /** Checks by name: store, migrations, keys, engine. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  /** Parts that report in their own terms, by name; they make the service unready only while `isBlocking`. */
  readonly notices?: Readonly<Record<string, Notice>>;
  /** Milliseconds of a monotonic clock, so that a clock step makes no result stale. */
  readonly now?: () => number;
  /** Time in milliseconds between runs of the checks; a check that is still running is not started again. */
  readonly intervalMs?: number;
  /** Maximum age of a result in milliseconds; an older one counts as failed, since the check hangs. */
  readonly staleAfterMs?: number;
  /** Called when `isReady` has changed. */
  readonly onChange?: (isReady: boolean, report: HealthReport) => void;
}

/** Readiness of a process, from checks that run in the background. */
export interface Health {
  /** Whether the process should receive requests: started, every check ok and fresh, not draining. */
  readonly isReady: boolean;
  /** Returns the last results; runs no check. */
  report(): HealthReport;
  /** Runs every check once, then periodically; readiness is false until the first run has passed. */
  start(): Promise<void>;
  /** Runs one check now, or all, independently of the timer. */
  refresh(name?: string): Promise<void>;
  /** Makes readiness false from now on, because a shutdown began. */
  setDraining(): void;
  /** Stops the background runs. */
  stop(): void;
}

const DEFAULT_INTERVAL_MS = 1000;
const DEFAULT_STALE_AFTER_MS = 10_000;

interface CheckState {
  readonly run: HealthCheck;
  result: { readonly isOk: boolean; readonly at: number; readonly detail: string | undefined } | undefined;
  running: Promise<void> | undefined;
}

/** Creates the readiness of a process; no check runs before `start`. */
export function createHealth(settings: HealthSettings): Health {
  const now = settings.now ?? (() => performance.now());
  const intervalMs = settings.intervalMs ?? DEFAULT_INTERVAL_MS;
  const staleAfterMs = settings.staleAfterMs ?? DEFAULT_STALE_AFTER_MS;
  const states = new Map<string, CheckState>(
    Object.entries(settings.checks).map(([name, run]) => [
      name,
      { run, result: undefined, running: undefined },
    ]),
  );
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isDraining = false;
  let wasReady = false;

  function reportOf(state: CheckState): CheckReport {
    if (state.result === undefined) return { status: 'pending', ageMs: null };
    const ageMs = Math.round(now() - state.result.at);
    const isStale = ageMs > staleAfterMs;
    const detail = isStale ? 'the check does not end' : state.result.detail;
    return {
      status: state.result.isOk && !isStale ? 'ok' : 'failed',
      ageMs,
      ...(detail === undefined ? {} : { detail }),
    };
  }

  function report(): HealthReport {
    const checks = Object.fromEntries([...states].map(([name, state]) => [name, reportOf(state)]));
    const notices = Object.entries(settings.notices ?? {});
    const isOk =
      isStarted &&
      !isDraining &&
      Object.values(checks).every((check) => check.status === 'ok') &&
      notices.every(([, notice]) => !notice.isBlocking());
    return {
      status: isOk ? 'ok' : 'unavailable',
      checks: { ...checks, ...Object.fromEntries(notices.map(([name, notice]) => [name, notice.report()])) },
      ...(isDraining ? { draining: true } : {}),
    };
  }

  function announce(): void {
    const current = report();
    const isReady = current.status === 'ok';
    if (isReady === wasReady) return;
    wasReady = isReady;
    settings.onChange?.(isReady, current);
  }

  function runCheck(state: CheckState): Promise<void> {
    state.running ??= execute(state).finally(() => {
      state.running = undefined;
    });
    return state.running;
  }

  async function execute(state: CheckState): Promise<void> {
    try {
      const detail = await state.run();
      state.result = { isOk: true, at: now(), detail };
    } catch (error) {
      const detail = error instanceof Error ? error.message : 'failed without an error';
      state.result = { isOk: false, at: now(), detail };
    }
  }

  async function refresh(name?: string): Promise<void> {
    const chosen =
      name === undefined ? [...states.values()] : [states.get(name)].filter((s) => s !== undefined);
    await Promise.all(chosen.map(runCheck));
    announce();
  }

  return {
    get isReady() {
      return report().status === 'ok';
    },
    report,
    refresh,
    async start() {
      timer ??= setInterval(() => {
        announce(); // before the run: a hanging check must not hide that another result became stale
        void refresh();
      }, intervalMs);
      timer.unref();
      isStarted = true;
      await refresh();
    },
    setDraining() {
      isDraining = true;
      announce();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
