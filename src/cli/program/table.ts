import type { Command } from './command.ts';

/** A command of one word, or the first word of a group and dots; and the loader of the file that has the commands. */
type Row = readonly [words: string, load: () => Promise<readonly Command[]>];

/** The files of the commands, in the order of the help. A file with commands of several first words has a row for each. */
const ROWS: readonly Row[] = [
  ['serve', async () => [(await import('../commands/service/serve.ts')).serve]],
  ['init …', async () => [(await import('../commands/init/init-production.ts')).initProduction]],
  ['apps …', async () => (await import('../commands/apps.ts')).COMMANDS],
  ['keys …', async () => (await import('../commands/keys.ts')).COMMANDS],
  ['tokens …', async () => [(await import('../commands/tokens/introspect.ts')).tokensIntrospect]],
  ['tokens …', async () => [(await import('../commands/tokens/revoke.ts')).tokensRevoke]],
  ['refresh-tokens …', async () => (await import('../commands/refresh-tokens.ts')).COMMANDS],
  ['sessions …', async () => (await import('../commands/sessions.ts')).COMMANDS],
  ['people …', async () => (await import('../commands/people.ts')).COMMANDS],
  ['signin …', async () => [(await import('../commands/signin-confirm-rp.ts')).signinConfirmRp]],
  ['vkey …', async () => (await import('../commands/vkey.ts')).COMMANDS],
  ['circuits …', async () => [(await import('../commands/circuits-setup.ts')).circuitsSetup]],
  ['roots …', async () => (await import('../commands/roots.ts')).COMMANDS],
  ['roots …', async () => (await import('../commands/root-sources.ts')).COMMANDS],
  ['roots …', async () => [(await import('../commands/root-sources-check.ts')).rootSourcesCheck]],
  ['issuers …', async () => (await import('../commands/worldid4-keys.ts')).COMMANDS],
  ['oprf-keys …', async () => (await import('../commands/worldid4-keys.ts')).COMMANDS],
  ['signups …', async () => (await import('../commands/signups.ts')).COMMANDS],
  ['orb-keys …', async () => (await import('../commands/orb-keys.ts')).COMMANDS],
  ['refresh …', async () => (await import('../commands/control.ts')).COMMANDS],
  ['credentials …', async () => [(await import('../commands/credentials-export.ts')).credentialsExport]],
  ['proof …', async () => [(await import('../commands/proof-verify.ts')).proofVerify]],
  ['convert', async () => [(await import('../commands/convert.ts')).convert]],
  ['credential …', async () => [(await import('../commands/credential-verify.ts')).credentialVerify]],
  ['hash …', async () => (await import('../commands/hash.ts')).COMMANDS],
  ['rp …', async () => (await import('../commands/rp.ts')).COMMANDS],
  ['login-demo', async () => [(await import('../login-demo/login-demo.ts')).loginDemo]],
  ['dev …', async () => [(await import('../commands/dev/person-create.ts')).devPersonCreate]],
  ['dev …', async () => [(await import('../commands/dev/person-list.ts')).devPersonList]],
  ['dev …', async () => [(await import('../commands/dev/approve.ts')).devApprove]],
  ['dev …', async () => [(await import('../commands/dev/prove.ts')).devProve]],
  ['dev …', async () => [(await import('../commands/dev/prove-refresh.ts')).devProveRefresh]],
  ['dev …', async () => [(await import('../commands/dev/worldid4-seed.ts')).devWorldId4Seed]],
  ['config …', async () => (await import('../commands/config.ts')).COMMANDS],
  ['openapi', async () => (await import('../commands/config.ts')).COMMANDS],
  ['migrate …', async () => (await import('../commands/store/migrate.ts')).COMMANDS],
  ['backup', async () => (await import('../commands/store/backup.ts')).COMMANDS],
  ['restore', async () => (await import('../commands/store/backup.ts')).COMMANDS],
  ['store …', async () => (await import('../commands/store/copy.ts')).COMMANDS],
  ['nodes …', async () => [(await import('../commands/store/nodes-list.ts')).nodesList]],
  ['admin-tokens …', async () => (await import('../commands/admin-tokens.ts')).COMMANDS],
  ['audit …', async () => (await import('../commands/audit.ts')).COMMANDS],
  ['webhooks …', async () => (await import('../commands/webhooks.ts')).COMMANDS],
  ['sweep', async () => (await import('../commands/control.ts')).COMMANDS],
  ['doctor', async () => [(await import('../doctor/doctor.ts')).doctor]],
  ['bench', async () => [(await import('../commands/bench/bench.ts')).bench]],
  ['completion', async () => [await loadCompletion()]],
  ['healthcheck', async () => [(await import('../commands/service/healthcheck.ts')).healthcheck]],
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
  return (await Promise.all(ROWS.map(commandsOf))).flat();
}

function firstOf(words: string): string {
  return words.split(' ')[0] ?? words;
}

/** Loads the commands of a row. */
async function commandsOf([words, load]: Row): Promise<readonly Command[]> {
  return (await load()).filter(({ path }) => path[0] === firstOf(words));
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
  const matching = ROWS.filter(([words]) => firstOf(words) === first);
  if (matching.length > 0) return (await Promise.all(matching.map(commandsOf))).flat();
  const entries = ROWS.map(async (row): Promise<readonly TableEntry[]> => {
    const [words] = row;
    return words.includes(' ') ? [firstOf(words)] : await commandsOf(row);
  });
  return [...new Set((await Promise.all(entries)).flat())];
}
