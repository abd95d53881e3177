const NEWLINE = 0x0a;

/** Stands for a line that is longer than the limit; its text is dropped. */
export const LONG_LINE: unique symbol = Symbol('line over the limit');

/**
 * Splits bytes into lines of UTF-8 text without their line ends, in memory bounded by `limitBytes`. A leading BOM
 * is dropped; bytes that are not UTF-8 become U+FFFD.
 *
 * @param chunks - Buffers or texts, split anywhere.
 * @returns The lines in order, `LONG_LINE` in place of a line over the limit. An empty last line is left out.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
  limitBytes: number,
): AsyncGenerator<string | typeof LONG_LINE> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (): string | typeof LONG_LINE => {
    const line = size > limitBytes ? LONG_LINE : decode(parts);
    parts = [];
    size = 0;
    return line;
  };
  let isFirst = true;
  for await (const chunk of chunks) {
    let rest: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const part = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      if (size > 0 || end > limitBytes) {
        keep(part);
        yield withoutBom(take());
      } else yield withoutBom(decode([part]));
    }
    keep(rest);
  }
  if (size > 0) yield withoutBom(take());

  function keep(part: Uint8Array): void {
    size += part.length;
    if (size > limitBytes) parts = [];
    // Copied, since a stream may reuse its buffer.
    else if (part.length > 0) parts.push(Uint8Array.from(part));
  }

  function withoutBom(line: string | typeof LONG_LINE): string | typeof LONG_LINE {
    const wasFirst = isFirst;
    isFirst = false;
    return wasFirst && typeof line === 'string' && line.startsWith('\uFEFF') ? line.slice(1) : line;
  }
}

function decode(parts: readonly Uint8Array[]): string {
  const [first] = parts;
  const bytes =
    parts.length === 1 && first
      ? Buffer.from(first.buffer, first.byteOffset, first.length)
      : Buffer.concat(parts);
  const text = bytes.toString('utf8');
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
