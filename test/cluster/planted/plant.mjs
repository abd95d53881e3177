/**
 * Preload of a node (`--import`) that replaces one text of one source in the bundled program, to see whether the tests
 * notice. The program does not start if the text is not in the source exactly once.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { file, text, replacement } = JSON.parse(process.env.PLANTED_FAULT);
const DIST = new URL('../../../dist/', import.meta.url);

/** Splits a bundle into what comes before a source, the source, and the rest; undefined if it does not have the source. */
function split(bundle) {
  const head = `// src/${file}\n`;
  const start = bundle.indexOf(head);
  if (start === -1) return undefined;
  const next = /^\/\/ (?:src|node_modules|wasm)\/.*$/m.exec(bundle.slice(start + head.length));
  const end = next === null ? bundle.length : start + head.length + next.index;
  return [bundle.slice(0, start), bundle.slice(start, end), bundle.slice(end)];
}

const places = readdirSync(DIST).filter(
  (name) => name.endsWith('.js') && split(readFileSync(new URL(name, DIST), 'utf8')) !== undefined,
);
const [, source] = split(readFileSync(new URL(places[0] ?? 'main.js', DIST), 'utf8')) ?? [];
if (places.length !== 1 || source.split(text).length !== 2)
  throw new Error(`expected once in ${file}: ${text}`);

// Node 20 runs the hooks in a thread of their own, which evaluates this module, too.
if (isMainThread) register(import.meta.url);

/** Hook of Node that loads a module. */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (url !== new URL(places[0], DIST).href) return loaded;
  const [before, planted, after] = split(loaded.source.toString());
  return { ...loaded, source: before + planted.replace(text, () => replacement) + after };
}
