/** Keys and proofs of gnark, arkworks and ZoKrates, once made by their programs, in every interface. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { ArkworksDocument, GnarkDocument, ZokratesDocument } from '../interop/support/groth16-tools.ts';
import { type Interface, startInterfaces } from '../support/forms/interfaces.ts';
import {
  arkworksCircuits,
  expectMade,
  gnarkCircuits,
  type MadeCircuit,
  zokratesCircuits,
} from '../support/forms/made.ts';

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/forms/${name}.json`, import.meta.url), 'utf8')) as T;
}

/** Proofs of each circuit: the files have one for each combination of signs, of which the engine gets all. */
const FEW = 1;

const CIRCUITS: readonly MadeCircuit[] = [
  ...gnarkCircuits(read<GnarkDocument>('gnark')),
  ...arkworksCircuits(read<ArkworksDocument>('arkworks')),
  ...zokratesCircuits(read<ZokratesDocument>('zokrates')),
];

let interfaces: readonly Interface[] = [];

beforeAll(async () => {
  interfaces = await startInterfaces();
});

afterAll(async () => {
  await Promise.all(interfaces.map((one) => one.close()));
});

describe.each(CIRCUITS)('$name', (circuit) => {
  it('holds in every interface, and nothing else', async () => {
    for (const [index, one] of interfaces.entries())
      await expectMade(one, index === 0 ? circuit : { ...circuit, proofs: circuit.proofs.slice(0, FEW) });
  });
});

interface Older {
  readonly releases: readonly (Pick<GnarkDocument, 'version'> & {
    readonly circuits: readonly Omit<GnarkDocument['circuits'][number], 'proofs'>[];
  })[];
}

describe.each(read<Older>('gnark-older').releases)('gnark $version', ({ circuits }) => {
  it.each(circuits)('$name has a key that is read or refused by name', async ({ key, commitments }) => {
    const [engine] = interfaces;
    if (engine === undefined) throw new Error('expected an engine');
    const keys = [key.json, key.raw, key.compressed].map((form) =>
      typeof form === 'string' ? new Uint8Array(Buffer.from(form, 'hex')) : form,
    );
    const refusal = commitments > 0 ? { refusal: 'key.protocol' } : {};
    await expectMade(engine, { name: '', keys, proofs: [], ...refusal });
  });
});
