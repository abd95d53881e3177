/**
 * circomlib's Poseidon over the scalar field of one or two elements; the engine's, or our WASM build where there is
 * no engine.
 *
 * @param inputs - 32 or 64 bytes: elements of 32 bytes, big-endian, each below r.
 * @returns 32 bytes, big-endian.
 */
export type Poseidon = (inputs: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Two elements side by side, as `Poseidon` takes them. */
export function pair(left: Uint8Array, right: Uint8Array): Uint8Array {
  const inputs = new Uint8Array(64);
  inputs.set(left);
  inputs.set(right, 32);
  return inputs;
}
