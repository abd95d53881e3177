import { element } from '../../dom.ts';
import type { ViewContext } from '../context.ts';
import { actionButton } from '../parts/action-button.ts';
import { badge, card } from '../parts/feedback.ts';
import { form, formField } from '../parts/form.ts';
import { formatAmount } from '../parts/format.ts';

interface RefreshState {
  readonly enabled: boolean;
}

/** Reads the switch of credential refresh and creates it with the button that sweeps the store. */
export async function serviceSwitches(context: ViewContext): Promise<Node[]> {
  const { api, signal } = context;
  const { enabled } = await api.get<RefreshState>('/refresh', {}, signal);
  const next = enabled ? 'Switch off' : 'Switch on';
  const refresh = actionButton({
    text: next,
    context,
    attributes: enabled ? { class: 'danger' } : {},
    question: {
      title: `${next} the issuance of credentials?`,
      text: enabled
        ? 'No node issues credentials until you switch it on again. Credentials that were issued stay valid.'
        : 'All nodes issue credentials again, if the setting refresh.enabled is true.',
      action: next,
    },
    async run() {
      await api.patch('/refresh', { body: { enabled: !enabled } });
      context.reload();
      return `The issuance of credentials is switched ${enabled ? 'off' : 'on'}.`;
    },
  });
  const sweep = actionButton({
    text: 'Sweep now',
    context,
    async run() {
      const { removed } = await api.post<{ readonly removed: Record<string, number> }>('/sweep', {
        body: {},
      });
      const rows = Object.values(removed).reduce((sum, count) => sum + count, 0);
      return rows === 0 ? 'No expired rows were found.' : `Removed ${formatAmount(rows, 'expired row')}.`;
    },
  });
  return [
    card('Service', [
      element(
        'div',
        { class: 'switch' },
        element('p', {}, 'Issuance of credentials ', enabled ? badge('on', 'good') : badge('off', 'note')),
        refresh,
      ),
      element(
        'div',
        { class: 'switch' },
        element(
          'p',
          {},
          'Expired rows are removed periodically',
          element('small', { class: 'block' }, 'Sweep by hand only to free space at once.'),
        ),
        sweep,
      ),
    ]),
  ];
}

/** Creates the form that revokes an access token of a person. */
export function revokeForm(context: ViewContext): HTMLElement {
  const token = element('textarea', { rows: '3', class: 'mono', spellcheck: 'false', autocomplete: 'off' });
  const hint =
    'An access token that was lost or stolen. It is refused by introspection and user information until it expires.';
  return form({
    fields: [formField('token', 'Access token', token, hint)],
    ...{ action: 'Revoke', context, isDanger: true },
    async submit() {
      const { revoked } = await context.api.post<{ readonly revoked: boolean }>('/tokens/revoke', {
        body: { token: token.value.trim() },
      });
      token.value = '';
      context.announce(
        revoked ? 'The access token is revoked.' : 'The access token had already expired.',
        'good',
      );
    },
  });
}
