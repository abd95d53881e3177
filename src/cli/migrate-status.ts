import type { Command } from './command.ts';
import { isoTime } from './iso-time.ts';
import { textTable } from './output.ts';

/** `migrate status`: which migrations are applied; exit code 1 when some are pending. */
export const migrateStatus: Command = {
  path: ['migrate', 'status'],
  summary: 'list the migrations; exit code 1 when some are pending',
  run: async (_input, context) =>
    await context.withStore(
      await context.loadConfig(),
      async (store) => {
        const { applied, pending } = await store.migrationStatus();
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
      { anyVersion: true },
    ),
};
