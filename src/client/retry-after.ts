const DEFAULT_WAIT_SECONDS = 10;
/** A page that waits longer would seem stuck; the limits of the service are per minute. */
const MAX_WAIT_SECONDS = 60;
/** Requests that a limit may refuse before `fetchWithRetry` returns the refusal. */
const MAX_REFUSALS = 5;

/** Returns the `Retry-After` of a 429 or 503 in seconds, at most 60. */
export function retryAfterSeconds(headers: Headers): number {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds, MAX_WAIT_SECONDS) : DEFAULT_WAIT_SECONDS;
}

/**
 * Fetches; while the answer is 429, waits as requested and fetches again: a rate-limited request has had no effect.
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
