import { importOrbKeys } from '../../../refresh/records/orb-keys.ts';
import { IMPORT_DETAILS, IMPORT_OPTIONS, runImport } from '../../input/run-import.ts';
import type { Command } from '../../program/command.ts';

/** `orb-keys import FILE`: adds public keys of orbs from a JSON Lines file. */
export const orbKeysImport: Command = {
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
