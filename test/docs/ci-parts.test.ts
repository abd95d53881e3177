/** The parts of `.ci/full` are those of .github/CONTRIBUTING.md, and they run every long test. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Lines that `.ci/full` prints. */
function full(...args: string[]): string[] {
  return execFileSync('bash', ['.ci/full', ...args], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
}

/** Rows of the table below a header, as the text of their cells. */
function tableBelow(header: string): string[][] {
  const text = readFileSync(join(ROOT, '.github/CONTRIBUTING.md'), 'utf8');
  const rows = text.split(`| ${header} |\n`)[1]?.split('\n\n')[0]?.split('\n').slice(1) ?? [];
  return rows.map((row) => row.split('|').slice(1, -1));
}

/** Texts in backticks. */
function codeIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

const isBelow = (folder: string, file: string): boolean => file === folder || file.startsWith(`${folder}/`);

/** Whether a command, `npm run test:all -- [--exclude PATH]… [PATH]…`, runs a file. */
function runs(command: string, file: string): boolean {
  const args = (command.split(' -- ')[1] ?? '').split(' ').filter((word) => word !== '');
  const isExcluded = (index: number): boolean => args[index - 1] === '--exclude';
  const excluded = args.filter((_, index) => isExcluded(index));
  const paths = args.filter((word, index) => word !== '--exclude' && !isExcluded(index));
  const isChosen = paths.length === 0 || paths.some((path) => isBelow(path, file));
  return isChosen && !excluded.some((path) => isBelow(path.replace('/**', ''), file));
}

describe('the parts of .ci/full', () => {
  const parts = full('--list').map((line) => line.split(' ')[0]);
  const areas = tableBelow('area | parts of `.ci/full`');

  it('are those of the table with their minutes', () => {
    expect(tableBelow('part | minutes on two cores').flatMap(([name]) => codeIn(name))).toEqual(parts);
  });

  it('are those of the table of areas, which has every folder of the sources', () => {
    const named = areas.flatMap(([, cell]) => codeIn(cell)).map((code) => code.split(' ')[0]);
    expect([...new Set(named)].sort()).toEqual([...parts].sort());
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const listed = areas.flatMap(([area]) => codeIn(area));
    expect(folders.map(({ name }) => `src/${name}`).filter((folder) => !listed.includes(folder))).toEqual([]);
  });

  it('run each file with long tests in exactly one part', () => {
    // The part http runs tests of other parts once more, and so does the first step of front-ends.
    const commands = full('--dry-run').filter(
      (line) => line.includes('npm run test:all') && !/on_node_http|PROOFGATE_SERVER_FRONT_ENDS/.test(line),
    );
    const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .map((name) => `test/${name}`)
      .filter((file) => file.endsWith('.test.ts'))
      .filter(
        (file) => file.includes('.long.') || /RUNS_ALL|casesOf/.test(readFileSync(join(ROOT, file), 'utf8')),
      );
    expect(files.length).toBeGreaterThan(0);
    const counts = files.map((file) => [file, commands.filter((command) => runs(command, file)).length]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
  });

  it('are refused by a name that is none of them', () => {
    expect(() => full('no-such-part')).toThrow('full: no part no-such-part; --list lists them');
  });
});
