/** The package, installed in an empty folder, on each Node, without the repository, cargo or a network. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  NODES,
  type PackedLibrary,
  packLibrary,
  runInProject,
  writeProjectFile,
} from '../support/packed-library.ts';
import { KEY_TEXT, PROOF, SIGNALS } from '../support/semaphore-statement.ts';

const VERIFY = `
import { readFileSync } from 'node:fs';
import { createEngine } from 'proofgate';

const { key, proof, publicSignals } = JSON.parse(readFileSync('statement.json', 'utf8'));
const engine = await createEngine({ workers: 1, backend: process.argv[2] });
await engine.addKey('transfer', key);
const verdicts = [
  await engine.verify('transfer', proof, publicSignals),
  await engine.verify('transfer', proof, publicSignals.with(0, '1')),
];
console.log(JSON.stringify({ verdicts, backend: engine.stats().backend }));
// Not closed: an idle engine does not keep the process alive.
`;

let packed: PackedLibrary;
beforeAll(async () => {
  packed = await packLibrary();
  writeProjectFile(
    packed,
    'statement.json',
    JSON.stringify({ key: KEY_TEXT, proof: PROOF, publicSignals: SIGNALS }),
  );
  writeProjectFile(packed, 'verify.mjs', VERIFY);
});
afterAll(() => packed.remove());

describe.each(NODES)('the installed package on $name', ({ program }) => {
  const test = program === undefined ? it.skip : it;

  test.each(['auto', 'wasm'])('verifies a proof in a few lines, with backend %s', async (backend) => {
    const output = JSON.parse(await runInProject(packed, program ?? '', ['verify.mjs', backend])) as unknown;
    expect(output).toEqual({
      verdicts: [
        { valid: true },
        { valid: false, code: 'proof.false', message: expect.any(String) as string },
      ],
      backend: backend === 'wasm' ? 'wasm' : expect.stringMatching(/^(?:native|wasm)$/),
    });
  });
});

describe('the installed package', () => {
  it('keeps the process alive while a verification waits', async () => {
    writeProjectFile(
      packed,
      'pending.mjs',
      `${VERIFY.slice(0, VERIFY.indexOf('const verdicts'))}
engine.verify('transfer', proof, publicSignals).then((verdict) => console.log(verdict.valid));
`,
    );
    expect(await runInProject(packed, process.execPath, ['pending.mjs', 'auto'])).toBe('true\n');
  });

  it('has a bin that names the package of the service', async () => {
    const bin = ['node_modules/.bin/proofgate', 'serve'];
    await expect(runInProject(packed, process.execPath, bin)).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringContaining('npm install proofgate-server') as string,
    });
  });
});
