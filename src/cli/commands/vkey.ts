import { keyFrom } from '../../membership/keys/built-in-keys.ts';
import { checkKeyFacts } from '../../membership/keys/import-key.ts';
import { snarkjsKeyOf } from '../../membership/keys/snarkjs-key.ts';
import { contributionFault, type ZkeyContributions } from '../../membership/keys/zkey-sections.ts';
import { KEY_OPERATIONS } from '../../operations/keys.ts';
import { callingCommand, operationCommand, wholeNumber } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';
import { readKeyFile } from './vkey-file.ts';

const { importVerifyingKey, listVerifyingKeys } = KEY_OPERATIONS;

/** `vkey import FILE`: checks a verifying key and stores it; a key that fails any check is not stored. */
const vkeyImport: Command = callingCommand({
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
  async prepare(input, context) {
    const file = await readKeyFile(input.argument('file'), context);
    const [depth, source] = [input.option('depth'), input.option('source')];
    const facts = {
      id: input.option('id') ?? '',
      ...(depth === undefined ? {} : { depth: wholeNumber('--depth', depth) }),
      ...(source === undefined ? {} : { source }),
    };
    checkKeyFacts(facts);
    if (typeof file === 'string') return { input: { ...facts, key: snarkjsKeyOf(keyFrom(file)) } };
    const { contributions } = file;
    const fault = contributions ? contributionFault(contributions) : undefined;
    if (fault !== undefined) context.note(`warning: the zkey ${fault}`);
    return { input: { ...facts, key: snarkjsKeyOf(file) }, contributions };
  },
  async run({ context, call }, { input, contributions }) {
    const { key, warnings } = await call(importVerifyingKey, input);
    for (const text of warnings) context.note(`warning: ${text}`);
    const { used_for: _, ...shown } = key;
    const { id, inputs, fingerprint } = key;
    return {
      json: {
        ...shown,
        ...(contributions === undefined ? {} : { contributions: contributions?.count ?? null }),
      },
      text: `imported ${id}, ${inputs} inputs, ${countText(contributions)}fingerprint ${fingerprint}`,
    };
  },
});

/** @param contributions - null for a zkey without a list of them, undefined for another file. */
function countText(contributions: ZkeyContributions | null | undefined): string {
  if (contributions === undefined) return '';
  if (contributions === null) return 'contributions not listed, ';
  return contributions.count === 1 ? '1 contribution, ' : `${contributions.count} contributions, `;
}

/** `vkey list`: lists built-in and imported verifying keys. */
const vkeyList: Command = operationCommand(listVerifyingKeys, {
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

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [vkeyImport, vkeyList];
