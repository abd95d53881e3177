/** Bytes of a proof: A (64) ‖ B (128) ‖ C (64). */
export const PROOF_BYTES = 256;
/** Bytes of a public input. */
export const INPUT_BYTES = 32;

/** Returns the bytes of a statement, proof ‖ inputs, under a key with this number of public inputs. */
export function statementBytes(inputCount: number): number {
  return PROOF_BYTES + inputCount * INPUT_BYTES;
}

/** Copies a proof and its inputs to one statement; the caller may change its own bytes afterwards. */
export function statementOf(proof: Uint8Array, inputs: Uint8Array): Uint8Array {
  // From Node's buffer pool: a separate allocation would cost microseconds.
  const statement = Buffer.allocUnsafe(proof.length + inputs.length);
  statement.set(proof);
  statement.set(inputs, proof.length);
  return statement;
}
