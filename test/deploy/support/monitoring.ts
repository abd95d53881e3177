import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { METRIC_TABLE, type MetricKey, metricName } from '../../../src/observability/metrics/metric-table.ts';
import { createMetrics } from '../../../src/observability/metrics/metrics.ts';

/** Folder of the configuration of Prometheus. */
export const PROMETHEUS: string = fileURLToPath(new URL('../../../.deploy/prometheus/', import.meta.url));
/** Folder of the dashboard of Grafana. */
export const GRAFANA: string = fileURLToPath(new URL('../../../.deploy/grafana/', import.meta.url));

/** To be added to the name of what needs promtool, if it is not installed. */
export const PROMTOOL_SKIP: string =
  spawnSync('promtool', ['--version']).status === 0 ? '' : ' (skipped: promtool is not installed)';

/** Runs promtool in the folder of the configuration; returns what it prints. @throws Error if it finds a fault */
export function promtool(...args: readonly string[]): string {
  // each test has a database of its own, so that a collection after every few megabytes takes a quarter of the run
  const env = { ...process.env, GOGC: '400' };
  return execFileSync('promtool', args, { cwd: PROMETHEUS, encoding: 'utf8', stdio: 'pipe', env });
}

/** One alert of `alerts.yml`. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

/** Reads a file of the configuration. */
export function readYaml<T>(name: string): T {
  return parse(readFileSync(join(PROMETHEUS, name), 'utf8')) as T;
}

/** Returns all alerts, in order. */
export function alerts(): Alert[] {
  return readYaml<{ groups: { rules: Alert[] }[] }>('alerts.yml').groups.flatMap(({ rules }) => rules);
}

/** Checks with promtool that each expression is valid PromQL. @throws Error with what it says */
export function checkExpressions(expressions: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-promql-'));
  try {
    const rules = expressions.map((expr, index) => ({ record: `checked:expression_${index}`, expr }));
    // JSON is YAML.
    writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'checked', rules }] }));
    return promtool('check', 'rules', join(folder, 'rules.yml'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Labels that Prometheus adds to each series, and `le` of histograms. */
const ADDED = ['job', 'instance', 'le'];
const SELECTOR = /\b((?:proofgate|process|nodejs|up)[a-z0-9_]*)\b(?:\{([^}]*)\})?/g;

/**
 * Returns the names and labels in an expression that the service does not expose, as its `/metrics` tells. A metric is
 * known by its names on the wire; the labels of those of the process are not checked.
 */
export async function unknownIn(expression: string): Promise<string[]> {
  const known = await exposedLabels();
  return [...expression.matchAll(SELECTOR)].flatMap(([, name = '', matchers = '']) => {
    const labels = known.get(name);
    if (labels === undefined) return [name];
    const used = [...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
    const unknown = used.filter((label) => ![...labels, ...ADDED].includes(label));
    return unknown.map((label) => `${name}{${label}}`);
  });
}

let exposed: Promise<ReadonlyMap<string, readonly string[]>> | undefined;

function exposedLabels(): Promise<ReadonlyMap<string, readonly string[]>> {
  exposed ??= readExposition();
  return exposed;
}

/** Returns the labels of each name of the exposition; `up` is added by Prometheus. */
async function readExposition(): Promise<ReadonlyMap<string, readonly string[]>> {
  const metrics = createMetrics();
  try {
    const keys = Object.keys(METRIC_TABLE) as MetricKey[];
    const declared = new Map(
      keys.map((key) => [metricName(key), METRIC_TABLE[key].labels as readonly string[]]),
    );
    const names = new Map<string, readonly string[]>([['up', []]]);
    for (const [, name = '', type] of (await metrics.exposition()).matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      const labels = declared.get(name) ?? [];
      const wireNames =
        type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
      for (const wireName of wireNames) names.set(wireName, labels);
    }
    return names;
  } finally {
    metrics.close();
  }
}
