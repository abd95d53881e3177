import type { EngineSettings } from '../../engine/index.ts';
import type { ErrorCode } from '../../errors/index.ts';

/** A stage of the setup. Seconds are those of one measured run; only their ratios matter. */
export interface SetupStage {
  /** Where the stage begins. */
  readonly seconds: number;
  /** Where the next one begins. */
  readonly nextSeconds: number;
  /** What is being done, for people. */
  readonly what: string;
}

/** The compiler runs. */
export const COMPILING: SetupStage = { seconds: 0, nextSeconds: 5, what: 'compiling the circuit' };
/** The polynomials are evaluated, and the points computed. */
export const COMPUTING: SetupStage = { seconds: 5, nextSeconds: 6.5, what: 'computing the proving key' };
/** The files are written. */
export const WRITING: SetupStage = { seconds: 6.5, nextSeconds: 7, what: 'writing the proving key' };

/** Seconds of the whole setup in the measured run, on two cores. */
export const SETUP_SECONDS: number = WRITING.nextSeconds;

/**
 * Estimates which share of a setup is done, from 0 to 1: it nears the next stage and does not pass it, however long the
 * present one takes.
 *
 * @param elapsedSeconds - Since the stage began.
 */
export function shareDone({ seconds, nextSeconds }: SetupStage, elapsedSeconds: number): number {
  const usual = nextSeconds - seconds;
  return (seconds + usual * (1 - Math.exp(-elapsedSeconds / usual))) / SETUP_SECONDS;
}

/** What the service tells the process that makes the circuit. */
export interface SetupJob {
  readonly dataDir: string;
  readonly engine: EngineSettings;
}

/** What that process answers. */
export type SetupMessage =
  /** `workFolder`: what has been made so far, to be removed if the process is killed. */
  | { readonly kind: 'stage'; readonly stage: SetupStage; readonly workFolder: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly reason: string };
