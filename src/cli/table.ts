import type { Command } from './command.ts';

/** Words of a command, and what loads it. */
type Row = readonly [words: string, load: () => Promise<Command>];

/** Every command, in the order of the help. */
const ROWS: readonly Row[] = [
  ['serve', async () => (await import('./serve.ts')).serve],
  ['init production', async () => (await import('./init-production.ts')).initProduction],
  ['apps add', async () => (await import('./apps-add.ts')).appsAdd],
  ['apps list', async () => (await import('./apps-list.ts')).appsList],
  ['apps show', async () => (await import('./apps-show.ts')).appsShow],
  ['apps update', async () => (await import('./apps-update.ts')).appsUpdate],
  ['apps rotate-secret', async () => (await import('./apps-rotate-secret.ts')).appsRotateSecret],
  ['apps remove-secret', async () => (await import('./apps-remove-secret.ts')).appsRemoveSecret],
  ['apps enable', async () => (await import('./apps-enable.ts')).appsEnable],
  ['apps disable', async () => (await import('./apps-disable.ts')).appsDisable],
  ['apps remove', async () => (await import('./apps-remove.ts')).appsRemove],
  ['keys list', async () => (await import('./keys-list.ts')).keysList],
  ['keys rotate', async () => (await import('./keys-rotate.ts')).keysRotate],
  ['keys remove', async () => (await import('./keys-remove.ts')).keysRemove],
  ['keys export', async () => (await import('./keys-export.ts')).keysExport],
  ['tokens introspect', async () => (await import('./tokens-introspect.ts')).tokensIntrospect],
  ['tokens revoke', async () => (await import('./tokens-revoke.ts')).tokensRevoke],
  ['vkey import', async () => (await import('./vkey-import.ts')).vkeyImport],
  ['vkey list', async () => (await import('./vkey-list.ts')).vkeyList],
  ['circuits setup', async () => (await import('./circuits-setup.ts')).circuitsSetup],
  ['roots add', async () => (await import('./roots-add.ts')).rootsAdd],
  ['roots list', async () => (await import('./roots-list.ts')).rootsList],
  ['roots import', async () => (await import('./roots-import.ts')).rootsImport],
  ['roots export', async () => (await import('./roots-export.ts')).rootsExport],
  ['roots prune', async () => (await import('./roots-prune.ts')).rootsPrune],
  ['signups import', async () => (await import('./signups-import.ts')).signupsImport],
  ['signups show', async () => (await import('./signups-show.ts')).signupsShow],
  ['signups revoke', async () => (await import('./signups-revoke.ts')).signupsRevoke],
  ['orb-keys import', async () => (await import('./orb-keys-import.ts')).orbKeysImport],
  ['orb-keys list', async () => (await import('./orb-keys-list.ts')).orbKeysList],
  ['orb-keys revoke', async () => (await import('./orb-keys-revoke.ts')).orbKeysRevoke],
  ['refresh enable', async () => (await import('./refresh-enable.ts')).refreshEnable],
  ['refresh disable', async () => (await import('./refresh-disable.ts')).refreshDisable],
  ['credentials export', async () => (await import('./credentials-export.ts')).credentialsExport],
  ['proof verify', async () => (await import('./proof-verify.ts')).proofVerify],
  ['credential verify', async () => (await import('./credential-verify.ts')).credentialVerify],
  ['hash signal', async () => (await import('./hash-signal.ts')).hashSignalCommand],
  ['hash action', async () => (await import('./hash-action.ts')).hashActionCommand],
  ['login-demo', async () => (await import('./login-demo.ts')).loginDemo],
  ['dev person create', async () => (await import('./dev-person-create.ts')).devPersonCreate],
  ['dev person list', async () => (await import('./dev-person-list.ts')).devPersonList],
  ['dev approve', async () => (await import('./dev-approve.ts')).devApprove],
  ['dev prove', async () => (await import('./dev-prove.ts')).devProve],
  ['dev prove-refresh', async () => (await import('./dev-prove-refresh.ts')).devProveRefresh],
  ['config explain', async () => (await import('./config-explain.ts')).configExplain],
  ['config schema', async () => (await import('./config-schema.ts')).configSchema],
  ['migrate up', async () => (await import('./migrate-up.ts')).migrateUp],
  ['migrate status', async () => (await import('./migrate-status.ts')).migrateStatus],
  ['backup', async () => (await import('./backup.ts')).backup],
  ['restore', async () => (await import('./restore.ts')).restore],
  ['sweep', async () => (await import('./sweep.ts')).sweep],
  ['doctor', async () => (await import('./doctor.ts')).doctor],
  ['completion', async () => (await import('./completion.ts')).completion],
  ['healthcheck', async () => (await import('./healthcheck.ts')).healthcheck],
];

/**
 * Loads the commands among which the arguments choose: those with the same first word, or all where none has it. To
 * load what every command needs would take most of them longer than their work.
 */
export async function loadCommands([first]: readonly string[] = []): Promise<readonly Command[]> {
  const alike = ROWS.filter(([words]) => words.split(' ')[0] === first);
  return await Promise.all((alike.length > 0 ? alike : ROWS).map(([, load]) => load()));
}
