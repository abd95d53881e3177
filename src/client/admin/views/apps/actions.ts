import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { Action, App } from '../../api/types.ts';
import type { ViewContext } from '../../context.ts';
import { actionButton } from '../../parts/action-button.ts';
import { badge, card, emptyState } from '../../parts/feedback.ts';
import { formatAmount, formatCount } from '../../parts/format.ts';
import { pager } from '../../parts/pager.ts';
import { code, table } from '../../parts/table.ts';
import { relativeTime } from '../../parts/time.ts';

/** Creates the card of the actions of an app. */
export function actionsCard(app: App, context: ViewContext): HTMLElement {
  const { api, signal } = context;
  const base = `/apps/${encodeURIComponent(app.app_id)}/actions`;
  const rows = pager<Action>({
    ...{ name: 'actions', signal, announce: () => undefined },
    read: (cursor, ended) => api.get<Listed<Action>>(base, { cursor, limit: 20 }, ended),
    show: (items) =>
      items.length === 0
        ? [emptyState('No actions yet.', 'An action appears with its first proof.')]
        : [actionTable(items)],
  });

  function actionTable(actions: readonly Action[]): HTMLElement {
    return table(
      'Actions with the number of people who took part',
      [
        {
          title: 'Action',
          isHead: true,
          cell: ({ action, description }) => [
            code(action === '' ? '(empty)' : action),
            ...(description === '' ? [] : [element('small', { class: 'block' }, description)]),
          ],
        },
        {
          title: 'Environment',
          cell: ({ environment }) => badge(environment, environment === 'production' ? 'accent' : 'plain'),
        },
        { title: 'People', kind: 'number', cell: ({ nullifiers }) => formatCount(nullifiers) },
        { title: 'First seen', cell: ({ first_seen_at }) => relativeTime(first_seen_at) },
        { title: 'Change', kind: 'controls', cell: resetButton },
      ],
      actions,
    );
  }

  function resetButton({ action, environment, nullifiers }: Action): HTMLElement | string {
    if (environment !== 'staging') return 'kept for good';
    return actionButton({
      text: 'Reset',
      context,
      attributes: { class: 'danger', 'aria-label': `Reset action ${action}` },
      question: {
        title: `Reset the action “${action}”?`,
        text: `The recorded nullifiers of the staging environment, about ${formatCount(nullifiers)}, are forgotten. Afterwards each person can take part once more. Production is not touched.`,
        action: 'Reset',
      },
      async run() {
        const { removed } = await api.post<{ readonly removed: number }>(`${base}/reset`, {
          body: { action },
        });
        await rows.load(true);
        return `The action “${action}” begins anew: ${formatAmount(removed, 'nullifier')} forgotten.`;
      },
    });
  }

  void rows.load();
  return card('Actions', [rows.node]);
}
