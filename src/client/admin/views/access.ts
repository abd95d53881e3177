import { element } from '../../dom.ts';
import type { Listed } from '../api/client.ts';
import type { AdminToken } from '../api/types.ts';
import type { View, ViewContext } from '../context.ts';
import { actionButton } from '../parts/action-button.ts';
import { revealSecret } from '../parts/dialogs.ts';
import { badge, card, emptyState, fill } from '../parts/feedback.ts';
import { checkedIn, choiceGroup, form, formField, select } from '../parts/form.ts';
import { table } from '../parts/table.ts';
import { optionalTime, relativeTime } from '../parts/time.ts';
import { revokeForm, serviceSwitches } from './service-switches.ts';

const DAY_SECONDS = 86_400;
const LIFETIMES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['', 'does not expire'],
] as const;

/** Who may use the admin API, and the switches of the service. */
export const accessView: View = {
  title: 'Access',
  async render(context, target) {
    const { api, signal } = context;
    const list = element('div');
    const switches = element('div');
    const load = (): Promise<void> =>
      fill(list, signal, async () => {
        const { items } = await api.get<Listed<AdminToken>>('/tokens', {}, signal);
        const text =
          'Only the setting admin.token gives access. Add a token for each person and program, so that the audit log can tell them apart.';
        return items.length === 0 ? [emptyState('No tokens yet.', text)] : [tokenTable(items, context, load)];
      });
    target.append(
      card('Admin tokens', [list]),
      element(
        'div',
        { class: 'columns' },
        card('Add a token', [createForm(context, load)]),
        element('div', { class: 'stack' }, switches, card('Revoke an access token', [revokeForm(context)])),
      ),
    );
    await Promise.all([load(), fill(switches, signal, () => serviceSwitches(context))]);
  },
};

function tokenTable(
  tokens: readonly AdminToken[],
  context: ViewContext,
  load: () => Promise<void>,
): HTMLElement {
  return table(
    'Tokens of the admin API',
    [
      { title: 'Name', isHead: true, cell: ({ name }) => name },
      { title: 'Scope', cell: ({ scope }) => badge(scope, scope === 'write' ? 'note' : 'plain') },
      { title: 'Created', cell: ({ created_at }) => relativeTime(created_at) },
      { title: 'Expires', cell: ({ expires_at }) => optionalTime(expires_at, 'never') },
      {
        title: 'Action',
        kind: 'controls',
        cell: ({ name, token_id: id }) =>
          actionButton({
            text: 'Revoke',
            context,
            attributes: { class: 'danger', 'aria-label': `Revoke token ${name}` },
            question: {
              title: `Revoke the token ${name}?`,
              text: 'It stops working immediately, and whatever uses it is refused.',
              action: 'Revoke',
            },
            async run() {
              await context.api.remove(`/tokens/${encodeURIComponent(id)}`);
              await load();
              return `The token ${name} is revoked.`;
            },
          }),
      },
    ],
    tokens,
  );
}

function createForm(context: ViewContext, load: () => Promise<void>): HTMLElement {
  const name = element('input', { name: 'name', maxlength: '64', autocomplete: 'off' });
  const lifetime = select(LIFETIMES, '90');
  const scope = choiceGroup(
    'scope',
    'Scope',
    'radio',
    [
      ['read', 'Read', 'Sees everything here, changes nothing; for monitoring and for a look.'],
      ['write', 'Write', 'May change everything.'],
    ],
    ['read'],
  );
  const fields = [
    formField('name', 'Name', name, 'Whose it is, or what uses it; shown in the audit log'),
    scope,
    formField('expires_in_seconds', 'Lifetime', lifetime),
  ];
  return form({
    ...{ fields, action: 'Add the token', context },
    async submit() {
      const days = Number(lifetime.value);
      const made = await context.api.post<AdminToken>('/tokens', {
        body: {
          ...{ name: name.value.trim(), scope: checkedIn(scope)[0] },
          ...(days === 0 ? {} : { expires_in_seconds: days * DAY_SECONDS }),
        },
      });
      name.value = '';
      await revealSecret({
        title: `The token ${made.name} is ready`,
        text: 'Copy it now: it is shown only this once, and the service keeps only a hash of it.',
        label: 'Admin token',
        value: made.token ?? '',
      });
      await load();
      context.announce(`The token ${made.name} is added.`, 'good');
    },
  });
}
