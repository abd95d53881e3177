import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CIRCUIT_FILE_NAMES,
  circuitFolder,
  findCircuitFiles,
  requireCircuitFiles,
} from '../../src/development/circuit-files.ts';
import { compileCircuit, findTools } from '../../src/development/setup/compile.ts';
import { readConstraintSystem } from '../../src/development/setup/constraint-system.ts';
import {
  computeProvingKey,
  developmentSecrets,
  verificationKeyJson,
} from '../../src/development/setup/proving-key.ts';
import { replaceFolder, withWorkFolder } from '../../src/development/setup/setup-circuit.ts';
import {
  COMPILING,
  COMPUTING,
  SETUP_SECONDS,
  shareDone,
  WRITING,
} from '../../src/development/setup/stages.ts';
import { writeZkey } from '../../src/development/setup/zkey-file.ts';
import { fingerprint, keyFrom } from '../../src/membership/keys/built-in-keys.ts';
import { keyFromZkey } from '../../src/membership/keys/key-from-zkey.ts';
import { missingReason, startEngine } from '../engine/support/describe-engine.ts';
import {
  CIRCUIT_SKIP,
  developmentCircuit,
  linkDevelopmentCircuit,
} from '../support/crypto/development-circuit.ts';
import { fakeCircuit } from '../support/crypto/fake-circuit.ts';
import { expectRejected } from '../support/rejects.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofgate-setup-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** Returns the hash that a circuit's README lists for `what`. */
async function documented(circuit: string, what: string): Promise<string | undefined> {
  const text = await readFile(new URL(`../../circuits/${circuit}/README.md`, import.meta.url), 'utf8');
  const row = text.split('\n').find((line) => line.startsWith('|') && line.includes(what));
  return row?.match(/\b[0-9a-f]{64}\b/)?.[0];
}

async function sha256(path: string): Promise<string> {
  return digestOf(await readFile(path));
}

function digestOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('files of the built circuit', () => {
  it('are in a folder whose name contains a hash of the sources and tool versions', () => {
    expect(circuitFolder('/data')).toMatch(/^\/data\/circuits\/semaphore-depth30-[0-9a-f]{16}$/);
    expect(circuitFolder('/data')).toBe(circuitFolder('/data'));
  });

  it('are missing if nothing was built, and the error names the command', async () => {
    expect(await findCircuitFiles(folder)).toBeUndefined();
    await expectRejected(requireCircuitFiles(folder), 'circuit.not_built', 'proofgate circuits setup');
  });

  it('are found when all exist', async () => {
    const { folder: built } = await fakeCircuit(folder);
    expect(built).toBe(circuitFolder(folder));
    expect(await requireCircuitFiles(folder)).toEqual({
      folder: built,
      witnessCode: join(built, 'semaphore-depth30.wasm'),
      provingKey: join(built, 'semaphore-depth30.zkey'),
      verificationKey: join(built, 'verification-key.json'),
    });
  });

  it.each(Object.values(CIRCUIT_FILE_NAMES))('are not found without %s', async (name) => {
    const { folder: built } = await fakeCircuit(folder);
    await rm(join(built, name));
    expect(await findCircuitFiles(folder)).toBeUndefined();
  });

  it('are not found when one is truncated, or when the record is damaged', async () => {
    const { folder: built } = await fakeCircuit(folder);
    await truncate(join(built, CIRCUIT_FILE_NAMES.provingKey), 1000);
    expect(await findCircuitFiles(folder)).toBeUndefined();
    await fakeCircuit(folder);
    expect(await findCircuitFiles(folder)).toBeDefined();
    for (const record of ['', '{', 'null', '{}', '{"provingKey":{"bytes":3000000}}']) {
      await writeFile(join(built, CIRCUIT_FILE_NAMES.record), record);
      expect(await findCircuitFiles(folder), record).toBeUndefined();
    }
  });
});

describe('compiling the circuit', () => {
  it('produces the constraints, witness code and keys that the READMEs list, in any folder and on any backend', async () => {
    const { r1cs, witnessCode } = await compileCircuit(folder, findTools());
    expect(await sha256(r1cs)).toBe(await documented('semaphore', 'SHA-256 of the r1cs'));
    expect(await sha256(witnessCode)).toBe(await documented('semaphore', 'SHA-256 of the witness code'));

    const system = readConstraintSystem(await readFile(r1cs));
    for (const backend of ['native', 'wasm'] as const) {
      if (missingReason(backend) !== undefined) continue;
      const { engine } = await startEngine({ backend, workers: 0 });
      const key = await computeProvingKey(system, developmentSecrets(), engine);
      await engine.close();
      expect(digestOf(writeZkey(key, system)), backend).toBe(
        await documented('dev-depth30', 'SHA-256 of the proving key'),
      );
      expect(digestOf(verificationKeyJson(key)), backend).toBe(
        await documented('dev-depth30', 'verification-key.json'),
      );
    }
  });

  it('stops when it is aborted', async () => {
    const aborted = new AbortController();
    const compiled = compileCircuit(folder, findTools(), aborted.signal);
    aborted.abort(new Error('no longer needed'));
    await expect(compiled).rejects.toThrow('no longer needed');
  });

  it('gives the compiler no secret of its environment', async () => {
    const compiler = join(folder, 'compiler.cjs');
    const work = join(folder, 'work');
    await mkdir(work);
    await writeFile(compiler, 'console.log(JSON.stringify(process.env)); process.exit(1)');
    vi.stubEnv('PROOFGATE_ADMIN_TOKEN', 'a-secret-that-no-build-needs');
    const { library } = findTools();
    await expect(compileCircuit(work, { compiler, library })).rejects.toMatchObject({
      message: expect.stringMatching(/: \{\}$/),
    });
  });

  it('reports the output of a compiler that fails', async () => {
    const { compiler } = findTools();
    const library = join(folder, 'no-library');
    const work = join(folder, 'work');
    await mkdir(library);
    await mkdir(work);
    await expectRejected(
      compileCircuit(work, { compiler, library }),
      'circuit.compiler_failed',
      'poseidon.circom',
    );
  });
});

