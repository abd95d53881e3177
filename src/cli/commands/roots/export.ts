import { rootLine } from '../../../membership/index.ts';
import { writeText } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

/** `roots export`: prints the registry as JSON Lines in the format of `roots import`. */
export const rootsExport: Command = {
  path: ['roots', 'export'],
  summary: 'print the Merkle roots as JSON Lines, in the format of roots import',
  run: async (_input, context) =>
    await context.withStore(await context.loadConfig(), async (store) => {
      for (const row of await store.roots.list()) {
        await writeText(context.stdout, `${rootLine(row)}\n`);
      }
      return 0;
    }),
};
