import type { Command } from '../../program/command.ts';

/** `migrate up`: brings the tables of the store up to date. */
export const migrateUp: Command = {
  path: ['migrate', 'up'],
  summary: 'apply pending migrations; creates the store if there is none',
  details:
    'Tells first what it will do, like `migrate status`. Unless that says that servers must be stopped, it is safe while\nservers of this or the former release run; of several commands at the same time, one does the work.',
  run: async (_input, context) =>
    await context.withStore(
      await context.loadConfig(),
      async (store) => {
        const { describePlan } = await import('../../../storage/index.ts');
        const before = await store.migrationPlan();
        for (const line of describePlan(before)) context.note(line);
        const after = await store.migrate();
        const done = before.migrations.map((migration) => migration.name);
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
