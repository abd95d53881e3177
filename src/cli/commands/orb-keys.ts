import { RECORD_OPERATIONS } from '../../operations/records.ts';
import { importOrbKeys } from '../../refresh/records/orb-keys.ts';
import { IMPORT_DETAILS, IMPORT_OPTIONS, runImport } from '../input/run-import.ts';
import { operationCommand } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { listOrbKeys, revokeOrbKey } = RECORD_OPERATIONS;
const ORB_ID = { name: 'orb_id', description: 'id of the orb' } as const;

/** `orb-keys list ORB_ID`: lists the public keys of an orb. */
const orbKeysList: Command = operationCommand(listOrbKeys, {
  path: ['orb-keys', 'list'],
  summary: 'list the public keys of an orb',
  details: `The hash is that of the key as DER: openssl pkey -pubin -in key.pem -outform DER | sha256sum
With --json the output includes the PEM of each key.`,
  arguments: { orb_id: ORB_ID },
  show({ items: keys }) {
    const columns = { 'key hash': 'key_hash', status: 'status', added: 'added_at' } as const;
    const text = keys.length === 0 ? 'the orb has no keys' : textTable(keys, columns);
    return { json: { keys }, text };
  },
});

/** `orb-keys revoke ORB_ID KEY_HASH`: revokes a key of an orb after confirmation. */
const orbKeysRevoke: Command = operationCommand(revokeOrbKey, {
  path: ['orb-keys', 'revoke'],
  summary: 'revoke a public key of an orb: custody packages that it signed are refused',
  details: 'Takes effect immediately. A revoked key stays revoked; an import does not reactivate it.',
  arguments: {
    orb_id: ORB_ID,
    key_hash: { name: 'key_hash', description: '64 hex digits, see `orb-keys list`' },
  },
  fixed: { status: 'revoked' },
  confirm: () => 'Revoke the key permanently? Custody packages that it signed are refused from now on.',
  show: (_output, { orb_id, key_hash }) => ({
    json: { orb_id, revoked: key_hash },
    text: `revoked ${key_hash}`,
  }),
});

/** `orb-keys import FILE`: adds public keys of orbs from a JSON Lines file. */
const orbKeysImport: Command = {
  path: ['orb-keys', 'import'],
  summary: 'add public keys of orbs from JSON Lines',
  details: `A line is {"orb_id", "keys"}; keys is a list of PEM texts, each BEGIN PUBLIC KEY on the curve secp256k1. They are
added to the keys of the orb, up to 16 active ones; an existing key stays as it is, even a revoked one. A line counts as
added when one of its keys is new.
${IMPORT_DETAILS}`,
  arguments: [{ name: 'file', description: 'JSON Lines; - is standard input' }],
  options: IMPORT_OPTIONS,
  run: async (input, context) =>
    await runImport(
      input,
      context,
      async (chunks, { orbKeys }, observer) =>
        await importOrbKeys(chunks, orbKeys, input.has('dryRun'), context.now(), observer),
    ),
};

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [orbKeysImport, orbKeysList, orbKeysRevoke];
