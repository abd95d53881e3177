/** Name of a thread in the label `thread` of metrics; front ends count from 1. */
export type ThreadName = 'main' | `front_end_${number}`;

/** Time in milliseconds that a thread has to answer the main thread, far below the limit of a scrape. */
const ANSWER_LIMIT_MS = 1000;

/** Waits at most `limitMs` for an answer of a thread; undefined if it is late or the thread has ended. Never rejects. */
export async function answerOf<T>(
  answer: Promise<T>,
  limitMs: number = ANSWER_LIMIT_MS,
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limitMs, undefined);
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    return undefined; // The supervisor of the threads reports why one has ended.
  } finally {
    clearTimeout(timer);
  }
}
