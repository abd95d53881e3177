/**
 * Prints keys and proofs of ZoKrates over BN254 as one JSON document. It runs from a copy in `.cache/zokrates`, where its
 * package is (`.ci/interop-setup.sh`).
 */
import { initialize, metadata } from 'zokrates-js';

const zokrates = await initialize();

/** The value that a program returns is its last public input. */
const PROGRAMS = [
  {
    name: 'one',
    source: 'def main(private field x) -> field { return x * x * x + x + 5; }',
    witnesses: [['3'], ['4']],
  },
  {
    name: 'three',
    source: 'def main(private field x, field y, field z) -> field { return x * y + z; }',
    witnesses: [
      ['3', '0', `${21888242871839275222246405745257275088548364400416034343698204186575808495616n}`],
    ],
  },
];
const SCHEMES = [
  { scheme: 'g16', backend: 'ark' },
  { scheme: 'g16', backend: 'bellman' },
  { scheme: 'gm17', backend: 'ark' },
];

const circuits = SCHEMES.flatMap(({ scheme, backend }) =>
  PROGRAMS.map(({ name, source, witnesses }) => {
    const provider = zokrates.withOptions({ scheme, backend, curve: 'bn128' });
    const artifacts = provider.compile(source);
    const { vk, pk } = provider.setup(artifacts.program);
    const proofs = witnesses.map((values) => {
      const { witness } = provider.computeWitness(artifacts, values);
      const proof = provider.generateProof(artifacts.program, witness, pk);
      if (!provider.verify(vk, proof)) throw new Error('ZoKrates refuses its own proof');
      return { signals: proof.inputs.map((input) => BigInt(input).toString()), json: proof };
    });
    return { name, scheme, backend, key: vk, proofs };
  }),
);

console.log(JSON.stringify({ tool: 'ZoKrates', version: metadata.version, circuits }, undefined, 2));
