import type { BoardThread } from '../slots/worker-slots.ts';
import type { Performer } from './performer.ts';

/** How a thread drains. */
export interface DrainOptions {
  /** How long it sleeps for something new before it comes back; waking it costs less than giving it a task. */
  readonly lingerMs: number;
  /** Called before each look at the board; what it gives is awaited. */
  readonly ready: () => Promise<void> | undefined;
  /** Tells the main thread that batches have ended. */
  readonly ring: () => void;
}

/**
 * Takes tray after tray until none was open for a while, or the main thread calls a thread back. Between two batches
 * the thread does not return to its event loop, and it never comes back without having done a batch that lay open.
 */
export async function drainBoard(
  board: BoardThread,
  performer: Performer,
  { lingerMs, ready, ring }: DrainOptions,
): Promise<void> {
  for (;;) {
    const pause = ready() ?? performer.recover();
    if (pause) await pause;
    const { published } = board;
    const taken = board.take();
    if (taken) {
      performer.verify(taken, board);
      if (board.ring()) ring();
    }
    if (board.isCalled()) return;
    if (!taken && !board.wait(published, lingerMs)) return;
  }
}
