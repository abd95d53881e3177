import type { VNode } from 'preact';
import { given } from '../api/client.ts';
import type { AdminToken, RefreshState } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { action } from '../parts/action.tsx';
import { badge, card, switchRow } from '../parts/content.tsx';
import { revealSecret } from '../parts/dialogs.tsx';
import { type FormParts, form } from '../parts/form.tsx';
import { formatAmount } from '../parts/format.ts';
import { list, loaded, type Resource, useList, useResource } from '../parts/resource.tsx';
import { type Column, column, controls, head, small } from '../parts/table.tsx';
import { time } from '../parts/time.tsx';

const DAY_SECONDS = 86_400;

/** Tokens of the admin API, and the switches of the service. */
export const accessView: View = { title: 'Access', Content: AccessPage };

function AccessPage(): VNode {
  const tokens = useList('GET /tokens', {});
  const { api } = useView();
  const service = useResource((over) => api.call('GET /refresh', {}, { signal: over }));
  const parts = [loaded(service, serviceCard), card('Revoke an access token', form(REVOCATION))];
  return (
    <>
      {card('Admin tokens', list(tokens, { ...TABLE, columns: columnsOf(tokens) }))}
      <div class="columns">
        {[card('Add a token', form(creation(tokens))), <div class="stack">{parts}</div>]}
      </div>
    </>
  );
}

type Tokens = Resource<readonly AdminToken[]>;

const TABLE = {
  caption: 'Tokens of the admin API',
  none: [
    'No tokens yet.',
    'Only the setting admin.token gives access. Add a token for each person and program, so that the audit log can tell them apart.',
  ],
} as const;

function columnsOf(tokens: Tokens): readonly Column<AdminToken>[] {
  const revocation = ({ name, token_id: id }: AdminToken): VNode =>
    action({
      text: 'Revoke',
      mood: 'danger',
      label: `Revoke token ${name}`,
      after: () => tokens.load(),
      ask: [`Revoke the token ${name}?`, 'It stops working immediately, and whatever uses it is refused.'],
      run: ({ api }) => api.call('DELETE /tokens/{token_id}', { token_id: id }),
      done: () => `The token ${name} is revoked.`,
    });
  return [
    head('Name', ({ name }) => name),
    column('Scope', ({ scope }) => badge(scope, scope === 'write' ? 'note' : 'plain')),
    column('Created', ({ created_at }) => time(created_at)),
    column('Expires', ({ expires_at }) => time(expires_at, 'never')),
    controls('Action', revocation),
  ];
}

function creation(tokens: Tokens): FormParts {
  return {
    action: 'Add the token',
    fields: {
      name: {
        label: 'Name',
        attributes: { maxlength: 64 },
        hint: 'Whose it is, or what uses it; shown in the audit log',
      },
      scope: {
        label: 'Scope',
        kind: 'radio',
        value: 'read',
        choices: {
          read: ['Read', 'Sees everything here, changes nothing; for monitoring and for a look.'],
          write: ['Write', 'May change everything.'],
        },
      },
      expires_in_seconds: {
        label: 'Lifetime',
        kind: 'select',
        value: '90',
        choices: { 30: '30 days', 90: '90 days', 365: '1 year', '': 'does not expire' },
      },
    },
    async submit(values, { api, announce }) {
      const lifetime = Number(values.text('expires_in_seconds')) * DAY_SECONDS;
      const made = await api.call('POST /tokens', {
        name: values.text('name'),
        scope: given<AdminToken['scope']>(values.text('scope')),
        ...(lifetime === 0 ? {} : { expires_in_seconds: lifetime }),
      });
      values.set('name', '');
      const title = `The token ${made.name} is ready`;
      await revealSecret({ title, label: 'Admin token', value: made.token });
      await tokens.load();
      announce(`The token ${made.name} is added.`, 'good');
    },
  };
}

/** The switch of credential refresh, and the button that sweeps the store. */
function serviceCard({ enabled }: RefreshState): VNode {
  const next = enabled ? 'Switch off' : 'Switch on';
  const refresh = action({
    text: next,
    mood: enabled ? 'danger' : undefined,
    ask: [
      `${next} the issuance of credentials?`,
      enabled
        ? 'No node issues credentials until you switch it on again. Credentials that were issued stay valid.'
        : 'All nodes issue credentials again, if the setting refresh.enabled is true.',
    ],
    run: ({ api }) => api.call('PATCH /refresh', { enabled: !enabled }),
    done: () => `The issuance of credentials is switched ${enabled ? 'off' : 'on'}.`,
  });
  const sweep = action({
    text: 'Sweep now',
    after: () => undefined,
    run: ({ api }) => api.call('POST /sweep', {}),
    done({ removed }) {
      const rows = Object.values(removed).reduce((sum, count) => sum + count, 0);
      return rows === 0 ? 'No expired rows were found.' : `Removed ${formatAmount(rows, 'expired row')}.`;
    },
  });
  const hint = small('Sweep by hand only to free space at once.');
  return card('Service', [
    switchRow(refresh, 'Issuance of credentials ', enabled ? badge('on', 'good') : badge('off', 'note')),
    switchRow(sweep, 'Expired rows are removed periodically', hint),
  ]);
}

const REVOCATION: FormParts = {
  action: 'Revoke',
  isDanger: true,
  fields: {
    token: {
      label: 'Access token',
      kind: 'lines',
      attributes: { rows: 3 },
      hint: 'An access token that was lost or stolen. It is refused by introspection and user information until it expires.',
    },
  },
  async submit(values, { api, announce }) {
    const { revoked } = await api.call('POST /tokens/revoke', { token: values.text('token') });
    values.set('token', '');
    announce(revoked ? 'The access token is revoked.' : 'The access token had already expired.', 'good');
  },
};
