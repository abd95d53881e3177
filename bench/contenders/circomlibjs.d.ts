declare module 'circomlibjs' {
  /** Builds Poseidon over field elements in circomlibjs' own representation. */
  export function buildPoseidon(): Promise<{
    (inputs: readonly Uint8Array[]): Uint8Array;
    readonly F: { e(value: bigint): Uint8Array; toObject(element: Uint8Array): bigint };
  }>;
  /** Builds the plain implementation, which takes numbers. */
  export function buildPoseidonReference(): Promise<{
    (inputs: readonly bigint[]): Uint8Array;
    readonly F: { toObject(element: Uint8Array): bigint };
  }>;
}
