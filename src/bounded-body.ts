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
