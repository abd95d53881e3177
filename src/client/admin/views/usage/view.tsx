import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Listed } from '../../api/client.ts';
import type { AppUsage, UsageDay } from '../../api/types.ts';
import { useView, type View } from '../../context.ts';
import { Card, Code, Empty, Link } from '../../parts/content.tsx';
import { Field } from '../../parts/fields.tsx';
import { formatAmount, formatCount } from '../../parts/format.ts';
import { Loaded, useList, useResource } from '../../parts/resource.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { UsageChart } from './usage-chart.tsx';
import { USAGE_KINDS } from './usage-days.ts';

const PERIODS = [
  ['7', 'last 7 days'],
  ['30', 'last 30 days'],
  ['90', 'last 90 days'],
] as const;
const ENVIRONMENTS = [
  ['', 'production and staging'],
  ['production', 'production'],
  ['staging', 'staging'],
] as const;
const MOST_APPS = 50;

/** Counts of verifications and sign-ins of all apps, by day and by app. */
export const usageView: View = {
  title: 'Usage',
  lead: 'Verifications and sign-ins over all nodes, by UTC day. The counts are for orientation: those of a node that was killed can be missing. They are kept for 90 days and hold no personal data.',
  Content: UsagePage,
};

function UsagePage(): VNode {
  const { api, query, remember, announce } = useView();
  const [chosen, setChosen] = useState({
    days: query.get('days') ?? '30',
    environment: query.get('environment') ?? '',
  });
  const choose = (change: Partial<typeof chosen>): void => {
    const next = { ...chosen, ...change };
    remember(next);
    setChosen(next);
  };
  const { environment } = chosen;
  const days = Number(chosen.days);
  const byDay = useResource(
    async (over) => {
      const { items } = await api.get<Listed<UsageDay>>('/usage', { days }, over);
      const rows = items.filter((row) => environment === '' || row.environment === environment);
      const active = new Set(rows.map(({ day }) => day)).size;
      announce(formatAmount(active, 'day with requests', 'days with requests'));
      return { rows, days };
    },
    [days, environment],
  );
  const byApp = useList<AppUsage>('/usage/apps', { days, environment, limit: MOST_APPS });
  return (
    <>
      <div class="toolbar pair">
        <Field
          spec={{ name: 'days', label: 'Period', kind: 'select', choices: PERIODS, value: chosen.days }}
          onValue={(value) => choose({ days: value })}
        />
        <Field
          spec={{
            ...{ name: 'environment', label: 'Environment', kind: 'select' },
            ...{ choices: ENVIRONMENTS, value: environment },
          }}
          onValue={(value) => choose({ environment: value })}
        />
      </div>
      <Card title="All apps">
        <Loaded from={byDay} class="usage">
          {({ rows, days: length }) =>
            rows.length > 0 ? (
              <UsageChart items={rows} length={length} />
            ) : (
              <Empty
                title="No requests in this time."
                text="Verifications and sign-ins of all apps are counted here."
              />
            )
          }
        </Loaded>
      </Card>
      <Card title="By app">
        <Loaded from={byApp}>{(apps) => <AppTable apps={apps} />}</Loaded>
      </Card>
    </>
  );
}

function AppTable({ apps }: { apps: readonly AppUsage[] }): VNode {
  if (apps.length === 0) return <Empty title="No app had requests." text="Choose a longer time." />;
  return (
    <>
      <Table caption="Requests by app, the app with most of them first" columns={COLUMNS} rows={apps} />
      {apps.length === MOST_APPS && (
        <p class="hint">{`Only the ${MOST_APPS} apps with most requests are listed.`}</p>
      )}
    </>
  );
}

const COLUMNS: readonly Column<AppUsage>[] = [
  {
    title: 'App',
    isHead: true,
    cell: ({ app_id, name }) =>
      name === null ? (
        <>
          <Code text={app_id} isShort /> removed
        </>
      ) : (
        <Link to={`/apps/${encodeURIComponent(app_id)}`}>{name}</Link>
      ),
  },
  ...USAGE_KINDS.map(([kind, title]) => ({
    title: title.charAt(0).toUpperCase() + title.slice(1),
    kind: 'number' as const,
    cell: (app: AppUsage) => formatCount(app[kind]),
  })),
];
