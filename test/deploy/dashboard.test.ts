/** The dashboard of `.deploy/grafana`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { METRIC_TABLE, type MetricKey, metricName } from '../../src/observability/metrics/metric-table.ts';
import { checkExpressions, GRAFANA, PROMTOOL_SKIP, unknownIn } from './support/monitoring.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly datasource: unknown }[];
}
interface Dashboard {
  readonly uid: string;
  readonly id?: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

const dashboard = JSON.parse(readFileSync(join(GRAFANA, 'proofgate.json'), 'utf8')) as Dashboard;
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
const SOURCE = { type: 'prometheus', uid: '${datasource}' };

/** Returns an expression with the values that Grafana would put into it. */
function filledIn(expr: string): string {
  return expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
}

describe('the dashboard', () => {
  it('can be imported: it has no id, and asks for its data source', () => {
    expect(dashboard.uid).toBe('proofgate');
    expect(dashboard.id).toBeUndefined();
    const variables = dashboard.templating.list.map(({ name, type }) => [name, type]);
    expect(variables).toEqual([
      ['datasource', 'datasource'],
      ['instance', 'query'],
    ]);
    for (const { title, datasource, targets = [] } of panels) {
      expect([title, datasource, ...targets.map((target) => target.datasource)]).toEqual([
        title,
        SOURCE,
        ...targets.map(() => SOURCE),
      ]);
    }
  });

  it('has a row for each part of the service', () => {
    const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).toEqual([
      'Overview',
      'Verification',
      'Engine',
      'Sign-in',
      'Refresh',
      'Roots',
      'Store',
      'Keys, certificate and backup',
      'Process',
      'Webhooks',
    ]);
  });

  it('has panels with ids of their own, explained, that do not overlap', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { title, description } of panels)
      expect([title, description ?? '']).toEqual([title, expect.stringMatching(/\.$/)]);
    const taken = new Map<string, string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([`${x},${y}`, title, taken.get(`${x},${y}`)]).toEqual([`${x},${y}`, title, undefined]);
          taken.set(`${x},${y}`, title);
        }
      }
    }
  });

  it('filters every metric by the chosen nodes', () => {
    const unfiltered = expressions.filter((expr) =>
      /\b(?:proofgate|process|nodejs)_\w+(?!\w|\{instance=~"\$instance")/.test(expr),
    );
    expect(unfiltered).toEqual([]);
  });

  it.each(panels)(
    '$title queries only metrics and labels that the service exposes',
    async ({ targets = [] }) => {
      expect(targets.length).toBeGreaterThan(0);
      for (const { expr } of targets) expect(await unknownIn(expr)).toEqual([]);
    },
  );

  it('shows nearly every metric', () => {
    const names = (Object.keys(METRIC_TABLE) as MetricKey[]).map(metricName);
    const shown = names.filter((name) => expressions.some((expr) => expr.includes(name)));
    expect(shown.length / names.length).toBeGreaterThan(0.7);
  });

  it.skipIf(PROMTOOL_SKIP !== '')(`has valid expressions only${PROMTOOL_SKIP}`, () => {
    expect(checkExpressions(expressions.map(filledIn))).toContain(`${expressions.length} rules found`);
    expect(() => checkExpressions(['sum by (instance) (rate(up[1m])'])).toThrow('unclosed left parenthesis');
  });
});

describe('the provisioning of Grafana', () => {
  const read = (name: string): unknown => parse(readFileSync(join(GRAFANA, 'provisioning', name), 'utf8'));

  it('has the data source and the folder of the dashboard', () => {
    expect(read('datasources/prometheus.yml')).toMatchObject({
      apiVersion: 1,
      datasources: [{ type: 'prometheus', isDefault: true }],
    });
    expect(read('dashboards/proofgate.yml')).toMatchObject({
      apiVersion: 1,
      providers: [{ type: 'file', options: { path: '/var/lib/grafana/dashboards' } }],
    });
  });
});
