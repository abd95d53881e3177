import { element } from '../../../dom.ts';
import type { Listed } from '../../api/client.ts';
import type { App, UsageDay } from '../../api/types.ts';
import type { ViewContext } from '../../context.ts';
import { card, emptyState, fill } from '../../parts/feedback.ts';
import { usageChart } from '../usage/usage-chart.ts';

const DAYS = 30;

/** Creates the card with the counts of an app by day. */
export function usageCard({ app_id }: App, { api, signal }: ViewContext): HTMLElement {
  const place = element('div', { class: 'usage' });
  void fill(place, signal, async () => {
    const path = `/apps/${encodeURIComponent(app_id)}/usage`;
    const { items } = await api.get<Listed<UsageDay>>(path, { days: DAYS }, signal);
    if (items.length > 0) return usageChart(items, DAYS);
    const text = 'Verifications and sign-ins of this app are counted here.';
    return [emptyState(`No requests in the last ${DAYS} days.`, text)];
  });
  return card(`Usage in the last ${DAYS} days`, [place]);
}
