import type { ComponentChildren, VNode } from 'preact';
import { given } from '../../api/client.ts';
import type { AppUsage, UsageDay } from '../../api/types.ts';
import { useView, type View } from '../../context.ts';
import { card, empty, link } from '../../parts/content.tsx';
import { useFilters } from '../../parts/fields.tsx';
import { formatAmount, formatCount } from '../../parts/format.ts';
import { loaded, useList, useResource } from '../../parts/resource.tsx';
import { amounts, type Column, code, head, table } from '../../parts/table.tsx';
import { usageChart } from './usage-chart.tsx';
import { USAGE_KINDS } from './usage-days.ts';

const PERIODS = { 7: 'last 7 days', 30: 'last 30 days', 90: 'last 90 days' };
const ENVIRONMENTS = { '': 'production and staging', production: 'production', staging: 'staging' };
const MOST_APPS = 50;

/** Counts of verifications and sign-ins of all apps, by day and by app. */
export const usageView: View = {
  title: 'Usage',
  lead: 'Verifications and sign-ins over all nodes, by UTC day. The counts are for orientation: those of a node that was killed can be missing. They are kept for 90 days and hold no personal data.',
  Content: UsagePage,
};

function UsagePage(): VNode {
  const { api, announce } = useView();
  const [{ days, environment }, filters] = useFilters({
    days: { label: 'Period', kind: 'select', choices: PERIODS, value: '30' },
    environment: { label: 'Environment', kind: 'select', choices: ENVIRONMENTS },
  });
  const byDay = useResource(
    async (over) => {
      const { items } = await api.call('GET /usage', { days: Number(days) }, { signal: over });
      const rows = items.filter((row) => environment === '' || row.environment === environment);
      const active = new Set(rows.map(({ day }) => day)).size;
      announce(formatAmount(active, 'day with requests', 'days with requests'));
      return { rows, length: Number(days) };
    },
    [days, environment],
  );
  const none = [
    'No requests in this time.',
    'Verifications and sign-ins of all apps are counted here.',
  ] as const;
  const chart = loaded(
    byDay,
    ({ rows, length }) => (rows.length > 0 ? usageChart(rows, length) : empty(none)),
    'usage',
  );
  const byApp = useList('GET /usage/apps', {
    days: Number(days),
    environment: given<UsageDay['environment']>(environment),
    limit: MOST_APPS,
  });
  const cards = [card('All apps', chart), card('By app', loaded(byApp, appTable))];
  return <>{[<div class="toolbar pair">{filters}</div>, cards]}</>;
}

function appTable(apps: readonly AppUsage[]): ComponentChildren {
  if (apps.length === 0) return empty(['No app had requests.', 'Choose a longer time.']);
  const shown = table(
    { caption: 'Requests by app, the app with most of them first', columns: COLUMNS },
    apps,
  );
  const note = <p class="hint">{`Only the ${MOST_APPS} apps with most requests are listed.`}</p>;
  return [shown, apps.length === MOST_APPS && note];
}

const COLUMNS: readonly Column<AppUsage>[] = [
  head('App', ({ app_id, name }) =>
    name === null ? [code(app_id, true), ' removed'] : link(`/apps/${encodeURIComponent(app_id)}`, name),
  ),
  ...USAGE_KINDS.map(([kind, title]) =>
    amounts(title.charAt(0).toUpperCase() + title.slice(1), (app: AppUsage) => formatCount(app[kind])),
  ),
];
