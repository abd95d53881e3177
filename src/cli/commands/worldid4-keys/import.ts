import { importKeys } from '../../../membership/index.ts';
import { openLines } from '../../input/input-file.ts';
import { countingProgress } from '../../output/progress.ts';
import type { Command } from '../../program/command.ts';
import { ISSUERS, type KeyGroup, OPRF } from './key-group.ts';

function importCommand({ kind, word }: KeyGroup, summary: string): Command {
  return {
    path: [word, 'import'],
    summary,
    details: `A line is {"environment", "${kind.idMember}", "x", "y"}, as \`${word} list --json\` has them. The first invalid line is reported and nothing is imported. The same file can be imported again.`,
    arguments: [{ name: 'file', description: 'JSON Lines; - is standard input' }],
    options: [{ flags: '--quiet', description: 'no progress on standard error' }],
    run: async (input, context) => {
      const loaded = await context.loadConfig();
      const lines = await openLines(input.argument('file'), context);
      return await context.withStore(loaded, async (store) => {
        const counted = input.has('quiet') ? lines : countingProgress(lines, 'lines read', context);
        const { sources } = loaded.config.roots;
        const count = await importKeys(kind, store.worldId4Keys, counted, context.now(), sources);
        await context.print({ imported: count }, `imported ${count} key${count === 1 ? '' : 's'}`);
        return 0;
      });
    },
  };
}

/** `issuers import FILE`: adds the keys of a JSON Lines file in one transaction. */
export const issuersImport: Command = importCommand(
  ISSUERS,
  'add keys of World ID 4.0 credential issuers from JSON Lines, all or none',
);

/** `oprf-keys import FILE`: adds the keys of a JSON Lines file in one transaction. */
export const oprfKeysImport: Command = importCommand(
  OPRF,
  'add World ID 4.0 OPRF keys from JSON Lines, all or none',
);
