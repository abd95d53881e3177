import type { JsonObject } from '../../json.ts';
import { ISSUER_KEYS, type KeyKind, OPRF_KEYS } from '../../membership/worldid4/key-kinds.ts';
import { addKey, importKeys, keyLine, parseKey, removeKey } from '../../membership/worldid4/keys.ts';
import { isoTime } from '../../text.ts';
import { wholeImport } from '../input/run-import.ts';
import { YES_OPTION } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command, CommandInput, CommandOption } from '../program/command.ts';

/** The commands of one kind of World ID 4.0 key: their words and options. */
interface KeyGroup {
  readonly kind: KeyKind;
  /** First word of the commands. */
  readonly word: string;
  /** Name of one key, for texts. */
  readonly noun: string;
  /** Option for the id of the owner, and its name in `CommandInput`. */
  readonly idFlags: string;
  readonly idOption: string;
}

/** Commands for the keys of issuers. */
const ISSUERS: KeyGroup = {
  kind: ISSUER_KEYS,
  word: 'issuers',
  noun: 'issuer',
  idFlags: '--id <number>',
  idOption: 'id',
};

/** Commands for the OPRF keys of relying parties. */
const OPRF: KeyGroup = {
  kind: OPRF_KEYS,
  word: 'oprf-keys',
  noun: 'OPRF key',
  idFlags: '--rp-id <id>',
  idOption: 'rpId',
};

/** Options that name a key. */
function ownerOptions({ kind, idFlags }: KeyGroup): CommandOption[] {
  return [
    { flags: '--environment <environment>', description: 'production or staging', isRequired: true },
    { flags: idFlags, description: `${kind.idMember}: ${kind.idForm}`, isRequired: true },
  ];
}

/** Returns the members of a key that the options name. */
function keyInput({ kind, idOption }: KeyGroup, input: CommandInput): JsonObject {
  return {
    environment: input.option('environment'),
    [kind.idMember]: input.option(idOption),
    x: input.option('x'),
    y: input.option('y'),
  };
}

function addCommand(group: KeyGroup, summary: string): Command {
  const { kind, word } = group;
  const coordinate = '0x and hex digits, or decimal';
  return {
    path: [word, 'add'],
    summary,
    details:
      'Replaces the key that is there. The point is checked: whoever can sign under a key makes people up. Works while the server runs, which sees a new key immediately and a replaced one within storage.cacheSeconds.',
    options: [
      ...ownerOptions(group),
      { flags: '--x <number>', description: coordinate, isRequired: true },
      { flags: '--y <number>', description: coordinate, isRequired: true },
    ],
    run: async (input, context) => {
      const loaded = await context.loadConfig();
      const { sources } = loaded.config.roots;
      const key = parseKey(kind, keyInput(group, input), context.now(), sources);
      return await context.withStore(loaded, async (store) => {
        await addKey(kind, store.worldId4Keys, key);
        const line = keyLine(kind, key);
        await context.print(JSON.parse(line), line);
        return 0;
      });
    },
  };
}

/** `issuers add`: adds or replaces the key of an issuer. */
export const issuersAdd: Command = addCommand(ISSUERS, 'add the key of a World ID 4.0 credential issuer');

/** `oprf-keys add`: adds or replaces the OPRF key of a relying party. */
export const oprfKeysAdd: Command = addCommand(OPRF, 'add the World ID 4.0 OPRF key of a relying party');

function listCommand({ kind, word }: KeyGroup, member: string, summary: string): Command {
  const columns = {
    environment: 'environment',
    [kind.idMember]: kind.idMember,
    x: 'x',
    y: 'y',
    updated: 'updated_at',
    source: 'source',
  };
  return {
    path: [word, 'list'],
    summary,
    run: async (_input, context) =>
      await context.withStore(await context.loadConfig(), async (store) => {
        const keys = await kind.list(store.worldId4Keys);
        const shown = keys.map(
          (key): Record<string, string> => ({
            ...(JSON.parse(keyLine(kind, key)) as Record<string, string>),
            updated_at: isoTime(key.updatedAt),
            source: key.source,
          }),
        );
        await context.print({ [member]: shown }, textTable(shown, columns));
        return 0;
      }),
  };
}

/** `issuers list`: lists the keys of issuers. */
export const issuersList: Command = listCommand(
  ISSUERS,
  'issuers',
  'list the keys of World ID 4.0 credential issuers',
);

/** `oprf-keys list`: lists the OPRF keys of relying parties. */
export const oprfKeysList: Command = listCommand(OPRF, 'oprf_keys', 'list the World ID 4.0 OPRF keys');

function importCommand({ kind, word }: KeyGroup, summary: string): Command {
  return wholeImport({
    path: [word, 'import'],
    summary,
    details: `A line is {"environment", "${kind.idMember}", "x", "y"}, as \`${word} list --json\` has them. The first invalid line is reported and nothing is imported. The same file can be imported again.`,
    noun: 'key',
    importAll: (lines, { worldId4Keys }, { config }, context) =>
      importKeys(kind, worldId4Keys, lines, context.now(), config.roots.sources),
  });
}

/** `issuers import FILE`: adds the keys of a JSON Lines file in one transaction. */
export const issuersImport: Command = importCommand(
  ISSUERS,
  'add keys of World ID 4.0 credential issuers from JSON Lines, all or none',
);

/** `oprf-keys import FILE`: adds the keys of a JSON Lines file in one transaction. */
export const oprfKeysImport: Command = importCommand(
  OPRF,
  'add World ID 4.0 OPRF keys from JSON Lines, all or none',
);

function removeCommand(group: KeyGroup, summary: string, question: string): Command {
  const { kind, word, noun } = group;
  return {
    path: [word, 'remove'],
    summary,
    details: 'Running servers see it within storage.cacheSeconds.',
    options: [...ownerOptions(group), YES_OPTION],
    run: async (input, context) => {
      const loaded = await context.loadConfig();
      return await context.withStore(loaded, async (store) => {
        await context.confirm(question);
        const owner = keyInput(group, input);
        const { sources } = loaded.config.roots;
        const now = context.now();
        const { environment, id } = await removeKey(kind, store.worldId4Keys, owner, now, sources);
        await context.print({ environment, [kind.idMember]: id }, `removed ${noun} ${id} of ${environment}`);
        return 0;
      });
    },
  };
}

/** `issuers remove`: removes the key of an issuer after confirmation. */
export const issuersRemove: Command = removeCommand(
  ISSUERS,
  'remove the key of an issuer: proofs of its credentials are refused',
  'Remove the key of the issuer? Proofs of its credentials are refused from now on.',
);

/** `oprf-keys remove`: removes the OPRF key of a relying party after confirmation. */
export const oprfKeysRemove: Command = removeCommand(
  OPRF,
  'remove the OPRF key of a relying party: its proofs are refused',
  'Remove the OPRF key? World ID 4.0 proofs for the relying party are refused from now on.',
);
