import { join, resolve } from 'node:path';
import type { LoadedConfig } from '../../../config/sources/loaded-config.ts';
import type { BackupReport } from '../../../storage/backup/back-up.ts';
import type { Replacement } from '../../../storage/backup/restore.ts';
import type { Bytes32 } from '../../../storage/values.ts';
import { messageOf } from '../../../text.ts';
import type { Command, CommandContext } from '../../program/command.ts';
import { explainAbsentStore, refuseUnnamedStore } from '../../program/store-place.ts';
import { mebibytes, rowSummary, watchedCopy } from './copy-watch.ts';

/** `backup FILE`: writes one consistent, checked copy of the store, while servers run. */
const backup: Command = {
  path: ['backup'],
  summary: 'copy the store into one file while servers run, and check the copy',
  details: `The file holds every change that was answered before the command began. It is checked (every page, row and index
entry, migrations, row counts) before it gets its name, has mode 0600, and is never partly written.
The store records when it was backed up, so that the servers' metrics can tell.
Not in the file: keys.masterKey and apps.secretHmacKey, without which its keys cannot be opened and its clients cannot
authenticate, the configuration, and what the development profile keeps in the data folder. Store those separately.`,
  arguments: [{ name: 'file', description: 'path of the backup, in an existing folder' }],
  options: [
    { flags: '--force', description: 'replace an existing file' },
    { flags: '--quiet', description: 'no progress on standard error' },
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    refuseUnnamedStore(loaded);
    const { backUpStore } = await import('../../../storage/backup/back-up.ts');
    const report = await explainAbsentStore(loaded, () =>
      watchedCopy(input, context, 'checking the copy', (watch) =>
        backUpStore({
          ...watch,
          storageUrl: loaded.config.storage.url,
          file: input.argument('file'),
          overwrites: input.has('force'),
        }),
      ),
    );
    const { file, bytes, sha256, rows, migrations } = report;
    await record(report, loaded, context);
    if (!input.has('quiet')) context.note(`note: ${keysApart(loaded)}`);
    await context.print(
      { file, bytes, sha256, rows, migrations, integrity: 'ok' },
      `${file}: ${mebibytes(bytes)}, intact, ${migrations.length} migrations, ${rowSummary(rows)}\nSHA-256 ${sha256}`,
    );
    return 0;
  },
};

/** Records the backup in the store. The file is complete, so that a failure is only told. */
async function record(
  { bytes, sha256 }: BackupReport,
  loaded: LoadedConfig,
  context: CommandContext,
): Promise<void> {
  const backup = { finishedAt: context.now(), bytes, sha256: Buffer.from(sha256, 'hex') as Bytes32 };
  try {
    await context.withStore(loaded, (store) => store.backups.record(backup), { anyVersion: true });
  } catch (error) {
    context.note(
      `warning: the store does not know of this backup, and its age cannot be watched: ${messageOf(error)}`,
    );
  }
}

/** Describes what a restore needs in addition to the file. */
function keysApart({ config }: LoadedConfig): string {
  if (config.keys.masterKey !== undefined) return 'keys.masterKey is not in the file; store it separately';
  return `the master key is not in the file; the development profile keeps it in ${join(resolve(config.dataDir), 'master-key')}`;
}

/** `restore FILE`: replaces the store with a backup, after confirmation. */
const restore: Command = {
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
    const { restoreStore } = await import('../../../storage/backup/restore.ts');
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

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [backup, restore];
