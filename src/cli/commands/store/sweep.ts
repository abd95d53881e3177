import type { Command } from '../../program/command.ts';

/** `sweep`: removes expired rows now, as every server does periodically. */
export const sweep: Command = {
  path: ['sweep'],
  summary: 'remove expired rows from the store',
  run: async (_input, context) => {
    const loaded = await context.loadConfig();
    return await context.withStore(loaded, async (store) => {
      const removed = await store.sweep(context.now(), loaded.config.storage.sweepBatchRows);
      const lines = Object.entries(removed).map(([table, rows]) => `${table}: ${rows} removed`);
      await context.print(
        { removed },
        lines.length === 0 ? 'no table has rows that expire' : lines.join('\n'),
      );
      return 0;
    });
  },
};
