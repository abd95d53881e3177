import { Fifo } from '../../engine/queue/fifo.ts';
import {
  G1_BYTES,
  G2_BYTES,
  type SnarkjsNumber,
  type SnarkjsProof,
  snarkjsProofBytes,
  snarkjsSignalBytes,
} from '../../groth16/index.ts';
import { publicError } from './proofgate-error.ts';
import { type PreparedKey, SnarkjsEngine, type VerifyingEngine } from './snarkjs-engine.ts';

/** The part of a logger that `groth16.verify` uses; those of snarkjs have more. */
export interface SnarkjsLogger {
  info(line: string): void;
  error(line: string): void;
}

/** `groth16` of `proofgate/snarkjs`. */
export interface SnarkjsGroth16 {
  /**
   * Checks a proof as `groth16.verify` of snarkjs does, except for the differences in
   * src/docs/library.md#differences-from-snarkjs: some proofs that snarkjs accepts do not prove anything.
   *
   * @param verificationKey - The parsed JSON that `snarkjs zkey export verificationkey` writes.
   * @param publicSignals - In the order of the circuit; false for a value that is not from 0 to r − 1.
   * @param logger - Gets one line per call: `OK!` by `info`, or a refusal by `error`.
   * @throws ProofgateError `key.*` for a key that cannot be used, among them `key.forgeable` for one under which anyone
   * can make proofs; `proof.form`, `input.form`, `input.count` where snarkjs throws too; `engine.*` if no engine starts
   */
  verify(
    verificationKey: unknown,
    publicSignals: readonly SnarkjsNumber[],
    proof: SnarkjsProof,
    logger?: SnarkjsLogger,
  ): Promise<boolean>;
}

/** Exports of `proofgate/snarkjs`. */
export interface Snarkjs {
  readonly groth16: SnarkjsGroth16;
  /** Ends the engine after the calls in progress; a later call starts another. */
  readonly terminate: () => Promise<void>;
}

/** Options of `createSnarkjs`. */
export interface SnarkjsOptions {
  /** Starts an engine, whose queue takes at least `MAX_IN_FLIGHT` proofs and the preparation of `maxKeys` keys. */
  readonly start: () => Promise<VerifyingEngine>;
  /** Keys that an engine keeps. */
  readonly maxKeys: number;
}

/** Calls that are in an engine at a time; later calls wait. Enough for full batches on the workers of any machine. */
export const MAX_IN_FLIGHT = 2048;

const OK = 'OK!';
const FALSE = 'Invalid proof';
const BAD_POINTS = 'Proof commitments are not valid.';
const BAD_SIGNALS = 'Public inputs are not valid.';

/** Creates the functions of `proofgate/snarkjs` over the engine of a runtime. */
export function createSnarkjs(options: SnarkjsOptions): Snarkjs {
  const engine = new SnarkjsEngine(options.start, options.maxKeys);
  const turns = new Turns(MAX_IN_FLIGHT);
  return {
    groth16: {
      async verify(verificationKey, publicSignals, proof, logger) {
        await turns.enter();
        let line: string;
        try {
          line = await engine.withKey(verificationKey as object, (key) => lineOf(key, publicSignals, proof));
        } catch (error) {
          throw publicError(error);
        } finally {
          turns.leave();
        }
        if (line === OK) logger?.info(line);
        else logger?.error(line);
        return line === OK;
      },
    },
    terminate: () => engine.terminate(),
  };
}

/** Checks a proof and returns the line that snarkjs logs. */
async function lineOf(
  { engine, keyId, inputCount }: PreparedKey,
  publicSignals: unknown,
  proof: unknown,
): Promise<string> {
  const signals = snarkjsSignalBytes(publicSignals, inputCount);
  if (signals === undefined) return BAD_SIGNALS;
  const bytes = snarkjsProofBytes(proof);
  if (bytes === undefined) return BAD_POINTS;
  // snarkjs finds no proof valid whose B is infinite, although the equation may hold. No prover makes one.
  if (bytes.subarray(G1_BYTES, G1_BYTES + G2_BYTES).every((byte) => byte === 0)) return FALSE;
  const { valid, code } = await engine.verify(keyId, bytes, signals);
  if (valid) return OK;
  return code === 'proof.false' ? FALSE : BAD_POINTS;
}

/** Lets a number of calls pass at a time, in the order in which they came. */
class Turns {
  readonly #waiting = new Fifo<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
