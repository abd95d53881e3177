// Types of the used parts of GPL-3.0 packages without types of their own. They are development dependencies, loaded by
// dynamic import from commands and tests only; test/module-graph.test.ts has the list of those files.

declare module 'snarkjs' {
  /** A file in memory; the function that writes it sets `data`. */
  export interface MemoryFile {
    readonly type: 'mem';
    data?: Uint8Array;
  }
  /** A path, a file in memory, or bytes to read. */
  export type FileLike = string | MemoryFile | Uint8Array;
  /** Receives the messages of a long task. */
  export interface Logger {
    debug(text: string): void;
    info(text: string): void;
    warn(text: string): void;
    error(text: string): void;
  }
  /** Points in decimal, Fp2 as c0, c1. */
  export interface Groth16Proof {
    readonly pi_a: readonly string[];
    readonly pi_b: readonly (readonly string[])[];
    readonly pi_c: readonly string[];
    readonly protocol: string;
    readonly curve: string;
  }
  export interface ProverOptions {
    readonly singleThread?: boolean;
  }
  export interface ProvingResult {
    readonly proof: Groth16Proof;
    /** Decimal, in the order of the circuit. */
    readonly publicSignals: readonly string[];
  }
  /** Signals by name, decimal or 0x hex texts or bigints. */
  export type CircuitInput = Readonly<Record<string, string | bigint | readonly (string | bigint)[]>>;
  export const groth16: {
    fullProve(
      input: CircuitInput,
      witnessCode: FileLike,
      provingKey: FileLike,
      logger?: Logger,
      witnessOptions?: unknown,
      proverOptions?: ProverOptions,
    ): Promise<ProvingResult>;
    prove(
      provingKey: FileLike,
      witness: FileLike,
      logger?: Logger,
      options?: ProverOptions,
    ): Promise<ProvingResult>;
    verify(key: unknown, publicSignals: readonly string[], proof: unknown): Promise<boolean>;
    exportSolidityCallData(proof: unknown, publicSignals: readonly string[]): Promise<string>;
  };
  export const wtns: {
    calculate(input: CircuitInput, witnessCode: FileLike, witness: FileLike): Promise<void>;
    check(r1cs: FileLike, witness: FileLike, logger?: Logger): Promise<boolean>;
    exportJson(witness: FileLike): Promise<bigint[]>;
  };
  /** Some functions of the package fail without a logger. */
  export const powersOfTau: {
    /** @param power - Base-2 logarithm of the maximum number of constraints. */
    newAccumulator(curve: unknown, power: number, to: FileLike): Promise<void>;
    beacon(
      from: FileLike,
      to: FileLike,
      name: string,
      beaconHash: string,
      iterationsExponent: number,
    ): Promise<Uint8Array>;
    preparePhase2(from: FileLike, to: FileLike, logger?: Logger): Promise<void>;
  };
  export const zKey: {
    /** @returns -1 if the circuit does not fit the phase 1 file, else the circuit hash. */
    newZKey(
      r1cs: FileLike,
      phase1: FileLike,
      to: FileLike,
      logger?: Logger,
    ): Promise<Uint8Array | -1 | undefined>;
    /** @param beaconHash - Hex without prefix. @param iterationsExponent - 10 to 63. */
    contribute(
      from: FileLike,
      to: FileLike,
      name: string,
      entropy: string,
      logger?: Logger,
    ): Promise<Uint8Array>;
    beacon(
      from: FileLike,
      to: FileLike,
      name: string,
      beaconHash: string,
      iterationsExponent: number,
      logger?: Logger,
    ): Promise<Uint8Array>;
    verifyFromR1cs(r1cs: FileLike, phase1: FileLike, zkey: FileLike, logger?: Logger): Promise<boolean>;
    exportVerificationKey(zkey: FileLike, logger?: Logger): Promise<Readonly<Record<string, unknown>>>;
  };
}

declare module '@iden3/binfileutils' {
  /** An open file of sections. */
  export interface BinaryFile {
    close(): Promise<void>;
  }
  /** Positions (`p`) and sizes of the sections in the file, in bytes, by section type. */
  export type Sections = readonly (readonly { readonly p: number; readonly size: number }[] | undefined)[];

  /** Trusts the section table: wrong section counts or sizes can make it loop forever. */
  export function readBinFile(
    file: string | Uint8Array,
    type: string,
    maxVersion: number,
  ): Promise<{ readonly fd: BinaryFile; readonly sections: Sections }>;
  /** The bytes of the first section of a type. */
  export function readSection(file: BinaryFile, sections: Sections, type: number): Promise<Uint8Array>;
}

declare module 'ffjavascript' {
  export function getCurveFromName(name: 'bn128' | 'bls12381', singleThread?: boolean): Promise<unknown>;
  export const Scalar: {
    /** Little-endian; the offset must be a multiple of 4 in the buffer below `bytes`. */
    fromRprLE(bytes: Uint8Array, offset: number, length: number): bigint;
    /** Big-endian. */
    toRprBE(bytes: Uint8Array, offset: number, value: bigint, length: number): void;
  };
  /** A prime field of bigints. */
  export class F1Field {
    constructor(prime: bigint);
    /** Inverse of the Montgomery factor 2^256 of a field of 32 bytes. */
    readonly Ri: bigint;
    mul(a: bigint, b: bigint): bigint;
  }
}
