import { rootLine } from '../../../membership/index.ts';
import { writeText } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

/** `roots export`: the registry as JSON Lines, which `roots import` takes. */
export const rootsExport: Command = {
  path: ['roots', 'export'],
  summary: 'print the Merkle roots as JSON Lines, as roots import takes them',
  run: async (_input, context) =>
    await context.withStore(await context.loadConfig(), async (store) => {
      for (const row of await store.roots.list()) {
        await writeText(context.stdout, `${rootLine(row)}\n`);
      }
      return 0;
    }),
};
