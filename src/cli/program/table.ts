import type { Command } from './command.ts';

/** The words of a command, and its loader. */
type Row = readonly [words: string, load: () => Promise<Command>];

/** Every command, in the order of the help. */
const ROWS: readonly Row[] = [
  ['serve', async () => (await import('../commands/service/serve.ts')).serve],
  ['init production', async () => (await import('../commands/init/init-production.ts')).initProduction],
  ['apps add', async () => (await import('../commands/apps/add.ts')).appsAdd],
  ['apps list', async () => (await import('../commands/apps/list.ts')).appsList],
  ['apps show', async () => (await import('../commands/apps/show.ts')).appsShow],
  ['apps update', async () => (await import('../commands/apps/update.ts')).appsUpdate],
  ['apps rotate-secret', async () => (await import('../commands/apps/rotate-secret.ts')).appsRotateSecret],
  ['apps remove-secret', async () => (await import('../commands/apps/remove-secret.ts')).appsRemoveSecret],
  ['apps enable', async () => (await import('../commands/apps/enable.ts')).appsEnable],
  ['apps disable', async () => (await import('../commands/apps/disable.ts')).appsDisable],
  ['apps remove', async () => (await import('../commands/apps/remove.ts')).appsRemove],
  ['keys list', async () => (await import('../commands/keys/list.ts')).keysList],
  ['keys rotate', async () => (await import('../commands/keys/rotate.ts')).keysRotate],
  ['keys remove', async () => (await import('../commands/keys/remove.ts')).keysRemove],
  ['keys export', async () => (await import('../commands/keys/export.ts')).keysExport],
  ['tokens introspect', async () => (await import('../commands/tokens/introspect.ts')).tokensIntrospect],
  ['tokens revoke', async () => (await import('../commands/tokens/revoke.ts')).tokensRevoke],
  ['refresh-tokens list', async () => (await import('../commands/refresh-tokens/list.ts')).refreshTokensList],
  [
    'refresh-tokens revoke',
    async () => (await import('../commands/refresh-tokens/revoke.ts')).refreshTokensRevoke,
  ],
  ['sessions list', async () => (await import('../commands/sessions/list.ts')).sessionsList],
  ['sessions revoke', async () => (await import('../commands/sessions/revoke.ts')).sessionsRevoke],
  ['vkey import', async () => (await import('../commands/vkey/import.ts')).vkeyImport],
  ['vkey list', async () => (await import('../commands/vkey/list.ts')).vkeyList],
  ['circuits setup', async () => (await import('../commands/circuits/setup.ts')).circuitsSetup],
  ['roots add', async () => (await import('../commands/roots/add.ts')).rootsAdd],
  ['roots list', async () => (await import('../commands/roots/list.ts')).rootsList],
  ['roots import', async () => (await import('../commands/roots/import.ts')).rootsImport],
  ['roots export', async () => (await import('../commands/roots/export.ts')).rootsExport],
  ['roots prune', async () => (await import('../commands/roots/prune.ts')).rootsPrune],
  ['roots sources list', async () => (await import('../commands/root-sources/list.ts')).rootSourcesList],
  ['roots sources check', async () => (await import('../commands/root-sources/check.ts')).rootSourcesCheck],
  ['roots sources reset', async () => (await import('../commands/root-sources/reset.ts')).rootSourcesReset],
  ['issuers add', async () => (await import('../commands/worldid4-keys/add.ts')).issuersAdd],
  ['issuers list', async () => (await import('../commands/worldid4-keys/list.ts')).issuersList],
  ['issuers import', async () => (await import('../commands/worldid4-keys/import.ts')).issuersImport],
  ['issuers remove', async () => (await import('../commands/worldid4-keys/remove.ts')).issuersRemove],
  ['oprf-keys add', async () => (await import('../commands/worldid4-keys/add.ts')).oprfKeysAdd],
  ['oprf-keys list', async () => (await import('../commands/worldid4-keys/list.ts')).oprfKeysList],
  ['oprf-keys import', async () => (await import('../commands/worldid4-keys/import.ts')).oprfKeysImport],
  ['oprf-keys remove', async () => (await import('../commands/worldid4-keys/remove.ts')).oprfKeysRemove],
  ['signups import', async () => (await import('../commands/signups/import.ts')).signupsImport],
  ['signups show', async () => (await import('../commands/signups/show.ts')).signupsShow],
  ['signups revoke', async () => (await import('../commands/signups/revoke.ts')).signupsRevoke],
  ['orb-keys import', async () => (await import('../commands/orb-keys/import.ts')).orbKeysImport],
  ['orb-keys list', async () => (await import('../commands/orb-keys/list.ts')).orbKeysList],
  ['orb-keys revoke', async () => (await import('../commands/orb-keys/revoke.ts')).orbKeysRevoke],
  ['refresh enable', async () => (await import('../commands/refresh/enable.ts')).refreshEnable],
  ['refresh disable', async () => (await import('../commands/refresh/disable.ts')).refreshDisable],
  ['credentials export', async () => (await import('../commands/credentials/export.ts')).credentialsExport],
  ['proof verify', async () => (await import('../commands/proof/verify.ts')).proofVerify],
  ['credential verify', async () => (await import('../commands/credentials/verify.ts')).credentialVerify],
  ['hash signal', async () => (await import('../commands/proof/hash-signal.ts')).hashSignalCommand],
  ['hash action', async () => (await import('../commands/proof/hash-action.ts')).hashActionCommand],
  ['login-demo', async () => (await import('../login-demo/login-demo.ts')).loginDemo],
  ['dev person create', async () => (await import('../commands/dev/person-create.ts')).devPersonCreate],
  ['dev person list', async () => (await import('../commands/dev/person-list.ts')).devPersonList],
  ['dev approve', async () => (await import('../commands/dev/approve.ts')).devApprove],
  ['dev prove', async () => (await import('../commands/dev/prove.ts')).devProve],
  ['dev prove-refresh', async () => (await import('../commands/dev/prove-refresh.ts')).devProveRefresh],
  ['dev worldid4 seed', async () => (await import('../commands/dev/worldid4-seed.ts')).devWorldId4Seed],
  ['config explain', async () => (await import('../commands/config/explain.ts')).configExplain],
  ['config schema', async () => (await import('../commands/config/schema.ts')).configSchema],
  ['openapi', async () => (await import('../commands/config/openapi.ts')).openapi],
  ['migrate up', async () => (await import('../commands/store/migrate-up.ts')).migrateUp],
  ['migrate status', async () => (await import('../commands/store/migrate-status.ts')).migrateStatus],
  ['backup', async () => (await import('../commands/store/backup.ts')).backup],
  ['restore', async () => (await import('../commands/store/restore.ts')).restore],
  ['store copy', async () => (await import('../commands/store/copy.ts')).storeCopy],
  ['store reopen', async () => (await import('../commands/store/reopen.ts')).storeReopen],
  ['nodes list', async () => (await import('../commands/store/nodes-list.ts')).nodesList],
  ['admin-tokens add', async () => (await import('../commands/admin-tokens/add.ts')).adminTokensAdd],
  ['admin-tokens list', async () => (await import('../commands/admin-tokens/list.ts')).adminTokensList],
  ['admin-tokens revoke', async () => (await import('../commands/admin-tokens/revoke.ts')).adminTokensRevoke],
  ['audit list', async () => (await import('../commands/audit/list.ts')).auditList],
  ['audit export', async () => (await import('../commands/audit/export.ts')).auditExport],
  ['audit verify', async () => (await import('../commands/audit/verify.ts')).auditVerify],
  ['webhooks list', async () => (await import('../commands/webhooks/list.ts')).webhooksList],
  ['webhooks resend', async () => (await import('../commands/webhooks/resend.ts')).webhooksResend],
  ['webhooks test', async () => (await import('../commands/webhooks/test.ts')).webhooksTest],
  ['sweep', async () => (await import('../commands/store/sweep.ts')).sweep],
  ['doctor', async () => (await import('../doctor/doctor.ts')).doctor],
  ['completion', loadCompletion],
  ['healthcheck', async () => (await import('../commands/service/healthcheck.ts')).healthcheck],
];

