import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MODULES = ['relaxed.wasm', 'simd.wasm', 'scalar.wasm'];
const root = fileURLToPath(new URL('../..', import.meta.url));
const artifact = (name: string): Buffer =>
  readFileSync(new URL(`../../wasm/artifact/${name}`, import.meta.url));

describe('the committed WASM artifact', () => {
  it('was built from the current sources (otherwise run npm run build:wasm)', () => {
    const check = spawnSync(process.execPath, ['.scripts/artifact-record.mjs', 'wasm', 'check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(check.stderr).toBe('');
    expect(check.stdout).toBe('');
    expect(check.status).toBe(0);
  });

  it.each(MODULES)('contains no path of the build machine: %s', (name) => {
    const texts = artifact(name).toString('latin1');
    expect(texts).not.toMatch(/\/(home|root|Users|work|tmp|builds?)\//);
  });

  it('equals a rebuild in bytes with the recorded tools; with others that is skipped by name, and fails in CI', () => {
    const { tools } = JSON.parse(artifact('record.json').toString('utf8')) as {
      tools: Record<string, string>;
    };
    const folder = mkdtempSync(join(tmpdir(), 'proofgate-wasm-'));
    const compare = (
      versions: Readonly<Record<string, string>>,
      CI = '',
    ): readonly [number | null, string] => {
      const rows = Object.entries(versions).map(([name, version]) => `${name}=${version}`);
      const args = ['.scripts/artifact-record.mjs', 'wasm', 'compare', folder, ...rows];
      const env = { ...process.env, CI };
      const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
      return [status, stdout];
    };
    try {
      cpSync(join(root, 'wasm/artifact'), folder, { recursive: true });
      expect(compare(tools)).toEqual([0, expect.stringContaining('equals the record')]);
      expect(compare(tools, 'true')[0]).toBe(0);
      writeFileSync(join(folder, 'simd.wasm'), 'another module');
      expect(compare(tools)).toEqual([1, 'the rebuild differs from the record: simd.wasm\n']);
      const others = { ...tools, rustc: 'rustc 1.0.0' };
      const [status, output] = compare(others);
      expect(status).toBe(0);
      expect(output).toContain(
        'skipped: comparison of the machine code of wasm: rustc is rustc 1.0.0, the record has',
      );
      expect(output).toContain('the rebuild equals the record: proofgate_wasm.d.ts');
      expect(compare(others, 'true')).toEqual([
        1,
        expect.stringContaining('failed: comparison of the machine code'),
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('records its build tools', () => {
    const record = JSON.parse(artifact('record.json').toString('utf8')) as { tools: Record<string, string> };
    expect(Object.keys(record.tools)).toEqual(['rustc', 'std', 'wasm-pack', 'wasm-bindgen', 'linker']);
    expect(record.tools['wasm-bindgen']).toBe('wasm-bindgen 0.2.129');
  });
});
