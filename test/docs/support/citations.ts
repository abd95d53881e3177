import { posix } from 'node:path';
import { type Headings, headingsOf, linksOf } from './markdown.ts';

/** Texts of a repository by path. */
export interface Texts {
  /** Files whose citations are followed. */
  readonly cited: ReadonlyMap<string, string>;
  /** Paths of all files, including binary ones. */
  readonly paths: ReadonlySet<string>;
}

/** Fault of one citation and its position in the text. */
interface Fault {
  readonly at: number;
  readonly text: string;
}

const SPEC = 'src/docs/spec/';
const MARKDOWN = /\.md$/;
const URL_TEXT = /\b(?:https?|git|ssh):\/\/[^\s<>"'`)]+/g;
// white space in prose, or a line break inside a comment
const GAP = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:(?:\*|\/\/[/!]?|#|--)[ \t]+)?)`;
const NAME = '[a-z0-9][a-z0-9_-]*';
const CITATION = new RegExp(
  String.raw`(?<!\]\([\w./-]*)\bspec\/(${NAME}\.md)(?:#([\w-]+)(?:,${GAP}(${NAME})(?:${GAP}(?:and|to)${GAP}(${NAME}))?(?=[):;.,]|$|${GAP}\*\/))?)?`,
  'gm',
);
const NUMBERED = new RegExp(String.raw`\b${NAME}\.md,?${GAP}(?:sections?${GAP})?\d[\d.]*`, 'g');
const MARKDOWN_NAME = /(?<![\w*}>-])[\w./-]*\w\.md\b/g;
const PATH =
  /(?<![\w./@~$}-])(?:src|test|native|bench|wasm|circuits|\.scripts|\.ci|\.deploy|\.github)\/[\w.*{},/<>…-]*[\w*}>/]/g;
const COMMENT_LINE = /^\s*(?:\/\/|\/?\*|#|--)/;
const COMMENT_TAIL = /(?:^|\s)(?:\/\/|#|--)\s.*$/;
const RFC = new RegExp(String.raw`\b[Rr][Ff][Cc][ \t-]?\d+|\bRFC${GAP}\d+`, 'g');
const SECTION_OF_RFC = new RegExp(
  String.raw`\b[Ss](?:ections?|ec\.)${GAP}[\d.]+${GAP}of${GAP}(?:the${GAP})?RFC`,
  'g',
);
const BAD_SECTION = new RegExp(
  String.raw`^(?:,?${GAP}(?:§|[Ss]ec\.|Sections?\b|sections?\b(?!${GAP}\d)|\d+\.\d)|,${GAP}(?:sections?\b|§)|#)`,
);

/**
 * Checks every citation and relative link.
 *
 * @param foreign - Names and paths that are not files of the repository.
 * @returns A line `path:line: what is missing` for each broken one.
 */
export function brokenCitations({ cited, paths }: Texts, foreign: ReadonlySet<string> = new Set()): string[] {
  const headings = new Map<string, Headings>();
  for (const [path, text] of cited) if (MARKDOWN.test(path)) headings.set(path, headingsOf(text));
  const tree = treeOf(paths);
  return [...cited].flatMap(([path, text]) => {
    const plain = text.replace(URL_TEXT, (url) => ' '.repeat(url.length));
    const faults = [
      ...specFaults(plain, headings),
      ...(MARKDOWN.test(path) ? linkFaults(path, text, headings, tree) : []),
      ...nameFaults(path, plain, paths, foreign),
      ...pathFaults(path, plain, tree, foreign),
      ...rfcFaults(plain),
    ];
    return faults
      .sort((one, other) => one.at - other.at)
      .map(({ at, text: fault }) => `${path}:${lineAt(text, at)}: ${fault}`);
  });
}

/** (a) Checks `spec/<file>.md#<heading>` and rules of that heading. */
function specFaults(text: string, headings: ReadonlyMap<string, Headings>): Fault[] {
  return [...text.matchAll(CITATION)].flatMap(({ index: at, 1: file, 2: anchor, 3: first, 4: second }) => {
    const page = headings.get(`${SPEC}${file}`);
    if (page === undefined || anchor === undefined) return [];
    const heading = page.get(anchor);
    if (heading === undefined) return [{ at, text: `spec/${file} has no heading #${anchor}` }];
    return [first, second]
      .filter((rule) => rule !== undefined && !heading.rules.has(rule))
      .map((rule) => ({ at, text: `spec/${file}#${anchor} has no row ${rule}` }));
  });
}

/** (b) Checks relative links in Markdown. */
function linkFaults(
  path: string,
  text: string,
  headings: ReadonlyMap<string, Headings>,
  tree: ReadonlySet<string>,
): Fault[] {
  return linksOf(text).flatMap(({ target, line }) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file)).replace(/\/$/, '');
    const at = startOfLine(text, line);
    if (!tree.has(to)) return [{ at, text: `the link ${target} leads to no file` }];
    if (anchor === undefined || headings.get(to)?.has(anchor) === true) return [];
    return [{ at, text: `the link ${target} leads to no heading` }];
  });
}

