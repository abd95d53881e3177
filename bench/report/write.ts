import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdown } from './markdown.ts';
import { plots } from './plots.ts';
import type { RunRecord } from './types.ts';

/** Formats a run as JSON with one line per case, so that two runs can be compared line by line. */
export function runJson(run: RunRecord): string {
  const { cases, ...rest } = run;
  const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, '');
  return `${head},\n  "cases": [\n${cases.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n')}\n  ]\n}\n`;
}

/**
 * Writes `<date>-<commit>.json`, the page, and the plots for which the run has cases.
 *
 * @returns Names of the written files.
 */
export function writeRun(run: RunRecord, folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const name = `${run.date.slice(0, 10)}-${run.commit}`;
  // Made from the written text, not from the object, so that page and plots show nothing that the file lacks.
  const text = runJson(run);
  const kept = JSON.parse(text) as RunRecord;
  const drawn = plots(kept).map((plot) => [`${name}.${plot.name}.svg`, plot.svg] as const);
  const page = markdown(
    kept,
    drawn.map(([file]) => file),
  );
  const files = [[`${name}.json`, text], [`${name}.md`, page], ...drawn] as const;
  for (const [file, content] of files) writeFileSync(join(folder, file), content);
  return files.map(([file]) => file);
}
