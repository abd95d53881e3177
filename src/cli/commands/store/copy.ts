import type { StoreCopyReport } from '../../../storage/copy/copy-store.ts';
import { textTable } from '../../output/output.ts';
import { type FileProgress, fileProgress, onSignals } from '../../output/progress.ts';
import type { Command } from '../../program/command.ts';
import { refuseUnnamedStore } from '../../program/store-place.ts';
import { rowSummary } from './copy-watch.ts';

/** `store copy`: moves a store to another database. */
const storeCopy: Command = {
  path: ['store', 'copy'],
  summary: 'move a store to another database, of the same or another engine',
  details: `Copies every row from one address (libsql:<path> or postgres://...) to the other, reads the target back, and compares
counts and digests. Rows that the target has already are compared and not written again, so that a copy that was
interrupted, or made ahead, continues. The servers of both stores must be stopped; with --ahead the source may be in
service, and a later call without it copies what has changed. From the start of that call the source cannot be served,
and the target only from its end. A password that an address does not have is that of storage.password.`,
  options: [
    { flags: '--from <url>', description: 'the store to copy; by default that of storage.url' },
    {
      flags: '--to <url>',
      description: 'the target: empty, or an unfinished copy of the source',
      isRequired: true,
    },
    { flags: '--ahead', description: 'copy while the source is in service; neither check nor move' },
    {
      flags: '--keep-source',
      description: 'leave the source in service at the end, for a copy that no client uses',
    },
    { flags: '--quiet', description: 'no progress on standard error' },
  ],
  run: async (input, context) => {
    const { config } = await context.loadConfig();
    const { copyStore } = await import('../../../storage/copy/copy-store.ts');
    const from = input.option('from') ?? config.storage.url;
    const to = input.option('to') ?? '';
    if ([input.option('from'), to].some(hasPassword)) {
      context.note(
        'note: every user of this machine can read a password on the command line; set storage.password',
      );
    }
    const abort = new AbortController();
    const removeListeners = onSignals(() => abort.abort());
    const isAhead = input.has('ahead');
    let progress: FileProgress | undefined;
    try {
      const report = await copyStore({
        from,
        to,
        settings: config.storage,
        isAhead,
        keepsSource: input.has('keepSource'),
        onProgress: (rows, total) => {
          if (input.has('quiet')) return;
          progress ??= fileProgress('rows', total, context);
          progress.reach(rows, rows);
        },
        signal: abort.signal,
        now: context.now,
      });
      progress?.end();
      await context.print({ ...report, ahead: isAhead }, textOf(report, isAhead));
      return 0;
    } finally {
      progress?.end();
      removeListeners();
    }
  },
};

function hasPassword(url = ''): boolean {
  return /^postgres(ql)?:\/\/([^/@]*:[^/@]*@|.*[?&](ssl)?password=)/.test(url);
}

function textOf({ from, to, tables }: StoreCopyReport, isAhead: boolean): string {
  const counts = Object.fromEntries(tables.map(({ table, rows }) => [table, rows]));
  const used = tables.filter(({ rows, removed }) => rows + removed > 0);
  const end = isAhead
    ? 'copied ahead and not checked; run it again without --ahead when the servers of the source are stopped'
    : 'every table has the same rows in both';
  return [
    `${from} to ${to}: ${rowSummary(counts)}`,
    textTable(used, { table: 'table', rows: 'rows', added: 'added', removed: 'removed', digest: 'digest' }),
    end,
  ].join('\n');
}

/** `store reopen`: puts a store that was moved to another back into service, after confirmation. */
const storeReopen: Command = {
  path: ['store', 'reopen'],
  summary: 'put a store that `store copy` took out of service back into service',
  details: `For a move that is given up. What the other store has accepted since then is not in this one: nullifiers can be used
again. To move back without a loss, use \`proofgate store copy\` from the other store to this one.`,
  options: [{ flags: '--yes', description: 'do not ask' }],
  run: async (_input, context) => {
    const loaded = await context.loadConfig();
    refuseUnnamedStore(loaded);
    await context.confirm('Has no server used the store that this one was copied to?');
    const { reopenStore } = await import('../../../storage/copy/copy-store.ts');
    const isReopened = await reopenStore(loaded.config.storage);
    await context.print(
      { reopened: isReopened },
      isReopened ? 'the store is in service again' : 'the store was in service',
    );
    return 0;
  },
};

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [storeCopy, storeReopen];
