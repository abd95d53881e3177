import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CIRCUIT_FILE_NAMES } from '../../../../src/development/circuit-files.ts';
import {
  CIRCUIT_SKIP,
  developmentCircuit,
  linkDevelopmentCircuit,
} from '../../../support/crypto/development-circuit.ts';
import { fakeCircuit } from '../../../support/crypto/fake-circuit.ts';
import { makeProductionInstall } from '../../../support/server/production-install.ts';
import { productionEnv, useCliFolder } from '../../support/cli.ts';

const DEV_DEPTH30 = 'c0fd9a6487efb4573a6b6c628efb688c2f191bc13d76f24e4e0a39bf995df8e6';
const DEPTH20 = '8dc2dee78b3dbef19e242334788c662e959096724ede1de9865e5193dd2df840';
const folder = useCliFolder();

/** A built circuit whose verifying key is the committed one of another circuit. */
async function builtWith(circuit: string): Promise<string> {
  const built = await fakeCircuit(folder.path);
  const record = JSON.parse(await readFile(join(built.folder, CIRCUIT_FILE_NAMES.record), 'utf8')) as {
    verificationKey: { bytes: number };
  };
  const key = await readFile(
    new URL(`../../../../circuits/${circuit}/verification-key.json`, import.meta.url),
  );
  record.verificationKey.bytes = key.length;
  await writeFile(join(built.folder, CIRCUIT_FILE_NAMES.verificationKey), key);
  await writeFile(join(built.folder, CIRCUIT_FILE_NAMES.record), JSON.stringify(record));
  return built.folder;
}

describe('proofgate circuits setup', () => {
  it('reports that the circuit was already built, and ends immediately', async () => {
    const built = await builtWith('dev-depth30');
    const shown = await folder.json('circuits setup');
    expect(shown).toEqual({
      folder: built,
      fingerprint: DEV_DEPTH30,
      zkey_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      built: false,
    });
    const { code, stdout, stderr } = await folder.run('circuits setup');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`folder       ${built} (built before)\n`);
    expect(stdout).toContain(`fingerprint  ${DEV_DEPTH30} (dev-depth30)\n`);
  });

  it.skipIf(developmentCircuit === undefined)(
    `shows the SHA-256 of the built proving key${CIRCUIT_SKIP}`,
    async () => {
      await linkDevelopmentCircuit(folder.path);
      const readme = await readFile(
        new URL('../../../../circuits/dev-depth30/README.md', import.meta.url),
        'utf8',
      );
      const { zkey_sha256: found } = await folder.json('circuits setup');
      expect(readme).toContain(`\`${String(found)}\``);
    },
  );

  it('exits with 1 when the verifying key differs from the committed one, and names both', async () => {
    const built = await builtWith('semaphore-depth20');
    const { code, stdout, stderr } = await folder.run('circuits setup');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('proofgate: circuit.fingerprint_differs: ');
    expect(stderr).toContain(DEV_DEPTH30);
    expect(stderr).toContain(DEPTH20);
    expect(stderr).toContain(join(built, 'verification-key.json'));
    expect(stderr).toContain('circuits/semaphore/README.md');
  });

  it('is refused in production', async () => {
    const { code, stderr } = await folder.run('circuits setup', { env: productionEnv(folder.path) });
    expect(code).toBe(1);
    expect(stderr).toContain('proofgate: development.only: ');
    expect(await readdir(folder.path)).toEqual(['proofgate.db']);
  });

  it('names a folder that cannot be written', async () => {
    await writeFile(join(folder.path, 'circuits'), 'a file in the place of the folder');
    const { code, stderr } = await folder.run('circuits setup --quiet');
    expect(code).toBe(1);
    expect(stderr).toContain('proofgate: circuit.setup_failed: the circuit was not built: ');
  });

  it('names the packages that a production install lacks, as the import of a zkey does', async () => {
    const install = makeProductionInstall();
    onTestFinished(() => void install.remove());
    const env = { PROOFGATE_DATA_DIR: folder.path };
    const setup = await install.run(['circuits', 'setup'], env);
    expect(setup).toMatchObject({ code: 1, stdout: '' });
    expect(setup.stderr).toContain('proofgate: circuit.tools_missing: not installed: circom2, circomlib');
    expect(setup.stderr).toContain('npm install');
    expect(await readdir(folder.path)).toEqual(['proofgate.db']);
    const zkey = join(folder.path, 'some.zkey');
    await writeFile(zkey, 'zkey');
    const imported = await install.run(['vkey', 'import', zkey, '--id', 'x'], env);
    expect(imported.code).toBe(1);
    expect(imported.stderr).toContain('proofgate: key.unsupported_file: ');
  });
});
