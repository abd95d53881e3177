import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdown } from './markdown.ts';
import { plots } from './plots.ts';
import type { RunRecord } from './types.ts';

/** JSON with one line per case, so that two runs can be compared line by line. */
export function runJson(run: RunRecord): string {
  const { cases, ...rest } = run;
  const head = JSON.stringify(rest, null, 2).replace(/\n\}$/, '');
  return `${head},\n  "cases": [\n${cases.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n')}\n  ]\n}\n`;
}

/**
 * Writes `<date>-<commit>.json`, the page and the plots drawn from it.
 *
 * @returns the common start of the files' names.
 */
export function writeRun(run: RunRecord, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const name = `${run.date.slice(0, 10)}-${run.commit}`;
  // Drawn from the text that is written, not from the object: nothing can be shown that the file lacks.
  const text = runJson(run);
  const kept = JSON.parse(text) as RunRecord;
  const drawn = plots(kept);
  writeFileSync(join(folder, `${name}.json`), text);
  for (const plot of drawn) writeFileSync(join(folder, `${name}.${plot.name}.svg`), plot.svg);
  writeFileSync(
    join(folder, `${name}.md`),
    markdown(
      kept,
      drawn.map((plot) => `${name}.${plot.name}.svg`),
    ),
  );
  return name;
}
