import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { SOURCES, sourceFiles } from './support/module-graph.ts';

/** Where the type of an export is inferred, since that is what the module is for: tables whose types follow from their rows. */
const INFERRED: readonly RegExp[] = [
  /^operations\//,
  /^config\/settings\/(?:[a-z0-9-]*settings|schema)\.ts$/,
  /^(?:errors|library)\/catalogue\.ts$/,
  /^config\/apps\/fields\.ts$/,
  // The stores of all entities, one line each.
  /^storage\/store\.ts$/,
];

/** Columns of the store, whose rows have the types that follow from them. */
const COLUMNS = /^\w+ = columns\(/;

it('exports have types that can be read without other files, except in tables whose types are inferred', () => {
  const faults = sourceFiles()
    .filter((file) => !INFERRED.some((pattern) => pattern.test(file)))
    .flatMap((file) => {
      const source = readFileSync(new URL(file, SOURCES), 'utf8');
      const { diagnostics = [] } = ts.transpileDeclaration(source, {
        fileName: file,
        compilerOptions: { isolatedDeclarations: true, declaration: true, jsx: ts.JsxEmit.ReactJSX },
        reportDiagnostics: true,
      });
      return diagnostics
        .filter(({ start }) => !(file.startsWith('storage/') && COLUMNS.test(source.slice(start))))
        .map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
    });
  expect(faults).toEqual([]);
});
