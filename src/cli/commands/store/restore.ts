import type { Replacement } from '../../../storage/index.ts';
import type { Command, CommandContext } from '../../program/command.ts';
import { refuseUnnamedStore } from '../../program/store-place.ts';
import { rowSummary, watchedCopy } from './copy-watch.ts';

/** `restore FILE`: replaces the store with a backup, after confirmation. */
export const restore: Command = {
  path: ['restore'],
  summary: 'replace the store with a backup; its present file is kept under another name',
  details: `Refused while a server or any other process has the store open, and for a backup of a newer release. The backup is
checked before and after. The process may be killed at any time: the store is then the former one or the restored one.
Changes after the backup are lost: nullifiers that were recorded since then can be used again, and keys, secrets and
tokens that were removed since then are back.`,
  arguments: [{ name: 'file', description: 'a file that `proofgate backup` wrote' }],
  options: [
    { flags: '--yes', description: 'do not ask before a store is replaced' },
    { flags: '--quiet', description: 'no progress on standard error' },
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    refuseUnnamedStore(loaded);
    const { restoreStore } = await import('../../../storage/index.ts');
    const file = input.argument('file');
    const report = await watchedCopy(input, context, 'checking the backup', (watch) =>
      restoreStore({
        ...watch,
        file,
        storageUrl: loaded.config.storage.url,
        dataDir: loaded.config.dataDir,
        confirm: (replacement) => confirmReplacement(file, replacement, context),
        now: context.now(),
      }),
    );
    const { path, replaced, sha256, rows, migrations, pending } = report;
    if (!input.has('quiet')) {
      if (pending.length > 0) context.note(`note: migrations are pending: ${pending.join(', ')}`);
      context.note('note: `proofgate doctor` says whether keys.masterKey opens its keys');
    }
    await context.print(
      { store: path, replaced: replaced ?? null, sha256, rows, migrations, pending, integrity: 'ok' },
      [
        `restored ${path}: ${rowSummary(rows)}`,
        `SHA-256 of the backup ${sha256}`,
        ...(replaced === undefined ? [] : [`the former file is ${replaced}`]),
      ].join('\n'),
    );
    return 0;
  },
};

async function confirmReplacement(
  file: string,
  { path, present, backup }: Replacement,
  context: CommandContext,
): Promise<void> {
  const former = present === undefined ? 'cannot be read' : rowSummary(present);
  const lost = (present?.nullifiers ?? 0) - (backup.nullifiers ?? 0);
  const loss = lost > 0 ? ` ${lost} nullifiers fewer: those people can prove themselves again.` : '';
  await context.confirm(
    `Replace ${path} (${former}) with ${file} (${rowSummary(backup)})?${loss} The present file is kept under another name.`,
  );
}
