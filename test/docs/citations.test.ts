import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { brokenCitations, type Texts } from './support/citations.ts';

const ROOT = new URL('../../', import.meta.url);
const isCheckout = existsSync(new URL('.git', ROOT));

/**
 * Files whose citations are not followed: recorded and generated files (except Markdown), and this file,
 * whose samples have broken citations.
 */
const NOT_FOLLOWED =
  /^(?:test\/vectors|bench\/results|wasm\/artifact)\/|\.(?:lock|sum)$|package-lock\.json$|\/citations\.test\.ts$/;
/** Names that are not files of the repository. */
const FOREIGN: ReadonlySet<string> = new Set([
  // folders that the fuzzer and the sanitizers fill, which are never committed
  'native/fuzz/corpus',
  'native/fuzz/artifacts',
  'native/target/sanitize',
  // files of a reader of src/docs/guides/sign-in.md
  'src/main/resources/application.yaml',
  'src/main/java/com/example/signin/SignInApplication.java',
]);

/** Reads the files under version control, and new files that are not ignored. */
function repository(): Texts {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const listed = execFileSync('git', ['ls-files', '-z', '-c', '-o', '--exclude-standard'], options);
  const paths = listed.split('\0').filter((path) => path !== '' && existsSync(new URL(path, ROOT)));
  const cited = paths
    .filter((path) => !NOT_FOLLOWED.test(path) || path.endsWith('.md'))
    .map((path) => [path, readFileSync(new URL(path, ROOT), 'utf8')] as const)
    .filter(([, text]) => !text.includes('\0'));
  return { cited: new Map(cited), paths: new Set(paths) };
}

/** Sample files without a broken citation. */
const GOOD: Readonly<Record<string, string>> = {
  'src/docs/spec/tea.md': `# Tea
## Order of steps
| step | rule |
|---|---|
| \`boil\` | water |
| \`pour\` | slowly |
### Milk, if any
- \`cold\`: from a jug
\`\`\`
# no heading
\`\`\`
## Milk, if any
See [steps](#order-of-steps), [milk](#milk-if-any-1), [pot](../../pot.ts) and \`src/*.ts\`.`,
  'src/pot.ts': `/**
 * Boils (spec/tea.md#order-of-steps, boil and
 * pour), then milk (spec/tea.md#milk-if-any, cold). See RFC 9110
 * section 5.1, RFC 2324 and \`src/docs/spec/tea.md\`, slowly: https://example.org/other.md.
 */`,
};

describe('citations and links', () => {
  it.skipIf(!isCheckout)('lead to files, headings and rules that exist', () => {
    const broken = brokenCitations(repository(), FOREIGN);
    expect(broken, `\n${broken.join('\n')}\n`).toEqual([]);
  });

  it('are accepted in the good samples', () => {
    expect(brokenSamples({})).toEqual([]);
  });

  it.each<[sample: string, file: string, text: string, broken: string]>([
    ['a file of the specification', 'src/a.ts', '// spec/coffee.md#beans', 'there is no file spec/coffee.md'],
    ['a heading', 'src/a.ts', '// spec/tea.md#no-heading', 'spec/tea.md has no heading #no-heading'],
    ['a rule', 'src/a.ts', '// (spec/tea.md#order-of-steps, stir)', 'has no row stir'],
    ['a second rule', 'src/a.ts', '// (spec/tea.md#order-of-steps, boil to\n// stir)', 'has no row stir'],
    ['a rule of another heading', 'src/a.ts', '/* spec/tea.md#milk-if-any, boil */', 'has no row boil'],
    ['the file of a link', 'src/a.md', '[jug](jug.ts)', 'the link jug.ts leads to no file'],
    ['the heading of a link', 'src/a.md', '[x](docs/spec/tea.md#x)', 'leads to no heading'],
    ['a heading of the same file', 'src/a.md', '[two](#two)', 'the link #two leads to no heading'],
    ['a Markdown file', 'src/a.ts', "'see jug.md'", 'there is no file jug.md'],
    ['a section by number', 'src/a.ts', '// tea.md section 2.1', 'tea.md section 2.1: cite a heading'],
    ['a path in Markdown', 'src/a.md', '`src/jug.ts`', 'there is no src/jug.ts'],
    ['a path in a comment', 'src/a.ts', 'const a = 1; // src/jug.ts', 'there is no src/jug.ts'],
    ['a pattern of paths', 'src/a.md', '`src/*.js`', 'there is no src/*.js'],
    ['an RFC without a space', 'src/a.ts', '// RFC6749', 'not "RFC6749"'],
    ['an RFC with a bare number', 'src/a.ts', '// RFC 6749 4.1', 'not "RFC 6749 4.1"'],
    ['an RFC with a sign', 'src/a.ts', '// RFC 6749 §4', 'not "RFC 6749 §4"'],
    ['an RFC after its section', 'src/a.ts', '// section 4 of RFC 6749', 'not "section 4 of RFC"'],
  ])('are reported when broken: %s', (_sample, file, text, broken) => {
    const faults = brokenSamples({ [file]: `\n${text}` });
    expect(faults).toEqual([expect.stringContaining(broken)]);
    expect(faults[0]).toMatch(new RegExp(`^${file}:2: `));
  });
});

/** Returns the faults of the good samples and further files. */
function brokenSamples(others: Readonly<Record<string, string>>): string[] {
  const cited = new Map(Object.entries({ ...GOOD, ...others }));
  return brokenCitations({ cited, paths: new Set(cited.keys()) });
}
