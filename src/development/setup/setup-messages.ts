import type { EngineSettings } from '../../engine/index.ts';
import type { ErrorCode } from '../../errors/index.ts';
import type { SetupStage } from './stages.ts';

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
