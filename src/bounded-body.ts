/**
 * Reads the body of a response as it arrives, so that one that is compressed well does not fill the memory.
 *
 * @param maxBytes - Most bytes, after decompression.
 * @returns undefined if the body is longer; the rest of it is then not read.
 */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Runs a request with a signal that aborts after a time, or when `stop` does.
 *
 * `AbortSignal.any` is not used: Node 20 keeps what that adds to a signal for as long as the signal lives.
 */
export async function withTimeLimit<T>(
  timeoutMs: number,
  stop: AbortSignal | undefined,
  run: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = (): void => limit.abort();
  const timer = setTimeout(end, timeoutMs);
  stop?.addEventListener('abort', end, { once: true });
  if (stop?.aborted === true) end();
  try {
    return await run(limit.signal);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', end);
  }
}
