import type { Readable } from 'node:stream';
import { importRoots, LONG_LINE, readLines } from '../../../membership/index.ts';
import { openInput } from '../../input/input-file.ts';
import { countingProgress } from '../../output/progress.ts';
import type { Command } from '../../program/command.ts';
import { rootRules } from './add.ts';

const LINE_LIMIT_BYTES = 65_536;

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  for await (const line of readLines(stream, LINE_LIMIT_BYTES)) {
    // No exported line is that long. The yielded text is not JSON, so it is refused with its line number.
    yield line === LONG_LINE ? 'a line over the limit' : line;
  }
}

/** `roots import FILE`: adds the roots of a JSON Lines file in one transaction. */
export const rootsImport: Command = {
  path: ['roots', 'import'],
  summary: 'add Merkle roots from JSON Lines, all or none',
  details:
    'A line is {"environment", "tree", "root", "received_at", "superseded_at", "key"}. The first invalid line is reported and nothing is imported. The same file can be imported again.',
  arguments: [{ name: 'file', description: 'JSON Lines; - is standard input' }],
  options: [{ flags: '--quiet', description: 'no progress on standard error' }],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    const stream = await openInput(input.argument('file'), context);
    return await context.withStore(loaded, async (store) => {
      const lines = linesOf(stream);
      const counted = input.has('quiet') ? lines : countingProgress(lines, 'lines read', context);
      const count = await importRoots(store.roots, counted, rootRules(loaded, store), context.now());
      await context.print({ imported: count }, `imported ${count} root${count === 1 ? '' : 's'}`);
      return 0;
    });
  },
};
