import type { Command } from './command.ts';

/** The words of a command, and its loader. */
type Row = readonly [words: string, load: () => Promise<Command>];

/** Every command, in the order of the help. */
const ROWS: readonly Row[] = [
  ['serve', async () => (await import('../commands/service/serve.ts')).serve],
  ['init production', async () => (await import('../commands/init/init-production.ts')).initProduction],
  ['apps add', async () => (await import('../commands/apps.ts')).appsAdd],
  ['apps list', async () => (await import('../commands/apps.ts')).appsList],
  ['apps show', async () => (await import('../commands/apps.ts')).appsShow],
  ['apps update', async () => (await import('../commands/apps.ts')).appsUpdate],
  ['apps rotate-secret', async () => (await import('../commands/apps.ts')).appsRotateSecret],
  ['apps remove-secret', async () => (await import('../commands/apps.ts')).appsRemoveSecret],
  ['apps enable', async () => (await import('../commands/apps.ts')).appsEnable],
  ['apps disable', async () => (await import('../commands/apps.ts')).appsDisable],
  ['apps remove', async () => (await import('../commands/apps.ts')).appsRemove],
  ['keys list', async () => (await import('../commands/keys.ts')).keysList],
  ['keys rotate', async () => (await import('../commands/keys.ts')).keysRotate],
  ['keys remove', async () => (await import('../commands/keys.ts')).keysRemove],
  ['keys export', async () => (await import('../commands/keys.ts')).keysExport],
  ['tokens introspect', async () => (await import('../commands/tokens/introspect.ts')).tokensIntrospect],
  ['tokens revoke', async () => (await import('../commands/tokens/revoke.ts')).tokensRevoke],
  ['refresh-tokens list', async () => (await import('../commands/refresh-tokens.ts')).refreshTokensList],
  ['refresh-tokens revoke', async () => (await import('../commands/refresh-tokens.ts')).refreshTokensRevoke],
  ['sessions list', async () => (await import('../commands/sessions.ts')).sessionsList],
  ['sessions revoke', async () => (await import('../commands/sessions.ts')).sessionsRevoke],
  ['vkey import', async () => (await import('../commands/vkey.ts')).vkeyImport],
  ['vkey list', async () => (await import('../commands/vkey.ts')).vkeyList],
  ['circuits setup', async () => (await import('../commands/circuits-setup.ts')).circuitsSetup],
  ['roots add', async () => (await import('../commands/roots.ts')).rootsAdd],
  ['roots list', async () => (await import('../commands/roots.ts')).rootsList],
  ['roots import', async () => (await import('../commands/roots.ts')).rootsImport],
  ['roots export', async () => (await import('../commands/roots.ts')).rootsExport],
  ['roots prune', async () => (await import('../commands/roots.ts')).rootsPrune],
  ['roots sources list', async () => (await import('../commands/root-sources.ts')).rootSourcesList],
  ['roots sources check', async () => (await import('../commands/root-sources-check.ts')).rootSourcesCheck],
  ['roots sources reset', async () => (await import('../commands/root-sources.ts')).rootSourcesReset],
  ['issuers add', async () => (await import('../commands/worldid4-keys.ts')).issuersAdd],
  ['issuers list', async () => (await import('../commands/worldid4-keys.ts')).issuersList],
  ['issuers import', async () => (await import('../commands/worldid4-keys.ts')).issuersImport],
  ['issuers remove', async () => (await import('../commands/worldid4-keys.ts')).issuersRemove],
  ['oprf-keys add', async () => (await import('../commands/worldid4-keys.ts')).oprfKeysAdd],
  ['oprf-keys list', async () => (await import('../commands/worldid4-keys.ts')).oprfKeysList],
  ['oprf-keys import', async () => (await import('../commands/worldid4-keys.ts')).oprfKeysImport],
  ['oprf-keys remove', async () => (await import('../commands/worldid4-keys.ts')).oprfKeysRemove],
  ['signups import', async () => (await import('../commands/signups.ts')).signupsImport],
  ['signups show', async () => (await import('../commands/signups.ts')).signupsShow],
  ['signups revoke', async () => (await import('../commands/signups.ts')).signupsRevoke],
  ['orb-keys import', async () => (await import('../commands/orb-keys.ts')).orbKeysImport],
  ['orb-keys list', async () => (await import('../commands/orb-keys.ts')).orbKeysList],
  ['orb-keys revoke', async () => (await import('../commands/orb-keys.ts')).orbKeysRevoke],
  ['refresh enable', async () => (await import('../commands/control.ts')).refreshEnable],
  ['refresh disable', async () => (await import('../commands/control.ts')).refreshDisable],
  ['credentials export', async () => (await import('../commands/credentials-export.ts')).credentialsExport],
  ['proof verify', async () => (await import('../commands/proof-verify.ts')).proofVerify],
  ['credential verify', async () => (await import('../commands/credential-verify.ts')).credentialVerify],
  ['hash signal', async () => (await import('../commands/hash.ts')).hashSignalCommand],
  ['hash action', async () => (await import('../commands/hash.ts')).hashActionCommand],
  ['login-demo', async () => (await import('../login-demo/login-demo.ts')).loginDemo],
  ['dev person create', async () => (await import('../commands/dev/person-create.ts')).devPersonCreate],
  ['dev person list', async () => (await import('../commands/dev/person-list.ts')).devPersonList],
  ['dev approve', async () => (await import('../commands/dev/approve.ts')).devApprove],
  ['dev prove', async () => (await import('../commands/dev/prove.ts')).devProve],
  ['dev prove-refresh', async () => (await import('../commands/dev/prove-refresh.ts')).devProveRefresh],
  ['dev worldid4 seed', async () => (await import('../commands/dev/worldid4-seed.ts')).devWorldId4Seed],
  ['config explain', async () => (await import('../commands/config.ts')).configExplain],
  ['config schema', async () => (await import('../commands/config.ts')).configSchema],
  ['openapi', async () => (await import('../commands/config.ts')).openapi],
  ['migrate up', async () => (await import('../commands/store/migrate.ts')).migrateUp],
  ['migrate status', async () => (await import('../commands/store/migrate.ts')).migrateStatus],
  ['backup', async () => (await import('../commands/store/backup.ts')).backup],
  ['restore', async () => (await import('../commands/store/backup.ts')).restore],
  ['store copy', async () => (await import('../commands/store/copy.ts')).storeCopy],
  ['store reopen', async () => (await import('../commands/store/copy.ts')).storeReopen],
  ['nodes list', async () => (await import('../commands/store/nodes-list.ts')).nodesList],
  ['admin-tokens add', async () => (await import('../commands/admin-tokens.ts')).adminTokensAdd],
  ['admin-tokens list', async () => (await import('../commands/admin-tokens.ts')).adminTokensList],
  ['admin-tokens revoke', async () => (await import('../commands/admin-tokens.ts')).adminTokensRevoke],
  ['audit list', async () => (await import('../commands/audit.ts')).auditList],
  ['audit export', async () => (await import('../commands/audit.ts')).auditExport],
  ['audit verify', async () => (await import('../commands/audit.ts')).auditVerify],
  ['webhooks list', async () => (await import('../commands/webhooks.ts')).webhooksList],
  ['webhooks resend', async () => (await import('../commands/webhooks.ts')).webhooksResend],
  ['webhooks test', async () => (await import('../commands/webhooks.ts')).webhooksTest],
  ['sweep', async () => (await import('../commands/control.ts')).sweep],
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
