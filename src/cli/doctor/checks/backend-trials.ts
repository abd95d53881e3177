import { type BackendChoice, SHIPPED_CHOICES } from '../../../engine/backends/backend.ts';
import { BackendUnavailable } from '../../../engine/backends/choose-backend.ts';
import { answersOf, type BackendAnswers } from '../../../engine/backends/compare-backends.ts';
import type { EngineSettings } from '../../../engine/engine.ts';
import { messageOf } from '../../../text.ts';
import type { CommandContext } from '../../program/command.ts';

/** Result of trying one arithmetic on this machine: its answers if it passes its vectors, or a problem. */
export interface Trial {
  readonly choice: BackendChoice;
  readonly problem?: string;
  /** Whether it runs on this machine and fails its vectors. */
  readonly isFaulty?: boolean;
  readonly answers?: BackendAnswers;
}

/** Returns settings of an engine that runs in this thread, to try one backend. */
export function inThread(backend: BackendChoice): EngineSettings {
  return { workers: 0, backend, maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 };
}

async function tryChoice(choice: BackendChoice, context: CommandContext): Promise<Trial> {
  try {
    return { choice, answers: await context.withEngine(inThread(choice), answersOf) };
  } catch (error) {
    const isFaulty = error instanceof BackendUnavailable && error.faulty.length > 0;
    return { choice, problem: messageOf(error), isFaulty };
  }
}

/** Tries each arithmetic, the preferred ones first. */
export async function tryBackends(context: CommandContext): Promise<Trial[]> {
  const trials: Trial[] = [];
  for (const choice of SHIPPED_CHOICES) trials.push(await tryChoice(choice, context));
  return trials;
}