let completion: Command | undefined;

/** Loads the completion command, which lists all others. */
async function loadCompletion(): Promise<Command> {
  const { completionCommand } = await import('../commands/completion/completion.ts');
  completion ??= completionCommand(loadAllCommands);
  return completion;
}

/** Loads every command. */
export async function loadAllCommands(): Promise<readonly Command[]> {
  return await Promise.all(ROWS.map(([, load]) => load()));
}

/** A command, or the first word of a group whose commands are not loaded. */
export type TableEntry = Command | string;

/**
 * Loads the commands that an argument list may mean: those that begin with its first word. If no command does, the entries
 * are those of the help: commands of one word, and the names of groups. Loading the dependencies of every command would take
 * longer than most commands run.
 */
export async function loadCommands(argv: readonly string[]): Promise<readonly TableEntry[]> {
  const first = argv.find((word) => word !== 'help' && !word.startsWith('-'));
  const firstOf = (words: string): string => words.split(' ')[0] ?? words;
  const matching = ROWS.filter(([words]) => firstOf(words) === first);
  if (matching.length > 0) return await Promise.all(matching.map(([, load]) => load()));
  const entries = ROWS.map(([words, load]) => (words.includes(' ') ? firstOf(words) : load()));
  return await Promise.all([...new Set(entries)]);
}
