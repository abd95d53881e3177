import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CIRCUIT_SKIP, developmentCircuit } from '../../support/crypto/development-circuit.ts';
import { type DevelopmentService, startDevelopmentService } from './support/development-service.ts';
import { runShell, type ShellResult } from './support/program.ts';
import { jsonSnippet, makeScratch, ROOT, snippet } from './support/snippets.ts';

const CREDENTIAL = '.proofgate/credential';
const KEYS = '.proofgate/issuer-keys.json';

interface KeyList {
  readonly keys: { readonly issuer_schema_id: number; readonly pk: string[]; readonly status: string }[];
}

describe.skipIf(developmentCircuit === undefined)(`the guide credential.md${CIRCUIT_SKIP}`, () => {
  const scratch = makeScratch();
  const path = (file: string): string => join(scratch.folder, file);
  let service: DevelopmentService;
  const run = (...files: string[]): Promise<ShellResult> => runShell(scratch, 'credential', files, service);

  beforeAll(async () => {
    // the folder stands for the repository
    for (const name of ['circuits', 'dist']) symlinkSync(join(ROOT, name), path(name));
    copyFileSync(join(ROOT, 'package.json'), path('package.json'));
    scratch.add('credential', '.proofgate/check-credential.mjs');
    service = await startDevelopmentService();
    const { code, stderr } = await run('get.sh', 'keys.sh');
    expect(code, stderr).toBe(0);
    // everything below is done without the service
    await service.end();
  });
  afterAll(() => scratch.end());

  /** Runs both checks of the guide. Returns the last line of each. */
  async function checks(): Promise<(string | undefined)[]> {
    const results = [await run('check.sh'), await run('run-check.sh')];
    return results.map(({ stdout, stderr }) => `${stdout}${stderr}`.trim().split('\n').at(-1));
  }

  /** Runs both checks with another text in a file, which gets its own text back afterwards. */
  async function checksWith(file: string, change: (text: string) => string): ReturnType<typeof checks> {
    const original = readFileSync(path(file), 'utf8');
    writeFileSync(path(file), change(original));
    try {
      return await checks();
    } finally {
      writeFileSync(path(file), original);
    }
  }

  it('shows the list of keys and the output of a valid credential', async () => {
    const list = JSON.parse(readFileSync(path(KEYS), 'utf8')) as KeyList;
    const shown = jsonSnippet('credential', 'issuer-keys.json') as unknown as KeyList;
    const pk = [expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)];
    expect(list.keys).toEqual(shown.keys.map((key) => ({ ...key, pk })));
    const { stdout } = await run('check.sh');
    const form = (text: string): string =>
      text.replaceAll(/[0-9a-f]{64}/g, 'HEX').replaceAll(/\d{4}-\S+Z/g, 'TIME');
    expect(form(stdout)).toBe(form(snippet('credential', 'valid.txt')));
  });

  it('accepts the credential by command and in code', async () => {
    expect(await checks()).toEqual([
      'valid',
      expect.stringMatching(/^0x[0-9a-f]{64} is valid until 20\d\d-/),
    ]);
  });

  it('refuses a changed credential', async () => {
    const change = (text: string): string => {
      const json = Buffer.from(text, 'base64').toString();
      return Buffer.from(json.replace(/"expires_at":(\d)/, '"expires_at":9$1')).toString('base64');
    };
    expect(await checksWith(CREDENTIAL, change)).toEqual([
      expect.stringMatching(/^not valid: the signature is invalid/),
      'not valid: the signature does not hold under the key that the credential names',
    ]);
  });

  it('refuses the credential of an unknown key', async () => {
    const change = (text: string): string => text.replace(/"pk":\["\d+/, '"pk":["1');
    expect(await checksWith(KEYS, change)).toEqual([
      'not valid: it names another key than the given one',
      'not valid: the key that the credential names is not one of the issuer keys',
    ]);
  });

  it('refuses the credential of a revoked key in code', async () => {
    const [, byCode] = await checksWith(KEYS, (text) => text.replace('"active"', '"revoked"'));
    expect(byCode).toBe('not valid: the key that the credential names is revoked');
  });
});
