import { snarkjsKeyOf } from '../../groth16/snarkjs-json.ts';
import { checkKeyFacts } from '../../membership/keys/import-key.ts';
import type { ZkeyContributions } from '../../membership/keys/zkey-sections.ts';
import { KEY_OPERATIONS } from '../../operations/keys.ts';
import { readKeyFile } from '../input/form-file.ts';
import { callingCommand, operationCommand, wholeNumber } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { importVerifyingKey, listVerifyingKeys } = KEY_OPERATIONS;

/** `vkey import FILE`: checks a verifying key and stores it; a key that fails any check is not stored. */
const vkeyImport: Command = callingCommand({
  path: ['vkey', 'import'],
  summary: 'import a verifying key of snarkjs or another tool, or from a zkey',
  details:
    'The form is recognized: JSON of snarkjs, gnark or ZoKrates, bytes of gnark or arkworks, or the bytes of the points, as a file or as text in hex or base64; the result names it. Every point is checked (range, curve, subgroup, infinity). Points that make proofs forgeable, as in a zkey without a contribution, are refused. IC points that are infinite or in a simple relation to each other or to alpha are refused in production and cause a warning elsewhere, which names the statement that becomes provable. A zkey is read with its list of contributions; one whose only contribution is a public beacon causes a warning. The key of an id never changes. Works while the server runs.',
  arguments: [
    {
      name: 'file',
      description: 'verifying key, or the proving key (zkey) that contains it; - is standard input',
    },
  ],
  options: [
    { flags: '--id <id>', description: 'id of the key', isRequired: true },
    {
      flags: '--depth <n>',
      description: 'depth of the trees it is for; also chooses among the keys of a packed file of Semaphore',
    },
    { flags: '--source <text>', description: 'where it comes from' },
  ],
  async prepare(input, context) {
    const [depthText, source] = [input.option('depth'), input.option('source')];
    const depth = depthText === undefined ? undefined : wholeNumber('--depth', depthText);
    const facts = {
      id: input.option('id') ?? '',
      ...(depth === undefined ? {} : { depth }),
      ...(source === undefined ? {} : { source }),
    };
    checkKeyFacts(facts);
    const key = await readKeyFile(input.argument('file'), context, depth);
    const { form, contributions } = key;
    return { input: { ...facts, key: { ...snarkjsKeyOf(key) } }, form, contributions };
  },
  async run({ context, call }, { input, form, contributions }) {
    const { key, warnings } = await call(importVerifyingKey, input);
    for (const text of warnings) context.note(`warning: ${text}`);
    const { used_for: _, ...shown } = key;
    const { id, inputs, fingerprint } = key;
    return {
      json: {
        ...shown,
        form,
        ...(contributions === undefined ? {} : { contributions: contributions?.count ?? null }),
      },
      text: `imported ${id}, ${inputs} inputs, form ${form}, ${countText(contributions)}fingerprint ${fingerprint}`,
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
