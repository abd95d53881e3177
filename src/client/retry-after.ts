const DEFAULT_WAIT_SECONDS = 10;
/** A page that waits for longer would seem stuck; the limits of the service count per minute. */
const MAX_WAIT_SECONDS = 60;
/** Requests that a limit may refuse before `fetchWithRetry` returns the refusal. */
const MAX_REFUSALS = 5;

/** Returns the seconds that a 429 or 503 asks to wait, at most a minute. */
export function retryAfterSeconds(headers: Headers): number {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds, MAX_WAIT_SECONDS) : DEFAULT_WAIT_SECONDS;
}

/**
 * Fetches, and while the answer is 429 waits as it asks and fetches again: a request beyond a rate limit had no
 * effect.
 *
 * @param send - Sends the request; called again for each attempt.
 * @param onWait - Called before each wait.
 */
export async function fetchWithRetry(
  send: () => Promise<Response>,
  onWait: () => void = () => undefined,
): Promise<Response> {
  for (let refusals = 1; ; refusals++) {
    const response = await send();
    if (response.status !== 429 || refusals > MAX_REFUSALS) return response;
    onWait();
    const delayMs = retryAfterSeconds(response.headers) * 1000;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}
