declare module 'snarkjs' {
  /** Groth16 verification of snarkjs 0.7.6; decimal strings throughout. */
  export const groth16: {
    verify(key: unknown, publicSignals: readonly string[], proof: unknown): Promise<boolean>;
  };
}
