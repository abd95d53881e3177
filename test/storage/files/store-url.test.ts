import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSameDatabase, parseStoreUrl } from '../../../src/storage/files/store-url.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import { GROUP_SETTINGS } from '../support/rows.ts';

describe('parseStoreUrl', () => {
  it('accepts absolute and relative paths', () => {
    expect(parseStoreUrl('libsql:/data/proofgate.db')).toEqual({
      engine: 'libsql',
      path: '/data/proofgate.db',
    });
    expect(parseStoreUrl('libsql:./data/x y?.db')).toMatchObject({ path: resolve('data/x y?.db') });
  });

  it.each([
    '',
    'proofgate.db',
    'sqlite:/a.db',
    'libsql:',
    'libsql::memory:',
    'libsql:/folder/',
    'libsql://host/db',
  ])('refuses %j', (url) => {
    expect(() => parseStoreUrl(url)).toThrow(expect.objectContaining({ code: 'config.invalid' }));
  });

  it('keeps a password out of the message', async () => {
    const url = 'mysql://user:hunter2@db/proofgate';
    await expect(openStore({ url, ...GROUP_SETTINGS })).rejects.toMatchObject({
      code: 'config.invalid',
      message: 'storage.url: expected libsql:<path> or postgres://…, got mysql:',
    });
  });
});

it.each([
  ['postgres://a@h/d', 'postgres://b:word@h/d', true],
  ['postgres://a:one@h:5432,g/d?sslmode=require', 'postgres://a:two@h,g:5432/d?sslmode=require', true],
  ['postgres://a@h/d', 'postgres://a@h/other', false],
  ['postgres://a@h/d', 'postgres://a@h:5433/d', false],
  ['postgres://a@h,g/d', 'postgres://a@g,h/d', false],
  ['postgres://a@h/d', 'postgres://a@h/d?sslmode=require', false],
  ['postgres://a@h', 'postgres://b@h', false],
  ['libsql:a', 'libsql:a', false],
  ['postgres://a@h/d', 'postgres://', false],
])('%s and %s differ in the login at most: %s', (one, other, isSame) => {
  expect(isSameDatabase(one, other)).toBe(isSame);
});
