/** Bytes of a proof: A (64) ‖ B (128) ‖ C (64). */
export const PROOF_BYTES = 256;
/** Bytes of a public input. */
export const INPUT_BYTES = 32;

/** Proof ‖ inputs of one waiting proof. */
export type Row = Uint8Array;

/** Copies a proof and its inputs: their owner may change them afterwards. */
export function rowOf(proof: Uint8Array, inputs: Uint8Array): Row {
  // a piece of Node's pool: memory of its own would cost microseconds
  const row = Buffer.allocUnsafe(proof.length + inputs.length);
  row.set(proof);
  row.set(inputs, proof.length);
  return row;
}
