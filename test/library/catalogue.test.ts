import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/library/catalogue.ts';
import { moduleGraph, SOURCES } from '../support/module-graph.ts';

/** Entries of the library, with the program of its threads. */
const ENTRIES = Object.values(
  (
    JSON.parse(readFileSync(new URL('../../.library/package.json', import.meta.url), 'utf8')) as {
      readonly exports: Readonly<Record<string, unknown>>;
    }
  ).exports,
).flatMap((value) => JSON.stringify(value).match(/(?<=bundle\/)[\w-]+(?=\.js)/g) ?? []);
const { files, packages } = moduleGraph(
  [...new Set(ENTRIES)].map((name) => `library/${name}.ts`),
  ['static', 'dynamic', 'program'],
);
/** The bundle has the catalogue of the library in its place. */
const REPLACED = /^errors\/catalogue/;

describe('the module graph of the library', () => {
  it('has no package but the pool, and none of the service', () => {
    expect(files.size).toBeGreaterThan(50);
    expect([...packages].filter((name) => !name.startsWith('node:') && !name.startsWith('@noble/'))).toEqual([
      'piscina',
    ]);
    const folders = new Set([...files].map((file) => file.split('/')[0]));
    for (const folder of ['app', 'http', 'oidc', 'storage', 'verification', 'refresh', 'cli', 'config']) {
      expect(folders).not.toContain(folder);
    }
  });

  it('raises no error whose row the catalogue of the library lacks', () => {
    const raised = [...files]
      .filter((file) => file.endsWith('.ts') && !REPLACED.test(file))
      .flatMap((file) => [
        ...readFileSync(new URL(file, SOURCES), 'utf8').matchAll(/new ServiceError\(\s*'([a-z0-9_.]+)'/g),
      ])
      .map(([, code]) => code);
    expect(new Set(raised).size).toBeGreaterThan(8);
    expect(raised.filter((code) => !Object.hasOwn(ERRORS, code ?? ''))).toEqual([]);
  });
});
