const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (?:[-+0-9.e]+|NaN|[+-]Inf)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="(?:[^"\\]|\\.)*"(?:,|$)/g;

/** Metrics of the runtime, whose series vary from run to run. */
const RUNTIME = /^(?:nodejs|process)_/;

/**
 * Reduces a Prometheus exposition to names, help texts and types as written, and the label names of each
 * series, without the metrics of the runtime. Values and label values are dropped, because they depend on
 * earlier requests.
 */
export function describeExposition(text: string): string[] {
  const lines = text.split('\n').map((line) => {
    if (line === '' || line.startsWith('# HELP ') || line.startsWith('# TYPE ')) return line;
    const [, name, labels = ''] = SAMPLE.exec(line) ?? [];
    if (name === undefined) throw new Error(`expected a sample of an exposition, got ${line}`);
    return `${name}{${[...labels.matchAll(LABEL)].map(([, label]) => label).join()}}`;
  });
  return [...new Set(lines.filter((line) => !RUNTIME.test(line)))];
}
