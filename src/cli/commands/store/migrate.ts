import type { LoadedConfig } from '../../../config/sources/loaded-config.ts';
import { isServiceError } from '../../../errors/service-error.ts';
import type { MigrationStatus } from '../../../storage/migrations/migrate.ts';
import type { MigrationPlan } from '../../../storage/migrations/plan.ts';
import { isoTime } from '../../../text.ts';
import { textTable } from '../../output/output.ts';
import type { Command, CommandContext } from '../../program/command.ts';

/** `migrate up`: brings the tables of the store up to date. */
const migrateUp: Command = {
  path: ['migrate', 'up'],
  summary: 'apply pending migrations; creates the store if there is none',
  details:
    'Tells first what it will do, like `migrate status`. Unless that says that servers must be stopped, it is safe while\nservers of this or the former release run; of several commands at the same time, one does the work.',
  run: async (_input, context) =>
    await context.withStore(
      await context.loadConfig(),
      async (store) => {
        const { describePlan } = await import('../../../storage/migrations/describe-plan.ts');
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

/** `migrate status`: lists applied and pending migrations, and what the pending ones will do. */
const migrateStatus: Command = {
  path: ['migrate', 'status'],
  summary: 'list the migrations and what the pending ones will do; exit code 1 when some are pending',
  details:
    'Of a pending migration it tells the tables that it changes with their present number of rows, what waits\nmeanwhile, how long it may take, and whether the former release can start on the store afterwards.',
  run: async (_input, context) => {
    const { status, plan } = await stateOf(await context.loadConfig(), context);
    const { applied, pending } = status;
    const migrations = [
      ...applied.map(({ version, name, appliedAt }) => ({
        version,
        name,
        applied_at: isoTime(appliedAt),
      })),
      ...pending.map(({ version, name }) => ({ version, name, applied_at: null })),
    ];
    const table = textTable(migrations, {
      version: 'version',
      name: 'name',
      applied: ({ applied_at }) => applied_at ?? 'pending',
    });
    const { describePlan, planToJson } = await import('../../../storage/migrations/describe-plan.ts');
    const description = describePlan(plan);
    const text = [table, ...description].join('\n');
    await context.print({ migrations, plan: planToJson(plan) }, text);
    return pending.length === 0 ? 0 : 1;
  },
};

interface State {
  readonly status: MigrationStatus;
  readonly plan: MigrationPlan;
}

/** Reads the state. If there is no store, all migrations are pending and a note contains its expected location. */
async function stateOf(loaded: LoadedConfig, context: CommandContext): Promise<State> {
  try {
    return await context.withStore(
      loaded,
      async (store) => ({ status: await store.migrationStatus(), plan: await store.migrationPlan() }),
      { anyVersion: true },
    );
  } catch (error) {
    if (!isServiceError(error, 'store.absent')) throw error;
    context.note(`note: ${error.message}`);
    const { planMigrations } = await import('../../../storage/migrations/plan.ts');
    const { readMigrations } = await import('../../../storage/migrations/migration-files.ts');
    const migrations = readMigrations();
    const status = { applied: [], pending: migrations };
    return { status, plan: await planMigrations(undefined, migrations, status) };
  }
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [migrateUp, migrateStatus];
