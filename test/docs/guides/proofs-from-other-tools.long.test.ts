import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_TEXT, PROOF, SIGNALS } from '../../library/support/semaphore-statement.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { runShell, type ShellResult } from './support/program.ts';
import { jsonSnippet, makeScratch, ROOT, snippet, snippetsOf } from './support/snippets.ts';

const PAGE = '../proofs-from-other-tools';
const PROGRAMS = ['snarkjs', 'solidity', 'semaphore', 'gnark', 'zokrates', 'arkworks', 'sp1', 'risc0'];
const OFFLINE = ['snarkjs.sh', 'semaphore.sh', 'gnark.sh', 'sp1.sh', 'risc0.sh'];
const SYSTEMS = ['sp1', 'risc0'] as const;
const run = promisify(execFile);

const scratch = makeScratch();
let app: StartedApp;

async function runNode(file: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [file, ...args], { cwd: scratch.folder });
  return stdout;
}

async function runBlocks(...files: string[]): Promise<ShellResult> {
  const env = { PROOFGATE_PROFILE: 'test', PROOFGATE_DATA_DIR: app.dataDir };
  return await runShell(scratch, PAGE, files, { baseUrl: app.publicUrl, env });
}

beforeAll(async () => {
  app = await startApp();
  symlinkSync(join(ROOT, 'circuits'), join(scratch.folder, 'circuits'));
  scratch.write('verification_key.json', KEY_TEXT);
  scratch.write('proof.json', JSON.stringify(PROOF));
  scratch.write('public.json', JSON.stringify(SIGNALS));
  for (const system of SYSTEMS) scratch.add(PAGE, `${system}.json`);
  scratch.add(PAGE, 'files.mjs');
  await runNode('files.mjs', ROOT);
});
afterAll(async () => {
  await app?.stop();
  scratch.end();
});

describe('proofs-from-other-tools.md', () => {
  it('has no block that is not run here', () => {
    const run = [
      ...['files.mjs', 'convert.sh', 'selector-valid.json', ...OFFLINE],
      ...PROGRAMS.map((name) => `${name}.mjs`),
      ...SYSTEMS.flatMap((name) => [`${name}.json`, `${name}-http.sh`]),
    ];
    expect(snippetsOf(PAGE).map(({ file }) => file)).toEqual(expect.arrayContaining(run));
    expect(snippetsOf(PAGE)).toHaveLength(run.length);
  });

  it.each(PROGRAMS)('has a program for %s that prints what it says', async (name) => {
    const lines = snippet(PAGE, `${name}.mjs`).split('\n');
    const printed = lines.map((line) => line.replace(/^(await engine\.addKey\(.*?\));/, 'console.log($1);'));
    scratch.write(`${name}.mjs`, printed.join('\n'));
    const shown = lines.flatMap((line) => /\/\/ (\{ (?:form|valid): .*\})$/.exec(line)?.[1] ?? []);
    expect(shown.some((text) => text.startsWith('{ valid: true'))).toBe(true);
    const output = (await runNode(`${name}.mjs`)).trim().split('\n');
    expect(output.filter((line) => shown.includes(line))).toEqual(shown);
    expect(output.filter((line) => line.startsWith('{ valid:'))).toEqual(
      shown.filter((line) => line.startsWith('{ valid:')),
    );
  });

  it.each(OFFLINE)('has a command in %s that says valid', async (file) => {
    const { stdout, stderr } = await runBlocks(file);
    expect(stdout, stderr).toBe('valid\n');
  });

  it.each(SYSTEMS)('has requests for %s that are answered as it says', async (name) => {
    const { stdout, stderr } = await runBlocks(`${name}-http.sh`);
    expect(JSON.parse(stdout.split('\n').at(-1) ?? ''), stderr).toEqual(
      jsonSnippet(PAGE, 'selector-valid.json'),
    );
    const { proof, publicSignals } = jsonSnippet(PAGE, `${name}.json`);
    const member = name === 'sp1' ? 'publicValues' : 'journal';
    const response = await fetch(`${app.publicUrl}/api/v1/groth16/${name === 'sp1' ? 'sp1-v5' : name}`, {
      method: 'POST',
      body: JSON.stringify({ proof, publicSignals: { ...(publicSignals as object), [member]: '0x00' } }),
    });
    expect(await response.json()).toMatchObject({
      valid: false,
      code: 'proof.false',
      form: 'selector-bytes',
    });
  });

  it('has conversions whose results are read', async () => {
    const { code, stdout, stderr } = await runBlocks('convert.sh');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('gnark-compressed');
    expect(stdout).toMatch(/^\["0x[0-9a-f]{64}"/);
    const arguments_ = ['--key-file', 'sp1-key.json', 'sp1.json'];
    const verify = await run(
      process.execPath,
      [join(ROOT, 'dist/main.js'), 'proof', 'verify', ...arguments_],
      {
        cwd: scratch.folder,
      },
    );
    expect(verify.stdout).toBe('valid\n');
  });
});
