import type { VNode } from 'preact';
import type { App, Secret } from '../../api/types.ts';
import { Action } from '../../parts/action.tsx';
import { Card, Code, Empty } from '../../parts/content.tsx';
import { revealSecret } from '../../parts/dialogs.tsx';
import type { FieldSpec } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { List, useList } from '../../parts/resource.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

const OVERLAP: FieldSpec = {
  ...{ name: 'overlap_seconds', label: 'The old secret stays valid for', kind: 'select', value: '86400' },
  hint: 'Both secrets work during this time, so that the app can be changed without an interruption.',
  choices: [
    ['0', 'not at all'],
    ['3600', '1 hour'],
    ['86400', '1 day'],
    ['604800', '7 days'],
    ['2592000', '30 days'],
  ],
};

/** The client secrets of an app, and the form that rotates them. */
export function Secrets({ app }: { app: App }): VNode {
  const base = `/apps/${encodeURIComponent(app.app_id)}/secrets`;
  const secrets = useList<Secret>(base);
  const removal = ({ secret_id: id }: Secret): VNode => (
    <Action
      text="Remove"
      class="danger"
      label={`Remove secret ${id}`}
      question={{
        title: 'Remove this secret?',
        text: 'It stops working within seconds. Make sure that the app already uses another one.',
        action: 'Remove',
      }}
      run={async ({ api }) => {
        await api.remove(`${base}/${encodeURIComponent(id)}`);
        await secrets.load();
        return 'The secret is removed.';
      }}
    />
  );
  const columns: readonly Column<Secret>[] = [
    { title: 'Secret', isHead: true, cell: ({ secret_id }) => <Code text={secret_id} isShort /> },
    { title: 'Made', cell: ({ created_at }) => <Time at={created_at} none="unknown" /> },
    { title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} none="never" /> },
    { title: 'Action', kind: 'controls', cell: (secret) => app.version !== 0 && removal(secret) },
  ];
  return (
    <Card title="Client secrets">
      <List
        of={secrets}
        caption="Live client secrets, the oldest first"
        columns={columns}
        none={<Empty title="No secret." text="The app cannot redeem codes until you give it one." />}
      />
      {app.version !== 0 && (
        <Form
          fields={[OVERLAP]}
          action="Rotate the secret"
          submit={async (values, { api, announce }) => {
            const body = { overlap_seconds: Number(values.text('overlap_seconds')) };
            const { client_secret: value } = await api.post<{ readonly client_secret: string }>(base, {
              body,
            });
            await revealSecret({ title: `New secret of ${app.name}`, label: 'Client secret', value });
            await secrets.load();
            announce('The secret is rotated.', 'good');
          }}
        />
      )}
    </Card>
  );
}
