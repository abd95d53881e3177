/**
 * Stack traces of the bundled program name the source files and their lines. The maps are read when the first trace is
 * formatted: Node's own support (`--enable-source-maps`) reads them as each file is loaded, which makes a start longer.
 * Entries of the program import this file; run from source, or without maps, it changes nothing.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const maps = new Map<string, SourceMap | undefined>();

/** Returns the map beside a file of the program; undefined if there is none that can be read. */
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
