declare module 'circomlibjs' {
  /** Builds Poseidon over field elements in circomlibjs' own representation. */
  export function buildPoseidon(): Promise<{
    (inputs: readonly Uint8Array[]): Uint8Array;
    readonly F: { e(value: bigint): Uint8Array; toObject(element: Uint8Array): bigint };
  }>;
}
