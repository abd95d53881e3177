import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GUIDES, ROOT, type Snippet, snippetsOf } from './support/snippets.ts';

const TESTS = fileURLToPath(new URL('./', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** A block of these commands installs what the tests have; it names no file. */
const INSTALL = /^(?:npm install(?: --save-dev)?|pip install|go get|go mod init) (.+)$/;
/** Commands of a block that is marked `by=hand`: they change the machine, or fetch a release. */
const BY_HAND =
  /^(?:useradd|git clone|npm (?:ci|pack|install --no-save)|tar xOf|find node_modules|chmod|install -d|(?:\S+ ){5}root \/)/;
const MANIFESTS = ['go/go.mod', 'next/package.json', 'python/requirements.txt'];
const VERSION = /(?<=.)@[\d.a-z-]+$/;

const guides = readdirSync(GUIDES).map((file) => basename(file, '.md'));
const tests = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ name: basename(file), text: readFileSync(join(TESTS, file), 'utf8') }));
const manifests = ['package.json', ...MANIFESTS.map((file) => `test/docs/guides/support/${file}`)]
  .map(read)
  .join('\n');

/** Whether a package is in a manifest; `go get` takes a package below its module. */
function isInstalled(name: string): boolean {
  return [name, dirname(name)].some((text) => text.length > 1 && manifests.includes(text));
}

/** What is wrong with a block; empty if a test runs it. */
function faults({ guide, language, file, isByHand, text }: Snippet): string[] {
  if (isByHand)
    return text
      .trim()
      .split('\n')
      .filter((line) => !BY_HAND.test(line))
      .map((line) => `${guide}.md: a test can run ${line}`);
  if (file !== undefined) {
    const isOf = (name: string, text: string): boolean =>
      name.startsWith(guide) || text.includes(`'${guide}'`);
    const isRun = tests.some(({ name, text }) => isOf(name, text) && text.includes(`'${file}'`));
    return isRun ? [] : [`${guide}.md: no test runs ${file}`];
  }
  const lines = text.trim().split('\n');
  const packages = lines.map((line) => INSTALL.exec(line)?.[1]);
  if (language !== 'sh' || packages.includes(undefined))
    return [`${guide}.md: name the file of the block that begins with ${lines[0]}`];
  return packages
    .flatMap((names = '') => names.split(' '))
    .map((name) => name.replace(VERSION, ''))
    .filter((name) => !name.startsWith('example.com/') && !isInstalled(name))
    .map((name) => `${guide}.md: the tests do not install ${name}`);
}

describe('each block of the guides', () => {
  it.each(guides)('of %s is run by a test, or installs what the tests use', (guide) => {
    const blocks = snippetsOf(guide);
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.flatMap(faults)).toEqual([]);
  });

  it('is found, whatever its language', () => {
    for (const guide of guides) {
      const fences = readFileSync(join(GUIDES, `${guide}.md`), 'utf8').match(/^\s*(?:```|~~~)/gm) ?? [];
      expect(snippetsOf(guide), guide).toHaveLength(fences.length / 2);
    }
  });
});
