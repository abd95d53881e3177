import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { VerifyingKey } from '../../api/types.ts';
import { Alert, Badge, Card, Code, Small } from '../../parts/content.tsx';
import type { FieldSpec } from '../../parts/fields.tsx';
import { clearTextOrFile, FieldError, Form, readTextOrFile, textOrFile } from '../../parts/form.tsx';
import { Loaded, type Resource, useList } from '../../parts/resource.tsx';
import { type Column, Table } from '../../parts/table.tsx';

const FIELDS: readonly FieldSpec[] = [
  {
    ...{ name: 'id', label: 'Id', kind: 'code' },
    hint: 'The name that settings and roots use: a-z, 0-9, “.”, “_” and “-”. It is never given to another key.',
  },
  ...textOrFile(
    ...(['key', 'Key'] as const),
    'JSON as snarkjs exports it: protocol groth16, curve bn128. Every point is checked.',
    '.json,application/json',
  ),
  {
    ...{ name: 'depth', label: 'Tree depth (optional)', kind: 'number' },
    hint: 'Of the trees that its proofs are about; only for your information',
    attributes: { min: 1, max: 64, step: 1 },
  },
  {
    ...{ name: 'source', label: 'Source (optional)', attributes: { maxlength: 256 } },
    hint: 'Where it comes from, such as the address of a ceremony',
  },
];

/** The verifying keys: which there are and what each is used for, and the form that imports one. */
export function VerifyingKeys(): VNode {
  const keys = useList<VerifyingKey>('/vkeys');
  return (
    <>
      <Card title="Verifying keys">
        <p class="lead">
          A proof is checked with the verifying key of its circuit. A setting names the key for each tree
          (verify.key.&lt;environment&gt;, verify.worldid4.key.&lt;environment&gt;), or the root of the proof
          names it. Below each id is the fingerprint of the key (SHA-256).
        </p>
        <Loaded from={keys}>
          {(rows) => <Table caption="Verifying keys" columns={COLUMNS} rows={rows} />}
        </Loaded>
      </Card>
      <Card title="Import a verifying key">
        <ImportForm keys={keys} />
      </Card>
    </>
  );
}

interface Imported {
  readonly key: VerifyingKey;
  readonly warnings: readonly string[];
}

function ImportForm({ keys }: { keys: Resource<readonly VerifyingKey[]> }): VNode {
  const [imported, setImported] = useState<Imported>();
  return (
    <div class="stack">
      <Form
        fields={FIELDS}
        action="Import the key"
        fieldOf={({ code }) => (code === 'key.conflict' ? 'id' : code.startsWith('key.') ? 'key' : undefined)}
        submit={async (values, { api, announce }) => {
          setImported(undefined);
          const key = parseKey(await readTextOrFile(values, 'key'));
          const [depth, source] = [values.text('depth'), values.text('source')];
          const done = await api.post<Imported>('/vkeys', {
            body: {
              ...{ id: values.text('id'), key },
              ...(depth === '' ? {} : { depth: Number(depth) }),
              ...(source === '' ? {} : { source }),
            },
          });
          for (const name of ['id', 'depth', 'source']) values.set(name, '');
          clearTextOrFile(values, 'key');
          setImported(done);
          await keys.load();
          announce(`The key ${done.key.id} is imported.`, 'good');
        }}
      />
      <div class="notices" role="status">
        {imported !== undefined && <AfterImport imported={imported} />}
      </div>
    </div>
  );
}

/** Says what an imported key is not yet used for, and why production would refuse it. */
function AfterImport({ imported }: { imported: Imported }): VNode {
  const { key, warnings } = imported;
  return (
    <>
      {warnings.map((text) => (
        <Alert level="warning">
          <p>{text}</p>
        </Alert>
      ))}
      {key.used_for.length === 0 && (
        <Alert level="info">
          <p>
            {`Nothing uses ${key.id} yet. Name it in a setting verify.key.… and restart the service, or add a root with it.`}
          </p>
        </Alert>
      )}
    </>
  );
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
    cell: ({ id, built_in, fingerprint }) => (
      <>
        <Code text={id} />
        {built_in && (
          <>
            {' '}
            <Badge>built in</Badge>
          </>
        )}
        <Small>
          <Code text={fingerprint} isShort />
        </Small>
      </>
    ),
  },
  { title: 'Used for', cell: usesOf },
  {
    title: 'Circuit',
    cell: ({ depth, inputs }) => (
      <>
        {depth === null ? 'depth unknown' : `depth ${depth}`}
        <Small>{`${inputs} public inputs`}</Small>
      </>
    ),
  },
  {
    title: 'Origin',
    cell: ({ origin, source }) => (
      <>
        {origin}
        <Small>{source}</Small>
      </>
    ),
  },
];

/** Names the trees whose proofs a key verifies, by environment. */
function usesOf({ used_for: uses }: VerifyingKey): VNode | string {
  if (uses.length === 0) return 'nothing';
  const groups = new Map<string, string[]>();
  for (const { environment, tree, by } of uses) {
    const name = by === 'setting' ? environment : `${environment}, current root of`;
    groups.set(name, [...(groups.get(name) ?? []), tree]);
  }
  const lines = [...groups].map(([name, trees]) => <span>{`${name}: ${trees.join(', ')}`}</span>);
  return <span class="lines">{lines}</span>;
}
