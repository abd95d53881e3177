import { importRoots } from '../../../membership/index.ts';
import { openLines } from '../../input/input-file.ts';
import { countingProgress } from '../../output/progress.ts';
import type { Command } from '../../program/command.ts';
import { rootRules } from './add.ts';

/** `roots import FILE`: adds the roots of a JSON Lines file in one transaction. */
export const rootsImport: Command = {
  path: ['roots', 'import'],
  summary: 'add Merkle roots from JSON Lines, all or none',
  details:
    'A line is {"environment", "tree", "root", "received_at", "superseded_at", "key"}. The first invalid line is reported and nothing is imported. The same file can be imported again. On a tree with a source each line needs superseded_at.',
  arguments: [{ name: 'file', description: 'JSON Lines; - is standard input' }],
  options: [{ flags: '--quiet', description: 'no progress on standard error' }],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    const lines = await openLines(input.argument('file'), context);
    return await context.withStore(loaded, async (store) => {
      const counted = input.has('quiet') ? lines : countingProgress(lines, 'lines read', context);
      const count = await importRoots(store.roots, counted, rootRules(loaded, store), context.now());
      await context.print({ imported: count }, `imported ${count} root${count === 1 ? '' : 's'}`);
      return 0;
    });
  },
};
