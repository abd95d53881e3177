/** The table of security considerations names tests that exist (src/docs/security.md#security-considerations). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const PAGE = new URL('../../src/docs/security.md', import.meta.url);
const ROW = /^\| [^|]+ \| [^|]+ \| `([^`]+)`: ([^|]+) \|$/;
const HEAD = /^\| (section|subject) \|/;

/** Lines of the tables below the heading, without their heads. */
function rowsOf(text: string): string[] {
  const [, section = ''] = text.split('\n## Security considerations\n');
  const [own = ''] = section.split('\n## ');
  return own.split('\n').filter((line) => line.startsWith('| ') && !HEAD.test(line));
}

describe('each security consideration of sign-in', () => {
  const rows = rowsOf(readFileSync(PAGE, 'utf8'));

  it('is in a table', () => {
    expect(rows.length).toBeGreaterThan(30);
  });

  it.each(rows)('has a test that exists: %s', (row) => {
    const [, file = '', title = ''] = ROW.exec(row) ?? [];
    expect(file).toMatch(/\.test\.ts$/);
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    expect(["'", '"', '`'].some((quote) => text.includes(quote + title + quote))).toBe(true);
  });
});
