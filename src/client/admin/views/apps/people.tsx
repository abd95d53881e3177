import type { VNode } from 'preact';
import type { App, Person } from '../../api/types.ts';
import { action } from '../../parts/action.tsx';
import { card } from '../../parts/content.tsx';
import { revealSecret } from '../../parts/dialogs.tsx';
import type { FieldSpec } from '../../parts/fields.tsx';
import { form } from '../../parts/form.tsx';
import { formatCount } from '../../parts/format.ts';
import { pagedList, usePages } from '../../parts/resource.tsx';
import { amounts, type Column, code, column, controls, head } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';

/** Digits of a `person_id` that are shown: those that sessions and the audit log have. */
const SHOWN_DIGITS = 8;
const LIFE: FieldSpec = {
  label: 'The permission can be used for',
  kind: 'select',
  value: '86400',
  hint: 'For somebody whose browsers, passkeys and sessions are lost. The person gets a new sub; the former one stays with whoever can still prove it.',
  choices: { 3600: '1 hour', 86400: '1 day', 604800: '7 days', 2592000: '30 days' },
};

/** The people whom an app knows by World ID 4.0, and the form that allows one of them to begin anew. */
export function People({ app }: { app: App }): VNode {
  const { app_id } = app;
  const rows = usePages('GET /apps/{app_id}/people', {
    name: 'people',
    input: { app_id },
    limit: 20,
    isSilent: true,
  });
  const forget = ({ person_id }: Person): VNode => {
    const name = person_id.slice(0, SHOWN_DIGITS);
    return action({
      text: 'Forget',
      mood: 'danger',
      label: `Forget person ${name}`,
      after: () => rows.load(true),
      ask: [
        `Forget the person ${name}?`,
        'The person can return with the same sub only from another installation of the wallet, or after a year. Elsewhere a new beginning is needed. Sessions of sign-in and tokens stay valid.',
      ],
      run: ({ api }) => api.call('DELETE /apps/{app_id}/people/{person_id}', { app_id, person_id }),
      done: () => `The person ${name} is forgotten.`,
    });
  };
  const columns: readonly Column<Person>[] = [
    head('Person', ({ person_id }) => code(person_id.slice(0, SHOWN_DIGITS))),
    amounts('Sessions', ({ sessions }) => formatCount(sessions)),
    column('First seen', ({ created_at }) => time(created_at)),
    column('Last proven', ({ last_proven_at }) => time(last_proven_at)),
    controls('Change', forget),
  ];
  const beginning = form({
    fields: { ttl_seconds: LIFE },
    action: 'Allow a new beginning',
    async submit(values, { api, announce }) {
      const ttl_seconds = Number(values.text('ttl_seconds'));
      const made = await api.call('POST /apps/{app_id}/beginnings', { app_id, ttl_seconds });
      await revealSecret({
        title: `New beginning with ${app.name}`,
        label: 'login_hint',
        value: made.login_hint,
      });
      announce('One person may begin anew.', 'good');
    },
  });
  const caption = 'People by the first digits of the SHA-256 of their sub';
  const none = ['Nobody yet.', 'A person appears with the first sign-in with World ID 4.0.'] as const;
  return card('People with World ID 4.0', [pagedList(rows, { caption, columns, none }), beginning]);
}
