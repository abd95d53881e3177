import type { VNode } from 'preact';
import type { Action, App } from '../../api/types.ts';
import { action } from '../../parts/action.tsx';
import { badge, card } from '../../parts/content.tsx';
import { formatAmount, formatCount } from '../../parts/format.ts';
import { pagedList, usePages } from '../../parts/resource.tsx';
import { amounts, type Column, code, column, controls, head, small } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';

/** The actions of an app. */
export function Actions({ app }: { app: App }): VNode {
  const { app_id } = app;
  const rows = usePages('GET /apps/{app_id}/actions', {
    name: 'actions',
    input: { app_id },
    limit: 20,
    isSilent: true,
  });
  const reset = ({ action: name, nullifiers }: Action): VNode =>
    action({
      text: 'Reset',
      mood: 'danger',
      label: `Reset action ${name}`,
      after: () => rows.load(true),
      ask: [
        `Reset the action “${name}”?`,
        `The recorded nullifiers of the staging environment, about ${formatCount(nullifiers)}, are forgotten. Afterwards each person can take part once more. Production is not touched.`,
      ],
      run: ({ api }) => api.call('POST /apps/{app_id}/actions/reset', { app_id, action: name }),
      done: ({ removed }) =>
        `The action “${name}” begins anew: ${formatAmount(removed, 'nullifier')} forgotten.`,
    });
  const columns: readonly Column<Action>[] = [
    head('Action', ({ action: name, description }) => [
      code(name === '' ? '(empty)' : name),
      description !== '' && small(description),
    ]),
    column('Environment', ({ environment }) =>
      badge(environment, environment === 'production' ? 'accent' : 'plain'),
    ),
    amounts('People', ({ nullifiers }) => formatCount(nullifiers)),
    column('First seen', ({ first_seen_at }) => time(first_seen_at)),
    controls('Change', (row) => (row.environment === 'staging' ? reset(row) : 'kept for good')),
  ];
  const caption = 'Actions with the number of people who took part';
  const none = ['No actions yet.', 'An action appears with its first proof.'] as const;
  return card('Actions', pagedList(rows, { caption, columns, none }));
}
