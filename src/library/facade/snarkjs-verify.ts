import { joinBytes } from '../../bytes.ts';
import { Fifo } from '../../engine/queue/fifo.ts';
import { G1_BYTES, G2_BYTES, PROOF_BYTES, WORD_BYTES } from '../../groth16/layout.ts';
import type { EngineOptions } from './engine-options.ts';
import { publicError, reading } from './proofgate-error.ts';
import { type PreparedKey, SnarkjsEngine, type VerifyingEngine } from './snarkjs-engine.ts';
import {
  type SnarkjsNumber,
  type SnarkjsProof,
  snarkjsProofBytes,
  snarkjsSignalBytes,
} from './snarkjs-values.ts';

/** The part of a logger that `groth16.verify` uses; loggers of snarkjs have more. */
export interface SnarkjsLogger {
  info(line: string): void;
  error(line: string): void;
}

/** `groth16` of `proofgate/snarkjs`. */
export interface SnarkjsGroth16 {
  /**
   * Checks a proof like `groth16.verify` of snarkjs, except for the differences in
   * src/docs/library.md#differences-from-snarkjs: snarkjs accepts some proofs that prove nothing.
   *
   * @param verificationKey - The parsed output of `snarkjs zkey export verificationkey`.
   * @param publicSignals - In the order of the circuit; false for a value that is not from 0 to r − 1.
   * @param logger - Receives one line per call: `OK!` by `info`, or a refusal by `error`.
   * @throws ProofgateError `key.*` for a key that cannot be used, among them `key.forgeable` for one under which anyone
   *   can make proofs; `proof.form`, `input.form`, `input.count` where snarkjs throws too; `engine.*` if no engine
   *   starts
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

/**
 * Maximum number of concurrent calls in an engine; later calls wait. Enough for full batches on the workers of any
 * machine.
 */
export const MAX_IN_FLIGHT = 2048;
/** What waits in the queue of an engine: the calls, and the preparation of their keys. */
const ENGINE_OPTIONS: EngineOptions = { maxQueue: 2 * MAX_IN_FLIGHT };

const OK = 'OK!';
const FALSE = 'Invalid proof';
const BAD_POINTS = 'Proof commitments are not valid.';
const BAD_SIGNALS = 'Public inputs are not valid.';

/**
 * Creates the functions of `proofgate/snarkjs` over the engine of a runtime.
 *
 * @param maxKeys - Keys that an engine keeps.
 */
export function createSnarkjs(
  start: (options: EngineOptions) => Promise<VerifyingEngine>,
  maxKeys: number,
): Snarkjs {
  const engine = new SnarkjsEngine(() => start(ENGINE_OPTIONS), maxKeys);
  const turns = new ConcurrencyLimit(MAX_IN_FLIGHT);
  return {
    groth16: {
      async verify(verificationKey, publicSignals, proof, logger) {
        let line: string;
        try {
          // Read before the first await: the caller may change its values afterwards.
          const key = reading('key.not_json', () => engine.read(verificationKey));
          const statement = outcomeOf(() => statementOf(publicSignals, proof, key.inputCount));
          line = await turns.pass(() =>
            engine.withKey(key, async (prepared) => {
              const found = statement();
              return typeof found === 'string' ? found : await lineOf(prepared, found);
            }),
          );
        } catch (error) {
          throw publicError(error);
        }
        if (line === OK) logger?.info(line);
        else logger?.error(line);
        return line === OK;
      },
    },
    terminate: () => engine.terminate(),
  };
}

/**
 * Runs a step and returns its outcome as a function: a fault of the key is reported before a fault of the statement.
 */
function outcomeOf<T>(step: () => T): () => T {
  try {
    const value = step();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Reads a statement for the engine, or returns the line that snarkjs logs for it under any key. */
function statementOf(publicSignals: unknown, proof: unknown, inputCount: number): Uint8Array | string {
  const signals = reading('input.form', () => snarkjsSignalBytes(publicSignals, inputCount));
  if (signals === undefined) return BAD_SIGNALS;
  const bytes = reading('proof.form', () => snarkjsProofBytes(proof, signals));
  if (bytes === undefined) return BAD_POINTS;
  // snarkjs rejects any proof with B at infinity, although the equation may hold. No prover makes one.
  const isCompressed = bytes.subarray(PROOF_BYTES / 2).every((byte) => byte === 0);
  const [start, end] = isCompressed ? [WORD_BYTES, 3 * WORD_BYTES] : [G1_BYTES, G1_BYTES + G2_BYTES];
  if (bytes.subarray(start, end).every((byte) => byte === 0)) return FALSE;
  return joinBytes([bytes, signals]);
}

/** Checks a proof and returns the line that snarkjs would log. */
async function lineOf({ engine, keyId }: PreparedKey, statement: Uint8Array): Promise<string> {
  const { valid, code } = await engine.verifyBytes(keyId, statement);
  if (valid) return OK;
  return code === 'proof.false' ? FALSE : BAD_POINTS;
}

/** A semaphore: admits a number of concurrent calls, in the order of their arrival. */
class ConcurrencyLimit {
  readonly #waiting = new Fifo<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async pass<T>(call: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
