/**
 * Preload of a node (`--import`) that replaces one text in one file of the program, to see whether the tests notice.
 * The program does not start if the text is not in the file.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { file, text, replacement } = JSON.parse(process.env.PLANTED_FAULT);

// Node 20 runs the hooks in a thread of their own, which evaluates this module, too.
if (isMainThread) register(import.meta.url);

/** Hook of Node that loads a module. */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!url.endsWith(`/dist/${file}`)) return loaded;
  const source = loaded.source.toString();
  if (source.split(text).length !== 2) throw new Error(`expected once in ${file}: ${text}`);
  return { ...loaded, source: source.replace(text, () => replacement) };
}
