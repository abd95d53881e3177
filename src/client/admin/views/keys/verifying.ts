import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { VerifyingKey } from '../../api/types.ts';
import type { ViewContext } from '../../context.ts';
import { badge, card, fill } from '../../parts/feedback.ts';
import { FieldError, form, formField } from '../../parts/form.ts';
import { type Column, code, table } from '../../parts/table.ts';
import { textOrFile } from '../../parts/text-or-file.ts';

const MAX_DEPTH = '64';
const LEAD =
  'A proof is checked with the verifying key of its circuit. A setting names the key for each tree (verify.key.<environment>, verify.worldid4.key.<environment>), or the root of the proof names it. Below each id is the fingerprint of the key (SHA-256).';

/** Creates the cards of the verifying keys: which there are and what each is used for, and the form that imports one. */
export function verifyingCards(context: ViewContext): HTMLElement[] {
  const { api, signal } = context;
  const place = element('div');
  const load = (): Promise<void> =>
    fill(place, signal, async () => {
      const { items } = await api.get<Listed<VerifyingKey>>('/vkeys', {}, signal);
      return [table('Verifying keys', COLUMNS, items)];
    });
  void load();
  return [
    card('Verifying keys', [element('p', { class: 'lead' }, LEAD), place]),
    card('Import a verifying key', [importForm(context, load)]),
  ];
}

function importForm(context: ViewContext, load: () => Promise<void>): HTMLElement {
  const id = element('input', { name: 'id', class: 'mono', spellcheck: 'false', autocomplete: 'off' });
  const key = textOrFile(
    ...([
      'key',
      'Key',
      'JSON as snarkjs exports it: protocol groth16, curve bn128. Every point is checked.',
    ] as const),
    '.json,application/json',
  );
  const depth = element('input', { type: 'number', name: 'depth', min: '1', max: MAX_DEPTH, step: '1' });
  const source = element('input', { name: 'source', maxlength: '256', autocomplete: 'off' });
  const warned = element('div', { class: 'notices', role: 'status' });
  const fields = [
    formField(
      'id',
      'Id',
      id,
      'The name that settings and roots use: a-z, 0-9, “.”, “_” and “-”. It is never given to another key.',
    ),
    ...key.fields,
    formField(
      'depth',
      'Tree depth (optional)',
      depth,
      'Of the trees that its proofs are about; only for your information',
    ),
    formField(
      'source',
      'Source (optional)',
      source,
      'Where it comes from, such as the address of a ceremony',
    ),
  ];
  const node = form({
    ...{ fields, action: 'Import the key', context },
    fieldOf: ({ code: name }) =>
      name === 'key.conflict' ? 'id' : name.startsWith('key.') ? 'key' : undefined,
    async submit() {
      warned.replaceChildren();
      const parsed = parseKey(await key.read());
      const imported = await context.api.post<{
        readonly key: VerifyingKey;
        readonly warnings: readonly string[];
      }>('/vkeys', {
        body: {
          ...{ id: id.value.trim(), key: parsed },
          ...(depth.value === '' ? {} : { depth: Number(depth.value) }),
          ...(source.value.trim() === '' ? {} : { source: source.value.trim() }),
        },
      });
      for (const control of [id, depth, source]) control.value = '';
      key.clear();
      warned.replaceChildren(...afterImport(imported.key, imported.warnings));
      await load();
      context.announce(`The key ${imported.key.id} is imported.`, 'good');
    },
  });
  return element('div', { class: 'stack' }, node, warned);
}

/** Says what an imported key is not yet used for, and why production would refuse it. */
function afterImport({ id, used_for }: VerifyingKey, warnings: readonly string[]): HTMLElement[] {
  const next =
    used_for.length > 0
      ? []
      : [
          `Nothing uses ${id} yet. Name it in a setting verify.key.… and restart the service, or add a root with it.`,
        ];
  return [...warnings.map((text) => alert('warning', text)), ...next.map((text) => alert('info', text))];
}

function alert(level: 'warning' | 'info', text: string): HTMLElement {
  return element('div', { class: 'alert', 'data-level': level }, element('p', {}, text));
}

/** Parses a key; its content is for the service to check. @throws FieldError */
function parseKey(text: string): unknown {
  let key: unknown;
  try {
    key = JSON.parse(text);
  } catch (error) {
    throw new FieldError(
      'key',
      `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`,
    );
  }
  if (typeof key !== 'object' || key === null || Array.isArray(key)) {
    throw new FieldError('key', 'Expected a JSON object, as snarkjs exports a verifying key.');
  }
  return key;
}

const COLUMNS: readonly Column<VerifyingKey>[] = [
  {
    title: 'Key',
    isHead: true,
    cell: ({ id, built_in, fingerprint }) => [
      code(id),
      ...(built_in ? [' ', badge('built in')] : []),
      element('small', { class: 'block' }, code(fingerprint, true)),
    ],
  },
  { title: 'Used for', cell: (key) => usesOf(key) },
  {
    title: 'Circuit',
    cell: ({ depth, inputs }) => [
      depth === null ? 'depth unknown' : `depth ${depth}`,
      element('small', { class: 'block' }, `${inputs} public inputs`),
    ],
  },
  {
    title: 'Origin',
    cell: ({ origin, source }) => [origin, element('small', { class: 'block' }, source)],
  },
];

/** Names the trees whose proofs a key verifies, by environment. */
function usesOf({ used_for: uses }: VerifyingKey): HTMLElement | string {
  if (uses.length === 0) return 'nothing';
  const groups = new Map<string, string[]>();
  for (const { environment, tree, by } of uses) {
    const name = by === 'setting' ? environment : `${environment}, current root of`;
    groups.set(name, [...(groups.get(name) ?? []), tree]);
  }
  const lines = [...groups].map(([name, trees]) => element('span', {}, `${name}: ${trees.join(', ')}`));
  return element('span', { class: 'lines' }, ...lines);
}
