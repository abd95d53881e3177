// Rules: spec/engine.md#addon
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const addon = readFileSync(new URL('../../native/prebuilt/proofgate.linux-arm64-gnu.node', import.meta.url));
const texts = addon.toString('latin1');
/** Offset and value of the machine in the head of an ELF file. */
const ELF_MACHINE = { at: 18, aarch64: 183 } as const;
/** Symbols above this version of glibc would leave out Debian 12, Ubuntu 22.04 and RHEL 9. */
const NEWEST_GLIBC = [2, 34] as const;

describe('the committed addon for Linux on ARM64', () => {
  it('was built from the current sources (otherwise run npm run build:arm64)', () => {
    const args = ['.scripts/artifact-record.mjs', 'arm64', 'check'];
    const check = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect([check.stderr, check.stdout, check.status]).toEqual(['', '', 0]);
  });

  it('is a library for AArch64 with the functions of the addon', () => {
    expect(addon.readUInt16LE(ELF_MACHINE.at)).toBe(ELF_MACHINE.aarch64);
    expect(texts).toContain('napi_register_module_v1');
    for (const name of ['verifyBatch', 'poseidonMany', 'hashBytes', 'createSigningKey'])
      expect(texts).toContain(name);
  });

  it('contains no path of the build machine', () => {
    expect(texts).not.toMatch(/\/(home|root|Users|work|tmp|builds?)\//);
  });

  it('runs with the glibc of supported distributions', () => {
    const versions = [...texts.matchAll(/GLIBC_(\d+)\.(\d+)/g)].map(([, major, minor]) => [
      Number(major),
      Number(minor),
    ]);
    expect(versions.length).toBeGreaterThan(0);
    for (const [major = 0, minor = 0] of versions) {
      expect(major).toBe(NEWEST_GLIBC[0]);
      expect(minor).toBeLessThanOrEqual(NEWEST_GLIBC[1]);
    }
  });
});
