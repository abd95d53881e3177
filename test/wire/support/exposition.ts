const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (?:[-+0-9.e]+|NaN|[+-]Inf)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="(?:[^"\\]|\\.)*"(?:,|$)/g;

/** Which of their series there are depends on what the runtime did meanwhile. */
const RUNTIME = /^proofgate_(?:nodejs|process)_/;

/**
 * Names, help texts and types of a Prometheus exposition as they are written, and the label names of each series but
 * those of the runtime. Values and label values depend on what happened before.
 */
export function describeExposition(text: string): string[] {
  const lines = text.split('\n').map((line) => {
    if (line === '' || line.startsWith('# HELP ') || line.startsWith('# TYPE ')) return line;
    const [, name, labels = ''] = SAMPLE.exec(line) ?? [];
    if (name === undefined) throw new Error(`no sample of an exposition: ${line}`);
    return `${name}{${[...labels.matchAll(LABEL)].map(([, label]) => label).join()}}`;
  });
  return [...new Set(lines.filter((line) => !RUNTIME.test(line)))];
}
