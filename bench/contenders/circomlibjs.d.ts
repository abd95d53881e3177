declare module 'circomlibjs' {
  /** Poseidon over field elements in circomlib's own form. */
  export function buildPoseidon(): Promise<{
    (inputs: readonly Uint8Array[]): Uint8Array;
    readonly F: { e(value: bigint): Uint8Array; toObject(element: Uint8Array): bigint };
  }>;
}
