// Zkeys of snarkjs, by spec/verification.md#contributions
import { Readable } from 'node:stream';
import { type MemoryFile, powersOfTau, zKey } from 'snarkjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentSecrets } from '../../../../src/development/setup/proving-key.ts';
import { powersFile, r1csFile, smallCircuit } from '../../../development/support/small-circuit.ts';
import { useOneThreadCurves } from '../../../support/crypto/one-thread-curves.ts';
import { closeReference } from '../../../support/crypto/reference-verdict.ts';
import { type CliFolder, type CliResult, makeCliFolder } from '../../support/cli.ts';

useOneThreadCurves('bn128');
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const BEACON = 'ab'.repeat(32);
type Step = 'person' | 'beacon';

const memoryFile = (): MemoryFile => ({ type: 'mem' });
const bytesIn = ({ data }: MemoryFile): Uint8Array => {
  if (data === undefined) throw new Error('snarkjs wrote nothing');
  return data;
};

let initial: Uint8Array;
let folder: CliFolder;
beforeAll(async () => {
  const prepared = memoryFile();
  await powersOfTau.preparePhase2(await powersFile(developmentSecrets(), 5), prepared, quiet);
  const made = memoryFile();
  await zKey.newZKey(r1csFile(smallCircuit('contributions')), bytesIn(prepared), made, quiet);
  initial = bytesIn(made);
  folder = await makeCliFolder();
});
afterAll(async () => {
  await folder.remove();
  await closeReference();
});

async function zkeyOf(steps: readonly Step[]): Promise<Uint8Array> {
  let bytes = initial;
  for (const [index, step] of steps.entries()) {
    const next = memoryFile();
    if (step === 'beacon') await zKey.beacon(bytes, next, 'beacon', BEACON, 10, quiet);
    else await zKey.contribute(bytes, next, `person ${index}`, `entropy ${index}`, quiet);
    bytes = bytesIn(next);
  }
  return bytes;
}

async function importZkey(bytes: Uint8Array, id: string, ...options: string[]): Promise<CliResult> {
  const stdin = Readable.from([Buffer.from(bytes)]);
  return await folder.run(['vkey', 'import', '-', '--id', id, ...options], { stdin });
}

describe('proofgate vkey import of a zkey of snarkjs', () => {
  it.each<[string, Step[], string, string | undefined]>([
    ['one person', ['person'], '1 contribution,', undefined],
    ['two persons', ['person', 'person'], '2 contributions,', undefined],
    ['a person and a beacon', ['person', 'beacon'], '2 contributions,', undefined],
    ['a beacon alone', ['beacon'], '1 contribution,', 'its only contribution is a public beacon'],
    ['two beacons', ['beacon', 'beacon'], '2 contributions,', 'all contributions are public beacons'],
  ])('says how many contributions it has: %s', async (name, steps, says, warning) => {
    const id = name.replaceAll(' ', '-');
    const zkey = await zkeyOf(steps);
    const shown = await importZkey(zkey, id);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(says);
    if (warning === undefined) expect(shown.stderr).not.toContain('warning');
    else expect(shown.stderr).toContain(warning);
    const json = await importZkey(zkey, id, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ id, contributions: steps.length });
  });

  it('refuses one without a contribution, and says that it has none', async () => {
    const result = await importZkey(initial, 'initial');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('warning: the zkey has no contribution: anyone can forge proofs');
    expect(result.stderr).toContain('proofgate: key.forgeable: delta equals gamma');
  });
});
