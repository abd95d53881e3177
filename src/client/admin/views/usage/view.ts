import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { AppUsage, UsageDay } from '../../api/types.ts';
import type { View, ViewContext } from '../../context.ts';
import { card, emptyState, fill } from '../../parts/feedback.ts';
import { formField, select } from '../../parts/form.ts';
import { formatAmount, formatCount } from '../../parts/format.ts';
import { type Column, code, link, table } from '../../parts/table.ts';
import { USAGE_KINDS, usageChart } from './usage-chart.ts';

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
  async render(context, target) {
    const { query, remember, signal } = context;
    const days = select(PERIODS, query.get('days') ?? '30');
    const environment = select(ENVIRONMENTS, query.get('environment') ?? '');
    const [byDay, byApp] = [element('div', { class: 'usage' }), element('div')];
    const load = async (): Promise<void> => {
      const chosen = { days: Number(days.value), environment: environment.value };
      await Promise.all([
        fill(byDay, signal, () => dayNodes(context, chosen)),
        fill(byApp, signal, () => appNodes(context, chosen)),
      ]);
    };
    for (const control of [days, environment]) {
      control.addEventListener('change', () => {
        remember({ days: days.value, environment: environment.value });
        void load();
      });
    }
    const fields = [formField('days', 'Period', days), formField('environment', 'Environment', environment)];
    target.append(
      element('div', { class: 'toolbar pair' }, ...fields.map(({ node }) => node)),
      card('All apps', [byDay]),
      card('By app', [byApp]),
    );
    await load();
  },
};

interface Chosen {
  readonly days: number;
  /** Empty for both. */
  readonly environment: string;
}

async function dayNodes(
  { api, signal, announce }: ViewContext,
  { days, environment }: Chosen,
): Promise<Node[]> {
  const { items } = await api.get<Listed<UsageDay>>('/usage', { days }, signal);
  const chosen = items.filter((row) => environment === '' || row.environment === environment);
  const active = new Set(chosen.map(({ day }) => day)).size;
  announce(formatAmount(active, 'day with requests', 'days with requests'));
  if (chosen.length > 0) return usageChart(chosen, days);
  return [
    emptyState('No requests in this time.', 'Verifications and sign-ins of all apps are counted here.'),
  ];
}

async function appNodes({ api, signal }: ViewContext, chosen: Chosen): Promise<Node[]> {
  const query = { ...chosen, limit: MOST_APPS };
  const { items } = await api.get<Listed<AppUsage>>('/usage/apps', query, signal);
  if (items.length === 0) return [emptyState('No app had requests.', 'Choose a longer time.')];
  const shown = table('Requests by app, the app with most of them first', COLUMNS, items);
  if (items.length < MOST_APPS) return [shown];
  return [
    shown,
    element('p', { class: 'hint' }, `Only the ${MOST_APPS} apps with most requests are listed.`),
  ];
}

const COLUMNS: readonly Column<AppUsage>[] = [
  {
    title: 'App',
    isHead: true,
    cell: ({ app_id, name }) =>
      name === null ? [code(app_id, true), ' removed'] : link(name, `/apps/${encodeURIComponent(app_id)}`),
  },
  ...USAGE_KINDS.map(([kind, title]) => ({
    title: title.charAt(0).toUpperCase() + title.slice(1),
    kind: 'number' as const,
    cell: (app: AppUsage) => formatCount(app[kind]),
  })),
];
