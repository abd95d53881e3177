import type { EngineSettings } from '../../engine/engine.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';

/** A stage of the setup. Times come from one measured run; only their ratios matter. */
export interface SetupStage {
  /** Seconds from the start of the setup to the start of the stage. */
  readonly seconds: number;
  /** Seconds from the start of the setup to the end of the stage. */
  readonly nextSeconds: number;
  /** Description of the work, for display. */
  readonly what: string;
}

/** Running the compiler. */
export const COMPILING: SetupStage = { seconds: 0, nextSeconds: 5, what: 'compiling the circuit' };
/** Evaluating the polynomials and computing the points. */
export const COMPUTING: SetupStage = { seconds: 5, nextSeconds: 6.5, what: 'computing the proving key' };
/** Writing the files. */
export const WRITING: SetupStage = { seconds: 6.5, nextSeconds: 7, what: 'writing the proving key' };

/** Duration of the whole setup in the measured run, on two cores. */
export const SETUP_SECONDS: number = WRITING.nextSeconds;

/**
 * Estimates the completed share of a setup, from 0 to 1. The estimate approaches the start of the next stage and never
 * passes it, for any duration of the current stage.
 *
 * @param elapsedSeconds - Since the stage began.
 */
export function shareDone({ seconds, nextSeconds }: SetupStage, elapsedSeconds: number): number {
  const usual = nextSeconds - seconds;
  return (seconds + usual * (1 - Math.exp(-elapsedSeconds / usual))) / SETUP_SECONDS;
}

/** Message of the service to the process that builds the circuit. */
export interface SetupJob {
  readonly dataDir: string;
  readonly engine: EngineSettings;
}

/** Message of that process to the service. */
export type SetupMessage =
  /** `workFolder` contains the partial files, to be removed if the process is killed. */
  | { readonly kind: 'stage'; readonly stage: SetupStage; readonly workFolder: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly reason: string };
