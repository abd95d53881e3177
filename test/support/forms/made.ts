/** Keys and proofs that other tools made, in each of their forms, with what every interface says of them. */
import { expect } from 'vitest';
import type {
  ArkworksDocument,
  GnarkDocument,
  ZokratesDocument,
} from '../../interop/support/groth16-tools.ts';
import type { Interface } from './interfaces.ts';

/** A circuit with its key and proofs. */
export interface MadeCircuit {
  readonly name: string;
  readonly keys: readonly unknown[];
  readonly proofs: readonly {
    readonly proof: readonly unknown[];
    readonly signals: readonly unknown[];
    /** The same signals in decimal. */
    readonly decimal: readonly string[];
  }[];
  /** Code with which the key is refused. */
  readonly refusal?: string;
}

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

export function gnarkCircuits({ circuits }: Pick<GnarkDocument, 'circuits'>): MadeCircuit[] {
  return circuits.map(({ name, key, proofs, commitments }) => ({
    name: `gnark, ${name}`,
    keys: [key.json, bytes(key.raw), bytes(key.compressed)],
    proofs: proofs.map((proof) => ({
      proof: [proof.json, bytes(proof.raw), bytes(proof.compressed), bytes(proof.solidity)],
      signals: [proof.signals, bytes(proof.witness.binary)],
      decimal: proof.signals,
    })),
    ...(commitments > 0 ? { refusal: 'key.protocol' } : {}),
  }));
}

export function arkworksCircuits({ circuits }: Pick<ArkworksDocument, 'circuits'>): MadeCircuit[] {
  return circuits.map(({ name, key, preparedTail, proofs }) => ({
    name: `arkworks, ${name}`,
    keys: [key.compressed, key.uncompressed]
      .flatMap((hex) => (preparedTail === undefined ? [hex] : [hex, hex + preparedTail]))
      .map(bytes),
    proofs: proofs.map((proof) => ({
      proof: [bytes(proof.compressed), bytes(proof.uncompressed)],
      signals: [proof.signals, bytes(proof.signalBytes)],
      decimal: proof.signals,
    })),
  }));
}

export function zokratesCircuits({ circuits }: Pick<ZokratesDocument, 'circuits'>): MadeCircuit[] {
  return circuits.map(({ name, scheme, backend, key, proofs }) => ({
    name: `ZoKrates, ${name}, ${scheme}, ${backend}`,
    keys: [key, JSON.stringify(key)],
    proofs: proofs.map(({ json, signals }) => ({
      proof: [json, json.proof, JSON.stringify(json)],
      signals: [signals, json.inputs],
      decimal: signals,
    })),
    ...(scheme === 'g16' ? {} : { refusal: 'key.protocol' }),
  }));
}

/** Expects that an interface accepts each form of each proof under each form of the key, and no changed statement. */
export async function expectMade(one: Interface, { keys, proofs, refusal }: MadeCircuit): Promise<void> {
  for (const key of keys) {
    const { verdict, keyId } = await one.addKey(key);
    expect(verdict).toBe(refusal ?? 'added');
    if (refusal !== undefined) continue;
    for (const { proof: forms, signals, decimal } of proofs) {
      const [first = '0', ...others] = decimal;
      const changed = [String(BigInt(first) ^ 1n), ...others];
      for (const proof of forms) {
        for (const list of signals) expect((await one.verify(proof, list, keyId)).verdict).toBe('valid');
        expect((await one.verify(proof, changed, keyId)).verdict).not.toBe('valid');
      }
    }
  }
}
