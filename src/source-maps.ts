/**
 * Maps stack traces of the bundled program to source files and lines. The maps are read when the first trace is
 * formatted: the support of Node (`--enable-source-maps`) reads them when each file is loaded, which lengthens the
 * start. Entry files of the program import this module; without maps, or when run from source, it has no effect.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const maps = new Map<string, SourceMap | undefined>();

/** Returns the source map of a file of the program; undefined if there is no readable one. */
function mapOf(file: string): SourceMap | undefined {
  if (maps.has(file)) return maps.get(file);
  let map: SourceMap | undefined;
  try {
    map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')));
  } catch {
    // a program without maps, or a file of Node
  }
  maps.set(file, map);
  return map;
}

/** Matches the place of a call site: URL of the file, line, column. */
const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;

/** Replaces the place of a call site by that in its source, if a map has it. */
function toSource(callSite: string): string {
  return callSite.replace(PLACE, (place: string, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

if (import.meta.url.endsWith('.js')) {
  Error.prepareStackTrace = (error, callSites) =>
    [
      Error.prototype.toString.call(error),
      ...callSites.map((site) => `    at ${toSource(String(site))}`),
    ].join('\n');
}
