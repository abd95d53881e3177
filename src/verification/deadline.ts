import { ServiceError } from '../errors/index.ts';

/**
 * Runs work that the time limit or a client that is gone ends; its own signal then fires, so that queued work is
 * dropped.
 *
 * @param caller - Fires when nobody waits for the answer any more.
 * @throws ServiceError `verify.deadline` after `limitMs`, `engine.cancelled` when `caller` fired, and what work throws
 */
export async function withDeadline<T>(
  limitMs: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let end: (error: ServiceError) => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = (error) => {
      controller.abort(error);
      reject(error);
    };
  });
  const onGone = (): void => end(new ServiceError('engine.cancelled', 'the client is gone'));
  const timer = setTimeout(() => end(new ServiceError('verify.deadline')), limitMs);
  caller.addEventListener('abort', onGone, { once: true });
  try {
    if (caller.aborted) onGone();
    return await Promise.race([ended, work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    caller.removeEventListener('abort', onGone);
  }
}
