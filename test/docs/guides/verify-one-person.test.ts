import { transform } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { snippet } from './support/snippets.ts';

type IsOnePerson = (answer: object) => boolean;

describe('the check of the guide whether the proofs of an answer are of one person', () => {
  let isOnePerson: IsOnePerson;
  beforeAll(async () => {
    const { code } = await transform(snippet('verify', 'one-person.ts'), { loader: 'ts' });
    const module = `data:text/javascript,${encodeURIComponent(code)}`;
    ({ isOnePerson } = (await import(/* @vite-ignore */ module)) as { isOnePerson: IsOnePerson });
  });

  const answer = (...nullifiers: readonly string[]) => ({
    protocol_version: '4.0',
    results: nullifiers.map((nullifier) => ({ success: true, nullifier })),
  });

  it('holds for one nullifier in any spelling', () => {
    expect(isOnePerson(answer('0xab'))).toBe(true);
    expect(isOnePerson(answer('0xab', '0XAB', 'ab', '0x00ab'))).toBe(true);
  });

  it('fails for two nullifiers, for a proof that is not valid, without proofs, and under 3.0', () => {
    expect(isOnePerson(answer('0xab', '0xac'))).toBe(false);
    const [one] = answer('0xab').results;
    const failed = { success: false, nullifier: '0xab' };
    expect(isOnePerson({ protocol_version: '4.0', results: [one, failed] })).toBe(false);
    expect(isOnePerson(answer())).toBe(false);
    expect(isOnePerson({ ...answer('0xab'), protocol_version: '3.0' })).toBe(false);
  });
});
