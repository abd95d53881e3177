import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildVersion, VERSION } from '../src/version.ts';

describe('the version of a build', () => {
  it('is that of the package at its tag, and names the commit of its sources before', () => {
    const record = readFileSync(new URL('../dist/build.json', import.meta.url), 'utf8');
    const { commit } = JSON.parse(record) as { commit: string | null };
    expect(commit ?? '').toMatch(/^(?:[0-9a-f]{12}(?:\.changed)?)?$/);
    const expected = commit === '' ? VERSION : `${VERSION}-dev${commit === null ? '' : `+${commit}`}`;
    expect(buildVersion()).toBe(expected);
  });
});
