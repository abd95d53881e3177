/** Finds the modules that a source file names, with the parser of the compiler. */
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

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
}

const namings = new Map<string, readonly Naming[]>();

/** Returns every string of a file that could name a module. */
export function namingsOf(file: URL): readonly Naming[] {
  const known = namings.get(file.href) ?? parseNamings(file);
  namings.set(file.href, known);
  return known;
}

function parseNamings(file: URL): Naming[] {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file.pathname, text, ts.ScriptTarget.Latest, true);
  const found: Naming[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push({ by: naming(node), name: node.text });
    else if (isImportCall(node) && !node.arguments.some(ts.isStringLiteralLike)) {
      found.push({ by: 'dynamic', name: undefined });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
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
  const files = new Set<string>(entries.map((entry) => new URL(entry, SOURCES).href));
  const packages = new Set<string>();
  for (const file of files) {
    for (const { by: way, name } of namingsOf(new URL(file))) {
      if (name === undefined || !by.includes(way)) continue;
      if (way === 'program') files.add(new URL(name.replace(/\.js$/, '.ts'), SOURCES).href);
      else if (name.startsWith('.')) files.add(new URL(name, file).href);
      else packages.add(name);
    }
  }
  const below = [...files].filter((file) => file.startsWith(SOURCES.href));
  return { files: new Set(below.map((file) => file.slice(SOURCES.href.length))), packages };
}

/** Paths below `src` of every source file; declaration files are left out, because they load no module. */
export function sourceFiles(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort();
}

/** Folder of the sources. */
export const SOURCES: URL = new URL('../../src/', import.meta.url);

function naming(node: ts.StringLiteralLike): NamedBy {
  const { parent } = node;
  if (ts.isImportDeclaration(parent)) return parent.importClause?.isTypeOnly === true ? 'type' : 'static';
  if (ts.isExportDeclaration(parent)) return parent.isTypeOnly ? 'type' : 'static';
  if (isImportCall(parent)) return 'dynamic';
  if (ts.isLiteralTypeNode(parent)) return 'type';
  const isProgram = ts.isCallExpression(parent) && parent.expression.getText() === 'compiledFile';
  return isProgram ? 'program' : 'text';
}

function isImportCall(node: ts.Node): node is ts.CallExpression {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
}
