import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SOURCES, sourceFiles } from '../support/module-graph.ts';

const PAGE = readFileSync(new URL('docs/events.md', SOURCES), 'utf8');

/** Event names of log lines in the sources. */
function namesInSources(): string[] {
  const names = sourceFiles()
    .filter((file) => !file.startsWith('client/'))
    .flatMap((file) => [
      ...readFileSync(new URL(file, SOURCES), 'utf8').matchAll(/\bevent(?::| =) '([a-z_]+\.[a-z0-9_]+)'/g),
    ])
    .map(([, name = '']) => name);
  return [...new Set(names)].sort();
}

describe('the page of events', () => {
  it('lists every event of the sources, and no other', () => {
    const listed = [...PAGE.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', ').map((name) => name.replaceAll('`', '')),
    );
    expect(listed.sort()).toEqual(namesInSources());
  });
});
