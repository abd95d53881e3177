import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Listed } from '../../api/client.ts';
import type { OrbKey } from '../../api/types.ts';
import { useView } from '../../context.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Card, Code, Empty } from '../../parts/content.tsx';
import type { FieldSpec } from '../../parts/fields.tsx';
import { FieldError, Form } from '../../parts/form.tsx';
import { Loaded, useResource } from '../../parts/resource.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ImportForm } from './import-form.tsx';

const HINT =
  'A JSON list, or one record per line, each with orb_id and keys: a list of PEM texts (BEGIN PUBLIC KEY, curve secp256k1).';

/** The keys of orbs: a look-up by orb, with revocation, and the import. */
export function OrbKeys(): VNode {
  const { api, query, remember } = useView();
  const [orb, setOrb] = useState(query.get('orb_id') ?? '');
  const keys = useResource(
    async (over) => {
      if (orb === '') return undefined;
      const { items } = await api.get<Listed<OrbKey>>('/orb-keys', { orb_id: orb }, over);
      return { orb, items };
    },
    [orb],
  );
  const field: FieldSpec = {
    ...{ name: 'orb_id', label: 'Orb', kind: 'code', value: query.get('orb_id') ?? '' },
    hint: 'orb_id, as in the enrolment records',
    attributes: { maxlength: 256 },
  };
  const reload = () => keys.load();
  return (
    <>
      <Card title="Keys of an orb">
        <Form
          fields={[field]}
          action="Show its keys"
          isReading
          submit={async (values) => {
            const wanted = values.text('orb_id');
            if (wanted === '') throw new FieldError('orb_id', 'Enter an orb_id.');
            remember({ orb_id: wanted });
            if (wanted === orb) await keys.load();
            else setOrb(wanted);
          }}
        />
        <Loaded from={keys}>
          {(found) => found !== undefined && <KeyTable {...found} reload={reload} />}
        </Loaded>
      </Card>
      <Card title="Import keys of orbs">
        <ImportForm path="/orb-keys" one="key" hint={HINT} action="Import the keys" onImported={reload} />
      </Card>
    </>
  );
}

interface KeyTableProps {
  readonly orb: string;
  readonly items: readonly OrbKey[];
  readonly reload: () => Promise<void>;
}

function KeyTable({ orb, items, reload }: KeyTableProps): VNode {
  if (items.length === 0) {
    return (
      <Empty
        title={`No key of orb ${orb} is known.`}
        text="Packages that it signed are refused. Import its key below."
      />
    );
  }
  const revoke = ({ key_hash: hash }: OrbKey): VNode => (
    <Action
      text="Revoke"
      class="danger"
      label={`Revoke key ${hash}`}
      question={{
        title: `Revoke this key of orb ${orb}?`,
        text: 'Permanently: every package that it signed is refused from now on, also those of people who enrolled long ago.',
        action: 'Revoke',
      }}
      run={async ({ api }) => {
        await api.patch(`/orb-keys/${encodeURIComponent(orb)}/${hash}`, { body: { status: 'revoked' } });
        await reload();
        return `The key of orb ${orb} is revoked.`;
      }}
    />
  );
  const columns: readonly Column<OrbKey>[] = [
    { title: 'SHA-256 of the key', isHead: true, cell: ({ key_hash }) => <Code text={key_hash} isShort /> },
    {
      title: 'State',
      cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'bad'}>{status}</Badge>,
    },
    { title: 'Added', cell: ({ added_at }) => <Time at={added_at} /> },
    {
      title: 'Key',
      cell: ({ pem }) => (
        <details>
          <summary>PEM</summary>
          <pre class="pem">{pem}</pre>
        </details>
      ),
    },
    { title: 'Action', kind: 'controls', cell: (key) => key.status !== 'revoked' && revoke(key) },
  ];
  return <Table caption={`Keys of orb ${orb}`} isCaptionShown columns={columns} rows={items} />;
}
