import type { Overload, OverloadCause } from '../../http/limits/overload.ts';
import type { HealthChecks, Part } from '../lifecycle.ts';
import { healthOf, reasonsOf } from './health.ts';

/** Status of a front end for the readiness of the service; can be posted to the main thread. */
export interface FrontEndState {
  /** Whether its checks pass. */
  readonly isReady: boolean;
  /** The failing checks. */
  readonly reason: string;
  /** Causes for which it refuses requests of every client. */
  readonly overload: readonly OverloadCause[];
}

const INTERVAL_MS = 1000;

/**
 * Returns the readiness of a front end as a part, which reports to the main thread: a lost check and the begin of an
 * overload at once, the end of an overload within a second.
 *
 * @param checks - Checks of the parts of the front end; notices are those of the main thread.
 */
export function frontEndHealthPart(
  checks: HealthChecks,
  overload: Pick<Overload, 'causes' | 'onBegin'>,
  report: (state: FrontEndState) => void,
): Part {
  let reported = '';
  const send = (): void => {
    const current = health.report();
    const isReady = current.status === 'ok';
    const state = { isReady, reason: isReady ? '' : reasonsOf(current), overload: overload.causes };
    const text = JSON.stringify(state);
    if (text === reported) return;
    reported = text;
    report(state);
  };
  const health = healthOf(checks, send);
  overload.onBegin = send;
  let timer: NodeJS.Timeout | undefined;
  return {
    name: 'health',
    async start() {
      await health.start();
      send();
      timer = setInterval(send, INTERVAL_MS).unref();
    },
    stop() {
      clearInterval(timer);
      health.stop();
    },
  };
}

/** What follows the end of a front end: another start, or none. */
export type AfterEnd = 'restarting' | 'given up';

/** The front ends of the process as the main thread knows them. */
export interface FrontEndStates extends Part {
  /** Records what a front end reported, by its number from 1. */
  report(frontEnd: number, state: FrontEndState): void;
  /** Records that a front end has ended. */
  ended(frontEnd: number, next: AfterEnd): void;
}

/**
 * Creates the states of several front ends, with their readiness check and metrics. The check fails while none is ready;
 * like that of the engine it passes while some are missing, which its detail and the metrics show.
 *
 * @param overload - Overload of the service, to which those of the front ends are added.
 */
export function createFrontEndStates(configured: number, overload: Pick<Overload, 'report'>): FrontEndStates {
  /** Front ends that are not ready, with the reason. */
  const missing = new Map<number, string>();
  for (let frontEnd = 1; frontEnd <= configured; frontEnd++) missing.set(frontEnd, 'starting');
  let restarts = 0;
  return {
    name: 'front ends',
    report(frontEnd, state) {
      if (state.isReady) missing.delete(frontEnd);
      else missing.set(frontEnd, state.reason);
      overload.report(nameOf(frontEnd), state.overload);
    },
    ended(frontEnd, next) {
      missing.set(frontEnd, next);
      overload.report(nameOf(frontEnd), []);
      if (next === 'restarting') restarts++;
    },
    health: {
      front_ends() {
        const ready = configured - missing.size;
        const reasons = [...missing].map(([frontEnd, reason]) => `${nameOf(frontEnd)}: ${reason}`);
        const detail = [`${ready} of ${configured} ready`, ...reasons].join('; ');
        if (ready === 0) throw new Error(detail);
        return detail;
      },
    },
    metrics({ frontEnds, frontEndRestartsTotal }) {
      frontEnds.set({ state: 'configured' }, configured);
      frontEnds.set({ state: 'ready' }, configured - missing.size);
      frontEndRestartsTotal.reset();
      frontEndRestartsTotal.inc(restarts);
    },
  };
}

function nameOf(frontEnd: number): string {
  return `front end ${frontEnd}`;
}
