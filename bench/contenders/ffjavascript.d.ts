declare module 'ffjavascript' {
  /** BN254 in WASM, as snarkjs uses it. */
  export function buildBn128(singleThread?: boolean): Promise<{ terminate(): Promise<void> }>;
}
