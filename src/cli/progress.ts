import type { CommandContext } from './command.ts';

const INTERVAL_MS = 1000;

/**
 * Passes items on and writes once a second to stderr how many there were and how many a second. On a terminal the
 * line is written over itself. A task that ends within a second writes nothing.
 */
export async function* countingProgress<T>(
  items: AsyncIterable<T>,
  what: string,
  { stderr, now }: Pick<CommandContext, 'stderr' | 'now'>,
): AsyncGenerator<T> {
  const isTerminal = 'isTTY' in stderr && stderr.isTTY === true;
  const start = now();
  let last = start;
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    const time = now();
    if (time - last >= INTERVAL_MS) {
      last = time;
      const line = `${count} ${what}, ${Math.round((count * 1000) / (time - start))}/s`;
      stderr.write(isTerminal ? `\r${line}\u001b[K` : `${line}\n`);
    }
  }
  if (isTerminal && last > start) {
    stderr.write('\n');
  }
}
