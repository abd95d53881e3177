import { ISSUER_KEYS, type KeyKind, OPRF_KEYS } from '../../membership/worldid4/key-kinds.ts';
import { importKeys } from '../../membership/worldid4/keys.ts';
import { WORLDID4_KEY_OPERATIONS } from '../../operations/worldid4-keys.ts';
import { wholeImport } from '../input/run-import.ts';
import { readItems } from '../operations/call-operation.ts';
import { callingCommand, operationCommand } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { listIssuers, addIssuer, removeIssuer, listOprfKeys, addOprfKey, removeOprfKey } =
  WORLDID4_KEY_OPERATIONS;

const ADDITION =
  'Replaces the key that is there. The point is checked: whoever can sign under a key makes people up. Works while the server runs, which sees a new key immediately and a replaced one within storage.cacheSeconds.';
const REMOVAL = 'Running servers see it within storage.cacheSeconds.';
const POINT = { x: { flags: '--x <number>' }, y: { flags: '--y <number>' } } as const;
const ISSUER_ID = { flags: '--id <number>' } as const;
const RP_ID = { flags: '--rp-id <id>' } as const;

/** `issuers add`: adds or replaces the key of an issuer. */
const issuersAdd: Command = operationCommand(addIssuer, {
  path: ['issuers', 'add'],
  summary: 'add the key of a World ID 4.0 credential issuer',
  details: ADDITION,
  members: { issuer_schema_id: ISSUER_ID, ...POINT },
  show: (key) => ({ json: key, text: JSON.stringify(key) }),
});

/** `oprf-keys add`: adds or replaces the OPRF key of a relying party. */
const oprfKeysAdd: Command = operationCommand(addOprfKey, {
  path: ['oprf-keys', 'add'],
  summary: 'add the World ID 4.0 OPRF key of a relying party',
  details: ADDITION,
  members: { rp_id: RP_ID, ...POINT },
  show: (key) => ({ json: key, text: JSON.stringify(key) }),
});

/** `issuers list`: lists the keys of issuers. */
const issuersList: Command = callingCommand({
  path: ['issuers', 'list'],
  summary: 'list the keys of World ID 4.0 credential issuers',
  async run({ call }) {
    const issuers = await readItems(call, listIssuers, {});
    return { json: { issuers }, text: keyTable(ISSUER_KEYS, issuers) };
  },
});

/** `oprf-keys list`: lists the OPRF keys of relying parties. */
const oprfKeysList: Command = callingCommand({
  path: ['oprf-keys', 'list'],
  summary: 'list the World ID 4.0 OPRF keys',
  async run({ call }) {
    const keys = await readItems(call, listOprfKeys, {});
    return { json: { oprf_keys: keys }, text: keyTable(OPRF_KEYS, keys) };
  },
});

function keyTable({ idMember }: KeyKind, keys: readonly Readonly<Record<string, string>>[]): string {
  const columns = {
    environment: 'environment',
    [idMember]: idMember,
    x: 'x',
    y: 'y',
    updated: 'updated_at',
    source: 'source',
  };
  return textTable(keys, columns);
}

/** `issuers remove`: removes the key of an issuer after confirmation. */
const issuersRemove: Command = operationCommand(removeIssuer, {
  path: ['issuers', 'remove'],
  summary: 'remove the key of an issuer: proofs of its credentials are refused',
  details: REMOVAL,
  members: { issuer_schema_id: ISSUER_ID },
  confirm: () => 'Remove the key of the issuer? Proofs of its credentials are refused from now on.',
  show: (owner) => ({
    json: owner,
    text: `removed issuer ${owner.issuer_schema_id} of ${owner.environment}`,
  }),
});

/** `oprf-keys remove`: removes the OPRF key of a relying party after confirmation. */
const oprfKeysRemove: Command = operationCommand(removeOprfKey, {
  path: ['oprf-keys', 'remove'],
  summary: 'remove the OPRF key of a relying party: its proofs are refused',
  details: REMOVAL,
  members: { rp_id: RP_ID },
  confirm: () => 'Remove the OPRF key? World ID 4.0 proofs for the relying party are refused from now on.',
  show: (owner) => ({ json: owner, text: `removed OPRF key ${owner.rp_id} of ${owner.environment}` }),
});

function importCommand(kind: KeyKind, word: string, summary: string): Command {
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
const issuersImport: Command = importCommand(
  ISSUER_KEYS,
  'issuers',
  'add keys of World ID 4.0 credential issuers from JSON Lines, all or none',
);

/** `oprf-keys import FILE`: adds the keys of a JSON Lines file in one transaction. */
const oprfKeysImport: Command = importCommand(
  OPRF_KEYS,
  'oprf-keys',
  'add World ID 4.0 OPRF keys from JSON Lines, all or none',
);

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  issuersAdd,
  issuersList,
  issuersImport,
  issuersRemove,
  oprfKeysAdd,
  oprfKeysList,
  oprfKeysImport,
  oprfKeysRemove,
];
