import type { VNode } from 'preact';
import type { App, Action as AppAction } from '../../api/types.ts';
import { Action } from '../../parts/action.tsx';
import { Badge, Card, Code, Empty, Small } from '../../parts/content.tsx';
import { formatAmount, formatCount } from '../../parts/format.ts';
import { PagedList, usePages } from '../../parts/resource.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

/** The actions of an app. */
export function Actions({ app }: { app: App }): VNode {
  const base = `/apps/${encodeURIComponent(app.app_id)}/actions`;
  const rows = usePages<AppAction>({ name: 'actions', path: base, limit: 20, isSilent: true });
  const reset = ({ action, nullifiers }: AppAction): VNode => (
    <Action
      text="Reset"
      class="danger"
      label={`Reset action ${action}`}
      question={{
        title: `Reset the action “${action}”?`,
        text: `The recorded nullifiers of the staging environment, about ${formatCount(nullifiers)}, are forgotten. Afterwards each person can take part once more. Production is not touched.`,
        action: 'Reset',
      }}
      run={async ({ api }) => {
        const body = { action };
        const { removed } = await api.post<{ readonly removed: number }>(`${base}/reset`, { body });
        await rows.load(true);
        return `The action “${action}” begins anew: ${formatAmount(removed, 'nullifier')} forgotten.`;
      }}
    />
  );
  const columns: readonly Column<AppAction>[] = [
    {
      title: 'Action',
      isHead: true,
      cell: ({ action, description }) => (
        <>
          <Code text={action === '' ? '(empty)' : action} />
          {description !== '' && <Small>{description}</Small>}
        </>
      ),
    },
    {
      title: 'Environment',
      cell: ({ environment }) => (
        <Badge tone={environment === 'production' ? 'accent' : 'plain'}>{environment}</Badge>
      ),
    },
    { title: 'People', kind: 'number', cell: ({ nullifiers }) => formatCount(nullifiers) },
    { title: 'First seen', cell: ({ first_seen_at }) => <Time at={first_seen_at} /> },
    {
      title: 'Change',
      kind: 'controls',
      cell: (row) => (row.environment === 'staging' ? reset(row) : 'kept for good'),
    },
  ];
  return (
    <Card title="Actions">
      <PagedList
        of={rows}
        caption="Actions with the number of people who took part"
        columns={columns}
        none={<Empty title="No actions yet." text="An action appears with its first proof." />}
      />
    </Card>
  );
}