describe('stages of a setup', () => {
  const stages = [COMPILING, COMPUTING, WRITING];

  it('follow each other, and the share done never decreases or exceeds its stage', () => {
    const shares = stages.flatMap((stage) =>
      [0, 0.1, 1, 5, 60, 3600].map((elapsedSeconds) => shareDone(stage, elapsedSeconds)),
    );
    expect(shares[0]).toBe(0);
    expect(shares).toEqual([...shares].sort((one, other) => one - other));
    for (const [index, { seconds, nextSeconds }] of stages.entries()) {
      expect(seconds).toBe(stages[index - 1]?.nextSeconds ?? 0);
      expect(
        shares.slice(6 * index, 6 * index + 6).every((share) => share * SETUP_SECONDS <= nextSeconds),
      ).toBe(true);
    }
  });
});

describe('folders of a setup', () => {
  it('are accessible to the owner only, and are removed afterwards, also after a failure', async () => {
    const parent = join(folder, 'data', 'circuits');
    const work = await withWorkFolder(parent, NOW, async (path) => {
      expect((await stat(path)).mode & 0o777).toBe(0o700);
      expect((await stat(parent)).mode & 0o777).toBe(0o700);
      await writeFile(join(path, 'file'), '');
      return path;
    });
    await expect(stat(work)).rejects.toThrow('ENOENT');
    await expect(withWorkFolder(parent, NOW, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await readdir(parent)).toEqual([]);
  });

  it('are removed a day after an interrupted run left them, and other folders stay', async () => {
    for (const [name, ageMs] of [
      ['.work-old', DAY_MS + 1],
      ['.work-young', DAY_MS - 1],
      ['semaphore-depth30-0000', 9 * DAY_MS],
    ] as const) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'file'), '');
      await utimes(join(folder, name), (NOW - ageMs) / 1000, (NOW - ageMs) / 1000);
    }
    await withWorkFolder(folder, NOW, () => Promise.resolve());
    expect((await readdir(folder)).sort()).toEqual(['.work-young', 'semaphore-depth30-0000']);
  });

  it('replace an existing folder, also when many runs end at the same time', async () => {
    const to = join(folder, 'built');
    const runs = Array.from({ length: 8 }, async (_, run) => {
      await withWorkFolder(folder, Date.now(), async (work) => {
        const result = join(work, 'result');
        await mkdir(result);
        await writeFile(join(result, 'run'), String(run));
        await replaceFolder(result, to, work);
      });
    });
    await Promise.all(runs);
    expect(await readdir(folder)).toEqual(['built']);
    expect(await readFile(join(to, 'run'), 'utf8')).toMatch(/^[0-7]$/);
  });
});

describe.skipIf(developmentCircuit === undefined)(`the circuit built on this machine${CIRCUIT_SKIP}`, () => {
  const { provingKey, verificationKey, witnessCode } = developmentCircuit ?? {
    provingKey: '',
    verificationKey: '',
    witnessCode: '',
  };

  it('has the documented proving key, witness code and verifying key', async () => {
    expect(await sha256(provingKey)).toBe(await documented('dev-depth30', 'SHA-256 of the proving key'));
    expect(await sha256(witnessCode)).toBe(await documented('semaphore', 'SHA-256 of the witness code'));
    const committed = new URL('../../circuits/dev-depth30/verification-key.json', import.meta.url);
    expect(await readFile(verificationKey)).toEqual(await readFile(committed));
    expect(await sha256(verificationKey)).toBe(await documented('dev-depth30', 'verification-key.json'));
  });

  it('has the fingerprint of dev-depth30 in its proving key and in its verifying key', async () => {
    const expected = await documented('dev-depth30', 'fingerprint');
    expect(fingerprint((await keyFromZkey(provingKey)).key)).toBe(expected);
    const json = keyFrom(await readFile(verificationKey, 'utf8'));
    expect(fingerprint(json.key)).toBe(expected);
  });

  it('is accessible to its owner only', async () => {
    for (const path of [provingKey, witnessCode, verificationKey]) {
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
  });

  it('can be linked into another data folder', async () => {
    const linked = await linkDevelopmentCircuit(folder);
    expect(await findCircuitFiles(folder)).toEqual(linked);
    expect(await sha256(linked.provingKey)).toBe(await sha256(provingKey));
  });
});
