import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkHttpLibrary } from '../../../src/cli/doctor/checks/http-library.ts';
import type { LibraryFacts } from '../../../src/config/settings/types.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Checked = Parameters<typeof checkHttpLibrary>[0];
const CONFIG = { dataDir: 'data', http: { keepAliveSeconds: 75 } } as Checked;
const check = (find: () => Promise<LibraryFacts>, origins: Readonly<Record<string, string>> = {}) =>
  checkHttpLibrary(CONFIG, origins, find);

describe('doctor, HTTP library', () => {
  it('names package, version, source and digest of the binary', async () => {
    const file = join(temporaryFolder('binary', onTestFinished), 'uws.node');
    writeFileSync(file, 'binary');
    const facts = {
      kind: 'uws',
      package: 'uws-pack',
      version: '20.0.8',
      file,
      idleSeconds: 8,
      passedOver: ['a: x'],
    } as const;
    const digest = createHash('sha256').update('binary').digest('hex');
    const { status, detail } = await check(async () => ({ ...facts, source: 'commit 5' }));
    expect(status).toBe('ok');
    expect(detail).toBe(
      `uWebSockets.js from package uws-pack 20.0.8, commit 5, ${file}, SHA-256 ${digest}; keeps idle connections for 8 s; passed over: a: x`,
    );
    expect((await check(async () => ({ ...facts, source: undefined }))).detail).toContain('unknown source');
  });

  it('says why the library of Node is used, without a warning', async () => {
    const passedOver = ['a: x', 'b: y'];
    const facts = { kind: 'node', package: 'node:http', version: '26.1.0', passedOver } as const;
    const none = { file: undefined, source: undefined, idleSeconds: undefined };
    const origins = { 'http.keepAliveSeconds': 'env' };
    expect(await check(async () => ({ ...facts, ...none }), origins)).toEqual({
      name: 'http library',
      status: 'ok',
      detail: 'node:http of Node 26.1.0; keeps idle connections for 75 s; passed over: a: x; b: y',
    });
  });

  it('warns if the time of idle connections is set, and the library has one of its own', async () => {
    const facts = { kind: 'uws', package: 'uws-pack', version: '20.0.8', passedOver: [] } as const;
    const find = async () => ({ ...facts, file: undefined, source: undefined, idleSeconds: 8 });
    expect((await check(find, { 'http.keepAliveSeconds': 'default' })).status).toBe('ok');
    const result = await check(find, { 'http.keepAliveSeconds': 'file' });
    expect(result).toMatchObject({ status: 'warn', cure: expect.stringContaining('http.library') });
    expect(result.detail).toContain('http.keepAliveSeconds has no effect');
  });

  it('fails if the library that is set cannot be loaded', async () => {
    const result = await check(async () => {
      throw new ServiceError('http.library_unavailable', 'no binary loads: a: x');
    });
    expect(result).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('no binary loads: a: x'),
    });
    expect(result.cure).toContain('http.library');
  });
});
