import type { Command } from '../../program/command.ts';

/** `migrate up`: brings the tables of the store up to date. */
export const migrateUp: Command = {
  path: ['migrate', 'up'],
  summary: 'apply the migrations that are pending; makes a store where there is none',
  details:
    'Safe while servers of this or the previous release run; of several that start at once one does the work.',
  run: async (_input, context) =>
    await context.withStore(
      await context.loadConfig(),
      async (store) => {
        const before = await store.migrationStatus();
        const after = await store.migrate();
        const done = before.pending.map((migration) => migration.name);
        const text = done.length === 0 ? 'nothing pending' : `applied ${done.join(', ')}`;
        await context.print(
          { applied: done, pending: after.pending.map((migration) => migration.name) },
          text,
        );
        return after.pending.length === 0 ? 0 : 1;
      },
      { anyVersion: true, creates: true },
    ),
};
