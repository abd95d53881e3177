import type { VNode } from 'preact';
import type { AdminToken } from '../api/types.ts';
import type { View } from '../context.ts';
import { Action } from '../parts/action.tsx';
import { Badge, Card, Empty } from '../parts/content.tsx';
import { revealSecret } from '../parts/dialogs.tsx';
import type { FieldSpec } from '../parts/fields.tsx';
import { Form } from '../parts/form.tsx';
import { List, type Resource, useList } from '../parts/resource.tsx';
import type { Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { RevokeForm, ServiceSwitches } from './service-switches.tsx';

const DAY_SECONDS = 86_400;
const FIELDS: readonly FieldSpec[] = [
  {
    ...{ name: 'name', label: 'Name', attributes: { maxlength: 64 } },
    hint: 'Whose it is, or what uses it; shown in the audit log',
  },
  {
    ...{ name: 'scope', label: 'Scope', kind: 'radio', value: 'read' },
    choices: [
      ['read', 'Read', 'Sees everything here, changes nothing; for monitoring and for a look.'],
      ['write', 'Write', 'May change everything.'],
    ],
  },
  {
    ...{ name: 'expires_in_seconds', label: 'Lifetime', kind: 'select', value: '90' },
    choices: [
      ['30', '30 days'],
      ['90', '90 days'],
      ['365', '1 year'],
      ['', 'does not expire'],
    ],
  },
];

/** Who may use the admin API, and the switches of the service. */
export const accessView: View = { title: 'Access', Content: AccessPage };

function AccessPage(): VNode {
  const tokens = useList<AdminToken>('/tokens');
  const none = (
    <Empty
      title="No tokens yet."
      text="Only the setting admin.token gives access. Add a token for each person and program, so that the audit log can tell them apart."
    />
  );
  return (
    <>
      <Card title="Admin tokens">
        <List of={tokens} caption="Tokens of the admin API" columns={columnsOf(tokens)} none={none} />
      </Card>
      <div class="columns">
        <Card title="Add a token">
          <AddForm tokens={tokens} />
        </Card>
        <div class="stack">
          <ServiceSwitches />
          <Card title="Revoke an access token">
            <RevokeForm />
          </Card>
        </div>
      </div>
    </>
  );
}

type Tokens = Resource<readonly AdminToken[]>;

function columnsOf(tokens: Tokens): readonly Column<AdminToken>[] {
  return [
    { title: 'Name', isHead: true, cell: ({ name }) => name },
    {
      title: 'Scope',
      cell: ({ scope }) => <Badge tone={scope === 'write' ? 'note' : 'plain'}>{scope}</Badge>,
    },
    { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    { title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} none="never" /> },
    {
      title: 'Action',
      kind: 'controls',
      cell: ({ name, token_id: id }) => (
        <Action
          text="Revoke"
          class="danger"
          label={`Revoke token ${name}`}
          question={{
            title: `Revoke the token ${name}?`,
            text: 'It stops working immediately, and whatever uses it is refused.',
            action: 'Revoke',
          }}
          run={async ({ api }) => {
            await api.remove(`/tokens/${encodeURIComponent(id)}`);
            await tokens.load();
            return `The token ${name} is revoked.`;
          }}
        />
      ),
    },
  ];
}

function AddForm({ tokens }: { tokens: Tokens }): VNode {
  return (
    <Form
      fields={FIELDS}
      action="Add the token"
      submit={async (values, { api, announce }) => {
        const days = Number(values.text('expires_in_seconds'));
        const made = await api.post<AdminToken>('/tokens', {
          body: {
            ...{ name: values.text('name'), scope: values.text('scope') },
            ...(days === 0 ? {} : { expires_in_seconds: days * DAY_SECONDS }),
          },
        });
        values.set('name', '');
        const title = `The token ${made.name} is ready`;
        await revealSecret({ title, label: 'Admin token', value: made.token ?? '' });
        await tokens.load();
        announce(`The token ${made.name} is added.`, 'good');
      }}
    />
  );
}