/**
 * (c) Checks names of Markdown files, including those of the specification, and reports sections cited by
 * number.
 */
function nameFaults(
  path: string,
  text: string,
  paths: ReadonlySet<string>,
  foreign: ReadonlySet<string>,
): Fault[] {
  const names = [...text.matchAll(MARKDOWN_NAME)]
    .filter(({ 0: name }) => !foreign.has(name) && !isTracked(path, name, paths))
    .map(({ 0: name, index: at }) => ({ at, text: `there is no file ${name}` }));
  const numbered = [...text.matchAll(NUMBERED)].map(({ 0: found, index: at }) => ({
    at,
    text: `${found.replace(/\s+(?:\S\s+)?/g, ' ')}: cite a heading, not a number`,
  }));
  return [...names, ...numbered];
}

/** Whether a name with any part of its path refers to a file. */
function isTracked(from: string, name: string, paths: ReadonlySet<string>): boolean {
  if (paths.has(posix.normalize(posix.join(posix.dirname(from), name)))) return true;
  const bare = name.replace(/^(?:\.{0,2}\/)+/, '');
  return paths.has(bare) || [...paths].some((path) => path.endsWith(`/${bare}`));
}

/** (d) Checks paths in Markdown and comments. */
function pathFaults(
  path: string,
  text: string,
  tree: ReadonlySet<string>,
  foreign: ReadonlySet<string>,
): Fault[] {
  let at = 0;
  return text.split('\n').flatMap((line) => {
    const start = at;
    at += line.length + 1;
    const isProse = MARKDOWN.test(path) || COMMENT_LINE.test(line);
    const from = isProse ? 0 : (COMMENT_TAIL.exec(line)?.index ?? line.length);
    return [...line.matchAll(PATH)]
      .filter(({ 0: named, index }) => index >= from && !foreign.has(named) && !leadsSomewhere(named, tree))
      .map(({ 0: named, index }) => ({ at: start + index, text: `there is no ${named}` }));
  });
}

function leadsSomewhere(named: string, tree: ReadonlySet<string>): boolean {
  if (/[<>…]/.test(named)) return true;
  if (!/[*{]/.test(named)) return tree.has(named.replace(/\/$/, ''));
  const pattern = named
    .replace(/[.+]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_all, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replace(/\*\*\/?|\*/g, (star) => (star === '*' ? '[^/]*' : '.*'));
  const whole = new RegExp(`^${pattern}$`);
  return [...tree].some((path) => whole.test(path));
}

/** (e) Checks the form `RFC <number>`, optionally followed by ` section <number>`. */
function rfcFaults(text: string): Fault[] {
  const inverted = [...text.matchAll(SECTION_OF_RFC)].map(({ 0: found, index: at }) => ({
    at,
    text: `write "RFC <number> section <number>", not "${found.replace(/\s+/g, ' ')}"`,
  }));
  const plain = [...text.matchAll(RFC)].flatMap(({ 0: found, index: at }) => {
    const after = text.slice(at + found.length);
    const isGood = /^RFC\s/.test(found) && !BAD_SECTION.test(after);
    const rest = /^[^\n]{0,16}/.exec(after)?.[0] ?? '';
    return isGood ? [] : [{ at, text: `write "RFC <number> section <number>", not "${found}${rest}"` }];
  });
  return [...inverted, ...plain];
}

/** Paths of all files and their folders. */
function treeOf(paths: ReadonlySet<string>): Set<string> {
  const tree = new Set<string>(['.']);
  for (const path of paths) {
    for (let part = path; part !== '.' && !tree.has(part); part = posix.dirname(part)) tree.add(part);
  }
  return tree;
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function startOfLine(text: string, line: number): number {
  return text
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, before) => sum + before.length + 1, 0);
}
