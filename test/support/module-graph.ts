/** Finds the modules that a source file names. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { isObject } from '../../src/json.ts';

/**
 * How a module is named: by an import that runs with its file, by `import()`, by a type-only import that the
 * compiler drops, as the program of a thread or process (`compiledFile`), or by any other text, such as the
 * argument of `require.resolve`.
 */
export type NamedBy = 'static' | 'dynamic' | 'type' | 'program' | 'text';

/** One place that names a module; `name` is undefined for an `import()` of a computed name. */
export interface Naming {
  readonly by: NamedBy;
  readonly name: string | undefined;
  /** URL of the file, if the name leads to one. */
  readonly file: string | undefined;
}

const namings = new Map<string, readonly Naming[]>();

/** Returns every string of a file that could name a module. @param file - URL, or path below `src`. */
export function namingsOf(file: string): readonly Naming[] {
  const href = file.startsWith('file:') ? file : new URL(file, SOURCES).href;
  const known = namings.get(href) ?? parseNamings(new URL(href));
  namings.set(href, known);
  return known;
}

/** A node of the syntax tree (ESTree with TypeScript), as far as a naming depends on it. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly importKind?: string;
  readonly exportKind?: string;
  readonly source?: Node;
  readonly callee?: Node;
  readonly name?: string;
}

function parseNamings(file: URL): Naming[] {
  if (file.pathname.endsWith('.json')) return [];
  const found: Naming[] = [];
  const visit = (node: Node, parent: Node): void => {
    if (node.type === 'Literal' && typeof node.value === 'string') {
      const [by, name] = [naming(parent), node.value];
      found.push({ by, name, file: fileOf(by, name, file) });
    } else if (node.type === 'ImportExpression' && typeof node.source?.value !== 'string') {
      found.push({ by: 'dynamic', name: undefined, file: undefined });
    }
    for (const key in node) {
      const child: unknown = node[key as keyof Node];
      if (Array.isArray(child)) {
        for (const each of child) if (isNode(each)) visit(each, node);
      } else if (isNode(child)) visit(child, node);
    }
  };
  const program = parseAst(
    readFileSync(file, 'utf8'),
    { lang: file.pathname.endsWith('.tsx') ? 'tsx' : 'ts' },
    file.pathname,
  );
  visit(program, program);
  return found;
}

function fileOf(by: NamedBy, name: string, from: URL): string | undefined {
  if (by === 'program') return new URL(name.replace(/\.js$/, '.ts'), SOURCES).href;
  return name.startsWith('.') ? new URL(name, from).href : undefined;
}

function isNode(value: unknown): value is Node {
  return isObject(value) && typeof value.type === 'string';
}

/**
 * Returns the files below `src` and the packages that the entries reach.
 *
 * @param entries - Paths below `src`, or of tests relative to it.
 * @param by - Kinds of naming to follow.
 */
export function moduleGraph(
  entries: readonly string[],
  by: readonly NamedBy[],
): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const packages = new Set<string>();
  const files = new Set(filesReached(entries, by, packages));
  return { files, packages };
}

/** Finds the files below `src` that the entries reach. It parses no more than the caller takes. */
export function* filesReached(
  entries: readonly string[],
  by: readonly NamedBy[],
  packages: Set<string> = new Set(),
): Generator<string> {
  const seen = new Set<string>(entries.map((entry) => new URL(entry, SOURCES).href));
  const waiting = [...seen];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (file.startsWith(SOURCES.href)) yield file.slice(SOURCES.href.length);
    for (const { by: way, name, file: target } of namingsOf(file)) {
      if (name === undefined || !by.includes(way)) continue;
      if (target === undefined) packages.add(name);
      else if (!seen.has(target)) {
        seen.add(target);
        waiting.push(target);
      }
    }
  }
}

/** Paths below `src` of every source file; declaration files are left out, because they load no module. */
export function sourceFiles(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .sort();
}

/** Folder of the sources. */
export const SOURCES: URL = new URL('../../src/', import.meta.url);

function naming(parent: Node): NamedBy {
  switch (parent.type) {
    case 'ImportDeclaration':
      return parent.importKind === 'type' ? 'type' : 'static';
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return parent.exportKind === 'type' ? 'type' : 'static';
    case 'ImportExpression':
      return 'dynamic';
    case 'TSImportType':
    case 'TSLiteralType':
      return 'type';
    default:
      return parent.callee?.name === 'compiledFile' ? 'program' : 'text';
  }
}
