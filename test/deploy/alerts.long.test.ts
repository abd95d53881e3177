/** The alerts of `.deploy/prometheus` and their rows in `src/docs/monitor.md`. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cell } from '../../src/docs/pages.ts';
import { alerts, PROMTOOL_SKIP, promtool, readYaml, unknownIn } from './support/monitoring.ts';

interface AlertTest {
  readonly name: string;
  readonly input_series: readonly { readonly series: string }[];
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly { readonly exp_labels: Readonly<Record<string, string>> }[];
  }[];
}

const GUIDE = readFileSync(new URL('../../src/docs/monitor.md', import.meta.url), 'utf8');
const TEST_FILES = ['alerts.test.yml', 'alerts-long.test.yml'];
const tests = TEST_FILES.flatMap((file) => readYaml<{ tests: AlertTest[] }>(file).tests);

function testsOf(alert: string): AlertTest[] {
  return tests.filter(({ alert_rule_test: [rule] }) => rule?.alertname === alert);
}

describe.skipIf(PROMTOOL_SKIP !== '')(`promtool${PROMTOOL_SKIP}`, () => {
  it('accepts the configuration and the rules', () => {
    expect(promtool('check', 'config', 'prometheus.yml')).toContain('1 rule files found');
    expect(promtool('check', 'rules', 'alerts.yml')).toContain(`${alerts().length} rules found`);
  });

  it('finds that each alert fires for a bad node and not for a good one', () => {
    expect(promtool('test', 'rules', ...TEST_FILES).match(/SUCCESS/g)).toHaveLength(TEST_FILES.length);
  });
});

describe('the alerts', () => {
  it('are many, and each has a name of its own', () => {
    const names = alerts().map(({ alert }) => alert);
    expect(names.length).toBeGreaterThan(30);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(alerts())('$alert uses only metrics and labels that the service exposes', async ({ expr }) => {
    expect(await unknownIn(expr)).toEqual([]);
  });

  it.each(alerts())('$alert has a firing and a quiet case', ({ alert }) => {
    const cases = testsOf(alert);
    const fires = cases.flatMap(({ alert_rule_test: [rule] }) => rule?.exp_alerts ?? []);
    expect(fires).toHaveLength(1);
    if (cases.length > 1) return; // one case with no alert at all
    const instances = cases[0]?.input_series.map(({ series }) => /instance="(\w+)"/.exec(series)?.[1]);
    expect(new Set(instances)).toEqual(new Set(['bad', 'good']));
    expect(fires[0]?.exp_labels.instance).toBe('bad');
  });

  it.each(alerts())('$alert has a row in the guide', ({ alert, labels, annotations }) => {
    expect(annotations.runbook).toBe(`src/docs/monitor.md#${alert.toLowerCase()}`);
    expect(GUIDE).toContain(
      `| <a id="${alert.toLowerCase()}"></a>\`${alert}\` (${labels.severity}) | ${cell(annotations.summary)} | `,
    );
  });

  it('are all that the guide has', () => {
    const rows = [...GUIDE.matchAll(/^\| <a id="\w+"><\/a>`(\w+)`/gm)].map(([, name]) => name);
    expect(rows).toEqual(alerts().map(({ alert }) => alert));
  });
});
