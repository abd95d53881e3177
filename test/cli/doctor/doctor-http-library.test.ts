import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkHttpLibrary } from '../../../src/cli/doctor/checks/http-library.ts';
import type { LibraryFacts } from '../../../src/config/settings/types.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Checked = Parameters<typeof checkHttpLibrary>[0];
const check = (find: () => Promise<LibraryFacts>) => checkHttpLibrary({ dataDir: 'data' } as Checked, find);

describe('doctor, HTTP library', () => {
  it('names package, version, source and digest of the binary', async () => {
    const file = join(temporaryFolder('binary', onTestFinished), 'uws.node');
    writeFileSync(file, 'binary');
    const facts = {
      kind: 'uws',
      package: 'uws-pack',
      version: '20.0.8',
      file,
      passedOver: ['a: x'],
    } as const;
    const digest = createHash('sha256').update('binary').digest('hex');
    const { status, detail } = await check(async () => ({ ...facts, source: 'commit 5' }));
    expect(status).toBe('ok');
    expect(detail).toBe(
      `uWebSockets.js from package uws-pack 20.0.8, commit 5, ${file}, SHA-256 ${digest}; passed over: a: x`,
    );
    expect((await check(async () => ({ ...facts, source: undefined }))).detail).toContain('unknown source');
  });

  it('says why the library of Node is used, without a warning', async () => {
    const facts = { kind: 'node', package: 'node:http', version: '26.1.0', file: undefined } as const;
    expect(await check(async () => ({ ...facts, source: undefined, passedOver: ['a: x', 'b: y'] }))).toEqual({
      name: 'http library',
      status: 'ok',
      detail: 'node:http of Node 26.1.0; passed over: a: x; b: y',
    });
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
