import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/paths.ts';
import { refusedMembers } from './refused-members.ts';

/** A verifying key in the JSON of snarkjs; decimal strings. */
export interface SnarkjsKey {
  readonly nPublic: number;
  readonly vk_alpha_1: readonly string[];
  readonly vk_beta_2: readonly (readonly string[])[];
  readonly vk_gamma_2: readonly (readonly string[])[];
  readonly vk_delta_2: readonly (readonly string[])[];
  readonly IC: readonly (readonly string[])[];
}

/** Answer to a proof: valid, well-formed but false, or refused as malformed. */
export type Answer = boolean | 'refused';

/** A proof with its inputs, its kind, and the expected answer. */
export interface ProofMember {
  readonly proof: Uint8Array;
  readonly inputs: Uint8Array;
  readonly kind: string;
  readonly expected: Answer;
}

/** True proofs under one key, and false and malformed ones made from them. */
export interface ProofSet {
  /** Parameters of the cases of these proofs. */
  readonly parameters: Readonly<{ inputs: number; form?: 'compressed' }>;
  readonly json: SnarkjsKey;
  /** α ‖ β ‖ γ ‖ δ ‖ IC, as the engine takes it. */
  readonly key: Uint8Array;
  readonly valid: readonly ProofMember[];
  /** False members, as many as there are valid ones. */
  readonly invalid: readonly ProofMember[];
  /** One member for each check that a full verification makes in addition to the equation. */
  readonly refused: readonly ProofMember[];
}

type Entry = Readonly<
  Record<'merkle_root' | 'nullifier_hash' | 'signal_hash' | 'external_nullifier_hash' | 'proof', string>
>;

const fromHex = (text: string): Buffer => Buffer.from(text.replace(/^0x/, '').padStart(64, '0'), 'hex');
const word = (decimal: string | undefined): Buffer => fromHex(BigInt(decimal ?? '').toString(16));

/** Encodes the key's points as words, G2 with c1 first. */
export function keyBytes(json: SnarkjsKey): Uint8Array {
  const g1 = ([x, y]: readonly string[]): Buffer[] => [word(x), word(y)];
  const g2 = ([x, y]: readonly (readonly string[])[]): Buffer[] => [
    word(x?.[1]),
    word(x?.[0]),
    word(y?.[1]),
    word(y?.[0]),
  ];
  return Buffer.concat([
    ...g1(json.vk_alpha_1),
    ...g2(json.vk_beta_2),
    ...g2(json.vk_gamma_2),
    ...g2(json.vk_delta_2),
    ...json.IC.flatMap(g1),
  ]);
}

function member(entry: Entry): ProofMember {
  const inputs = [entry.merkle_root, entry.nullifier_hash, entry.signal_hash, entry.external_nullifier_hash];
  return {
    proof: fromHex(entry.proof),
    inputs: Buffer.concat(inputs.map(fromHex)),
    kind: 'true',
    expected: true,
  };
}

/** Makes false members of three kinds: another input, another C, another A. They pass every cheap check. */
export function falseMembers(valid: readonly ProofMember[]): ProofMember[] {
  return valid.map((one, index) => {
    const other = valid[(index + 1) % valid.length] as ProofMember;
    const [proof, inputs] = [Uint8Array.from(one.proof), Uint8Array.from(one.inputs)];
    if (index % 3 === 0) inputs[127] = (inputs[127] as number) ^ 1;
    else if (index % 3 === 1) proof.set(other.proof.subarray(192), 192);
    else proof.set(other.proof.subarray(0, 64), 0);
    const kind = `false: ${['input', 'C', 'A'][index % 3]} of another`;
    return { proof, inputs, kind, expected: false };
  });
}

/** Loads the 64 bulk proofs of the test vectors: real World ID proofs under the public depth-30 key. */
export function loadProofSet(): ProofSet {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const json = read('circuits/semaphore-depth30/verification-key.json') as SnarkjsKey;
  const bulk = read('test/vectors/semaphore-proofs-bulk.json') as Entry[];
  const valid = bulk.map(member);
  return {
    parameters: { inputs: 4 },
    json,
    key: keyBytes(json),
    valid,
    invalid: falseMembers(valid),
    refused: refusedMembers(valid[0] as ProofMember),
  };
}

/** Members whose answers are compared before timing: all valid ones, some false ones, every refused one. */
export function agreementMembers(set: ProofSet): ProofMember[] {
  return [...set.valid, ...set.invalid.slice(0, 12), ...set.refused];
}

/** A proof and its public signals in the forms of snarkjs. */
export interface SnarkjsStatement {
  readonly proof: {
    readonly pi_a: readonly string[];
    readonly pi_b: readonly (readonly string[])[];
    readonly pi_c: readonly string[];
    readonly protocol: string;
    readonly curve: string;
  };
  readonly publicSignals: readonly string[];
}

/** Writes a member in the forms of snarkjs. */
export function snarkjsForm({ proof, inputs }: ProofMember): SnarkjsStatement {
  const wordAt = (bytes: Uint8Array, index: number): string =>
    BigInt(`0x${Buffer.from(bytes.subarray(32 * index, 32 * index + 32)).toString('hex')}`).toString();
  const w = (index: number): string => wordAt(proof, index);
  return {
    proof: {
      protocol: 'groth16',
      curve: 'bn128',
      pi_a: [w(0), w(1), '1'],
      pi_b: [
        [w(3), w(2)],
        [w(5), w(4)],
        ['1', '0'],
      ],
      pi_c: [w(6), w(7), '1'],
    },
    publicSignals: Array.from({ length: inputs.length / 32 }, (_, index) => wordAt(inputs, index)),
  };
}
