import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { toBase64 } from '../../../../bytes.ts';
import { decodeText, type JsonObject } from '../../../../json.ts';
import type { OutputOf } from '../../api/client.ts';
import type { VerifyingKey } from '../../api/types.ts';
import { alert, badge, card } from '../../parts/content.tsx';
import { FieldError, form, type TextOrFile, textOrFile } from '../../parts/form.tsx';
import { loaded, type Resource, useList } from '../../parts/resource.tsx';
import { type Column, code, column, head, lines, small, table } from '../../parts/table.tsx';

const LEAD =
  'A proof is checked with the verifying key of its circuit. A setting names the key for each tree (verify.key.<environment>, verify.worldid4.key.<environment>), or the root of the proof names it. Below each id is the fingerprint of the key (SHA-256).';
const KEY_HINT =
  'A Groth16 key over bn128 (BN254) as snarkjs, gnark, ZoKrates, arkworks or Semaphore write it: JSON, or bytes in hex or base64. A file may also have the bytes themselves, but not be a zkey, which vkey import reads. Every point is checked.';
const KEY: TextOrFile = textOrFile('key', 'Key', '', KEY_HINT, textOfKeyFile);
/** Beginning of JSON, or a text of hex digits or base64. */
const KEY_TEXT = /^\s*(?:[[{"]|[0-9A-Za-z+/=\s]+$)/;

/** The verifying keys: which there are and what each is used for, and the form that imports one. */
export function VerifyingKeys(): VNode {
  const keys = useList('GET /vkeys', {});
  const show = (rows: readonly VerifyingKey[]) =>
    table({ caption: 'Verifying keys', columns: COLUMNS }, rows);
  return (
    <>
      {card('Verifying keys', [<p class="lead">{LEAD}</p>, loaded(keys, show)])}
      {card('Import a verifying key', <ImportForm keys={keys} />)}
    </>
  );
}

type Imported = OutputOf<'POST /vkeys'>;

function ImportForm({ keys }: { keys: Resource<readonly VerifyingKey[]> }): VNode {
  const [imported, setImported] = useState<Imported>();
  const importing = form({
    action: 'Import the key',
    fields: {
      id: {
        label: 'Id',
        kind: 'code',
        hint: 'The name that settings and roots use: a-z, 0-9, “.”, “_” and “-”. It is never given to another key.',
      },
      ...KEY.fields,
      depth: {
        label: 'Tree depth (optional)',
        kind: 'number',
        hint: 'Of the trees that its proofs are about; chooses the key in a file of Semaphore that has one for each depth',
        attributes: { min: 1, max: 64, step: 1 },
      },
      source: {
        label: 'Source (optional)',
        attributes: { maxlength: 256 },
        hint: 'Where it comes from, such as the address of a ceremony',
      },
    },
    fieldOf: ({ code: name }) =>
      name === 'key.conflict' ? 'id' : name.startsWith('key.') ? 'key' : undefined,
    async submit(values, { api, announce }) {
      setImported(undefined);
      const key = parseKey(await KEY.read(values));
      const [id, depth, source] = [values.text('id'), values.text('depth'), values.text('source')];
      const more = { ...(depth !== '' && { depth: Number(depth) }), ...(source !== '' && { source }) };
      const done = await api.call('POST /vkeys', { id, key, ...more });
      for (const name of ['id', 'depth', 'source']) values.set(name, '');
      KEY.clear(values);
      setImported(done);
      await keys.load();
      announce(`The key ${done.key.id} is imported.`, 'good');
    },
  });
  const notices = (
    <div class="notices" role="status">
      {imported && afterImport(imported)}
    </div>
  );
  return <div class="stack">{[importing, notices]}</div>;
}

/** Reports the missing uses of an imported key, and the reasons why production would refuse it. */
function afterImport({ key: { id, used_for }, form: found, warnings }: Imported): ComponentChildren {
  const next = `Nothing uses ${id} yet. Name it in a setting verify.key.… and restart the service, or add a root with it.`;
  return [
    found !== 'snarkjs' && alert('info', <p>{`The key was read in the form ${found}.`}</p>),
    warnings.map((text) => alert('warning', <p>{text}</p>)),
    used_for.length === 0 && alert('info', <p>{next}</p>),
  ];
}

/** Returns the text of a file, or its bytes in base64. */
async function textOfKeyFile(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = decodeText(bytes);
  return text !== undefined && KEY_TEXT.test(text) ? text : toBase64(bytes);
}

/** Parses a key in JSON; any other text, and its content, are for the service to check. @throws FieldError */
function parseKey(text: string): JsonObject | string {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    throw new FieldError(
      'key',
      `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`,
    );
  }
}

const COLUMNS: readonly Column<VerifyingKey>[] = [
  head('Key', ({ id, built_in, fingerprint }) => [
    code(id),
    built_in && [' ', badge('built in')],
    small(code(fingerprint, true)),
  ]),
  column('Used for', usesOf),
  column('Circuit', ({ depth, inputs }) => [
    depth === null ? 'depth unknown' : `depth ${depth}`,
    small(`${inputs} public inputs`),
  ]),
  column('Origin', ({ origin, source }) => [origin, small(source)]),
];

/** Names the trees whose proofs a key verifies, by environment. */
function usesOf({ used_for: uses }: VerifyingKey): VNode | string {
  if (uses.length === 0) return 'nothing';
  const groups = new Map<string, string[]>();
  for (const { environment, tree, by } of uses) {
    const name = by === 'setting' ? environment : `${environment}, current root of`;
    groups.set(name, [...(groups.get(name) ?? []), tree]);
  }
  return lines([...groups].map(([name, trees]) => <span>{`${name}: ${trees.join(', ')}`}</span>));
}
