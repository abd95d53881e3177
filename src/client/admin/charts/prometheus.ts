/** One sample of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"\s*,?\s*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/**
 * Parses an exposition, as https://prometheus.io/docs/instrumenting/exposition_formats describes it. Comments and lines
 * that are not samples are skipped.
 *
 * @param wanted - Names of the metrics to keep, for a page that draws a few of many; all if absent.
 */
export function parseMetrics(text: string, wanted?: ReadonlySet<string>): Sample[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [, name, inner = '', number] = LINE.exec(line.trim()) ?? [];
    if (name === undefined || number === undefined || wanted?.has(name) === false) return [];
    const labels = parseLabels(inner);
    const value = parseNumber(number);
    return labels === undefined || value === undefined ? [] : [{ name, labels, value }];
  });
}

function parseLabels(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  let end = 0;
  for (let match = LABEL.exec(text); match !== null; match = LABEL.exec(text)) {
    const [, name = '', value = ''] = match;
    labels[name] = value.replace(/\\(.)/g, (whole, character: string) => ESCAPES[character] ?? whole);
    end = LABEL.lastIndex;
  }
  return end === text.length ? labels : undefined;
}

function parseNumber(text: string): number | undefined {
  if (/^\+?Inf$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^-Inf$/i.test(text)) return Number.NEGATIVE_INFINITY;
  if (/^NaN$/i.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}

/** Adds up the samples of a name whose labels pass a filter. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  filter: (labels: Sample['labels']) => boolean = () => true,
): number {
  return samples.reduce(
    (sum, sample) => (sample.name === name && filter(sample.labels) ? sum + sample.value : sum),
    0,
  );
}

/** Counts of a histogram up to and including each upper bound, in rising order; the last bound is infinite. */
export type Buckets = readonly (readonly [bound: number, count: number])[];

/** Adds up the buckets of a histogram over the series whose labels pass a filter. */
export function bucketsOf(
  samples: readonly Sample[],
  name: string,
  filter: (labels: Sample['labels']) => boolean = () => true,
): Buckets {
  const counts = new Map<number, number>();
  for (const sample of samples) {
    if (sample.name !== `${name}_bucket` || !filter(sample.labels)) continue;
    const bound = parseNumber(sample.labels.le ?? '');
    if (bound !== undefined) counts.set(bound, (counts.get(bound) ?? 0) + sample.value);
  }
  return [...counts].sort(([one], [other]) => one - other);
}

/**
 * Estimates a quantile of what a histogram counted between two readings, by linear interpolation within a bucket as
 * Prometheus does it; undefined if it counted nothing.
 *
 * @param quantile - From 0 to 1.
 */
export function quantileBetween(quantile: number, before: Buckets, after: Buckets): number | undefined {
  const past = new Map(before);
  const grown = after.map(([bound, count]) => [bound, count - (past.get(bound) ?? 0)] as const);
  const total = grown.at(-1)?.[1] ?? 0;
  if (total <= 0) return undefined;
  const rank = quantile * total;
  let [low, below] = [0, 0];
  for (const [bound, count] of grown) {
    if (count >= rank) {
      // Above the last finite bound nothing is known but that bound.
      if (!Number.isFinite(bound)) return low;
      return count === below ? bound : low + ((bound - low) * (rank - below)) / (count - below);
    }
    [low, below] = [bound, count];
  }
  return low;
}
