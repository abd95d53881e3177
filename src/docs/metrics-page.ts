import {
  METRIC_TABLE,
  type MetricKey,
  type MetricSpec,
  metricName,
} from '../observability/metrics/metric-table.ts';
import { code, GENERATED, markdownTable } from './markdown.ts';

function row(key: MetricKey): string[] {
  const spec: MetricSpec = METRIC_TABLE[key];
  return [
    code(metricName(key)),
    spec.type,
    spec.unit,
    spec.labels.map(code).join(', '),
    spec.help,
    spec.alert,
  ];
}

/** Returns `metrics.md`: every metric with unit, labels, meaning and a typical alert. */
export function metricsPage(): string {
  const keys = Object.keys(METRIC_TABLE) as MetricKey[];
  return `${GENERATED}
# Metrics

The admin listener serves these in the Prometheus text format at \`/metrics\`, together with the process and garbage
collection metrics of prom-client under their usual names (\`process_…\`, \`nodejs_…\`). Labels are bounded: a route is its pattern, and no label names a client, an app or a
person.

${markdownTable(['Metric', 'Type', 'Unit', 'Labels', 'Meaning', 'Typical alert'], keys.map(row))}
`;
}
