import type { LoadedConfig } from '../../../config/index.ts';
import { isServiceError } from '../../../errors/index.ts';
import type { MigrationStatus } from '../../../storage/index.ts';
import { isoTime } from '../../../text.ts';
import { textTable } from '../../output/output.ts';
import type { Command, CommandContext } from '../../program/command.ts';

/** `migrate status`: lists applied and pending migrations; exit code 1 when some are pending. */
export const migrateStatus: Command = {
  path: ['migrate', 'status'],
  summary: 'list the migrations; exit code 1 when some are pending',
  run: async (_input, context) => {
    const { applied, pending } = await statusOf(await context.loadConfig(), context);
    const migrations = [
      ...applied.map(({ version, name, appliedAt }) => ({
        version,
        name,
        applied_at: isoTime(appliedAt),
      })),
      ...pending.map(({ version, name }) => ({ version, name, applied_at: null })),
    ];
    const rows = migrations.map((row) => [String(row.version), row.name, row.applied_at ?? 'pending']);
    await context.print({ migrations }, textTable(['version', 'name', 'applied'], rows));
    return pending.length === 0 ? 0 : 1;
  },
};

/** Reads the status. If there is no store, all migrations are pending and a note says where it was expected. */
async function statusOf(loaded: LoadedConfig, context: CommandContext): Promise<MigrationStatus> {
  try {
    return await context.withStore(loaded, (store) => store.migrationStatus(), { anyVersion: true });
  } catch (error) {
    if (!isServiceError(error, 'store.absent')) throw error;
    context.note(`note: ${error.message}`);
    const { readMigrations } = await import('../../../storage/index.ts');
    return { applied: [], pending: readMigrations() };
  }
}
