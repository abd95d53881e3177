import { importKey } from '../../membership/keys/import-key.ts';
import { contributionFault, type ZkeyContributions } from '../../membership/keys/zkey-sections.ts';
import { KEY_OPERATIONS, verifyingKeyJson } from '../../operations/keys.ts';
import { operationCommand, wholeNumber } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';
import { readKeyFile } from './vkey-file.ts';

/** `vkey import FILE`: checks a verifying key and stores it; a key that fails any check is not stored. */
export const vkeyImport: Command = {
  path: ['vkey', 'import'],
  summary: 'import a verifying key from snarkjs JSON or a zkey',
  details:
    'Every point is checked (range, curve, subgroup, infinity). Points that make proofs forgeable, as in a zkey without a contribution, are refused. IC points that are infinite or in a simple relation to each other or to alpha are refused in production and cause a warning elsewhere, which names the statement that becomes provable. A zkey is read with its list of contributions; one whose only contribution is a public beacon causes a warning. The key of an id never changes. Works while the server runs.',
  arguments: [
    {
      name: 'file',
      description:
        'verifying key in snarkjs JSON, or the proving key (zkey) that contains it; - is standard input',
    },
  ],
  options: [
    { flags: '--id <id>', description: 'id of the key', isRequired: true },
    { flags: '--depth <n>', description: 'depth of the trees it is for' },
    { flags: '--source <text>', description: 'where it comes from' },
  ],
  run: async (input, context) => {
    const file = await readKeyFile(input.argument('file'), context);
    const depth = input.option('depth');
    const source = input.option('source');
    const request = {
      keyId: input.option('id') ?? '',
      file,
      ...(depth === undefined ? {} : { depth: wholeNumber('--depth', depth) }),
      ...(source === undefined ? {} : { source }),
    };
    const contributions = typeof file === 'string' ? undefined : file.contributions;
    const fault = contributions ? contributionFault(contributions) : undefined;
    if (fault !== undefined) context.note(`warning: the zkey ${fault}`);
    const loaded = await context.loadConfig();
    const { profile, engine: settings } = loaded.config;
    return await context.withStore(
      loaded,
      async (store) =>
        await context.withEngine({ ...settings, workers: 0 }, async (engine) => {
          const key = await importKey(
            request,
            { engine, store, onWarning: (text) => context.note(`warning: ${text}`) },
            profile,
            context.now(),
          );
          await context.print(
            {
              ...verifyingKeyJson(key),
              ...(contributions === undefined ? {} : { contributions: contributions?.count ?? null }),
            },
            `imported ${key.keyId}, ${key.inputCount} inputs, ${countText(contributions)}fingerprint ${key.fingerprint}`,
          );
          return 0;
        }),
    );
  },
};

/** @param contributions - null for a zkey without a list of them, undefined for another file. */
function countText(contributions: ZkeyContributions | null | undefined): string {
  if (contributions === undefined) return '';
  if (contributions === null) return 'contributions not listed, ';
  return contributions.count === 1 ? '1 contribution, ' : `${contributions.count} contributions, `;
}

/** `vkey list`: lists built-in and imported verifying keys. */
export const vkeyList: Command = operationCommand(KEY_OPERATIONS.listVerifyingKeys, {
  path: ['vkey', 'list'],
  summary: 'list the verifying keys',
  show({ items }) {
    const keys = items.map(({ used_for: _, ...key }) => key);
    const text = textTable(keys, {
      id: 'id',
      origin: 'origin',
      depth: 'depth',
      inputs: 'inputs',
      fingerprint: 'fingerprint',
    });
    return { json: { keys }, text };
  },
});
