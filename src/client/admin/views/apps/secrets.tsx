import type { VNode } from 'preact';
import type { App, Secret } from '../../api/types.ts';
import { action } from '../../parts/action.tsx';
import { card } from '../../parts/content.tsx';
import { revealSecret } from '../../parts/dialogs.tsx';
import type { FieldSpec } from '../../parts/fields.tsx';
import { form } from '../../parts/form.tsx';
import { list, useList } from '../../parts/resource.tsx';
import { type Column, code, column, controls, head } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';

const OVERLAP: FieldSpec = {
  label: 'The old secret stays valid for',
  kind: 'select',
  value: '86400',
  hint: 'Both secrets work during this time, so that the app can be changed without an interruption.',
  choices: { 0: 'not at all', 3600: '1 hour', 86400: '1 day', 604800: '7 days', 2592000: '30 days' },
};

/** The client secrets of an app, and the form that rotates them. */
export function Secrets({ app }: { app: App }): VNode {
  const { app_id } = app;
  const secrets = useList('GET /apps/{app_id}/secrets', { app_id });
  const removal = ({ secret_id: id }: Secret): VNode =>
    action({
      text: 'Remove',
      mood: 'danger',
      label: `Remove secret ${id}`,
      after: () => secrets.load(),
      ask: [
        'Remove this secret?',
        'It stops working within seconds. Make sure that the app already uses another one.',
      ],
      run: ({ api }) => api.call('DELETE /apps/{app_id}/secrets/{secret_id}', { app_id, secret_id: id }),
      done: () => 'The secret is removed.',
    });
  const isConfigured = app.version === 0;
  const columns: readonly Column<Secret>[] = [
    head('Secret', ({ secret_id }) => code(secret_id, true)),
    column('Made', ({ created_at }) => time(created_at, 'unknown')),
    column('Expires', ({ expires_at }) => time(expires_at, 'never')),
    controls('Action', (secret) => !isConfigured && removal(secret)),
  ];
  const none = ['No secret.', 'The app cannot redeem codes until you give it one.'] as const;
  const rotation = form({
    fields: { overlap_seconds: OVERLAP },
    action: 'Rotate the secret',
    async submit(values, { api, announce }) {
      const overlap_seconds = Number(values.text('overlap_seconds'));
      const made = await api.call('POST /apps/{app_id}/secrets', { app_id, overlap_seconds });
      await revealSecret({
        title: `New secret of ${app.name}`,
        label: 'Client secret',
        value: made.client_secret,
      });
      await secrets.load();
      announce('The secret is rotated.', 'good');
    },
  });
  const shown = list(secrets, { caption: 'Live client secrets, the oldest first', columns, none });
  return card('Client secrets', [shown, !isConfigured && rotation]);
}
