/**
 * Regenerates test/vectors/poseidon-circomlib.json with circomlibjs:
 * `node --import tsx test/support/crypto/make-poseidon-vectors.ts`. Two implementations of that package must agree, the
 * one in WebAssembly and the plain one; the inputs are derived from a label, so the file comes out the same every time.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { buildPoseidonReference } from 'circomlibjs';
import { fromBe, R } from './bn254.ts';
import { referenceHash } from './reference-tree.ts';

const MAX_INPUTS = 16;
const RANDOM_ROWS = 3;

const file = new URL('../../vectors/poseidon-circomlib.json', import.meta.url);

function derived(label: string): bigint {
  return fromBe(createHash('sha256').update(label).digest()) % R;
}

function inputsOf(count: number): bigint[][] {
  const row = (value: (index: number) => bigint): bigint[] =>
    Array.from({ length: count }, (_, index) => value(index));
  return [
    row(() => 0n),
    row(() => R - 1n),
    row((index) => BigInt(index + 1)),
    ...Array.from({ length: RANDOM_ROWS }, (_, number) =>
      row((index) => derived(`poseidon ${count} ${number} ${index}`)),
    ),
  ];
}

const plain = await buildPoseidonReference();
const hash = await referenceHash();
const rows = Array.from({ length: MAX_INPUTS }, (_, index) => inputsOf(index + 1))
  .flat()
  .map((inputs) => {
    const output = hash(...inputs);
    if (output !== plain.F.toObject(plain(inputs))) throw new Error(`circomlibjs disagrees on ${inputs}`);
    return { inputs: inputs.map(String), output: String(output) };
  });
const origin =
  'circomlibjs 0.1.7, buildPoseidon and buildPoseidonReference; test/support/crypto/make-poseidon-vectors.ts';
const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
writeFileSync(file, `{\n  "origin": ${JSON.stringify(origin)},\n  "hashes": [\n${lines}\n  ]\n}\n`);
