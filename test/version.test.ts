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

  it('is that of the package where a build without a repository is told the tag, else what it is told', async () => {
    const steps = new URL('../.scripts/steps.mjs', import.meta.url).href;
    const { commitOfSources } = (await import(steps)) as {
      readonly commitOfSources: (given: string) => string | null;
    };
    expect(commitOfSources(`v${VERSION}`)).toBe('');
    expect(commitOfSources('v0.0.9')).toBe('v0.0.9');
    expect(commitOfSources('3f2a9c1b2d4e')).toBe('3f2a9c1b2d4e');
  });
});
