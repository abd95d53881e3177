/// <reference lib="esnext.disposable" preserve="true" />
import {
  FormError,
  PROOF_BYTES,
  type ProofForm,
  proofBytesOf,
  type SignalsForm,
  signalBytesOf,
  type VerifyingKeyForm,
  verifyingKeyOf,
} from '../../groth16/index.ts';
import type { EngineCore } from './engine-core.ts';
import { ProofgateError, publicError } from './proofgate-error.ts';
import { invalidVerdict, isVerdictCode, VALID, type Verdict } from './verdict.ts';

/** A proof and the public signals that it is said to prove. */
export interface Statement {
  readonly proof: ProofForm;
  readonly publicSignals: SignalsForm;
}

/** Options of a verification. */
export interface VerifyOptions {
  /** Rejects at once when aborted, with code `engine.cancelled` and the reason as `cause`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `addKey`. */
export interface AddKeyOptions {
  /**
   * Accepts a key with IC points that are equal, opposite or at infinity, under which a proof also holds for other
   * public signals (default: refused with `key.degenerate_inputs`).
   */
  readonly allowDegenerateInputs?: boolean;
}

const BUSY_RETRY_MS = 2;

/** Engine of the library: decodes keys, proofs and public signals, and has a core check them. */
export class EngineFacade {
  readonly #core: EngineCore;
  #closed: Promise<void> | undefined;

  constructor(core: EngineCore) {
    this.#core = core;
  }

  /**
   * Adds a verifying key.
   *
   * @param key - The JSON of snarkjs, as text or as parsed, or the bytes α ‖ β ‖ γ ‖ δ ‖ IC₀ ‖ … (big-endian, G2 as c1
   * then c0).
   * @throws ProofgateError `key.*`: the message names the member; `key.conflict` for another key under a known id;
   * `key.forgeable` for a key under which anyone can make proofs; `engine.closed`
   */
  async addKey(
    keyId: string,
    key: VerifyingKeyForm | string | Uint8Array,
    options: AddKeyOptions = {},
  ): Promise<void> {
    this.#refuseWhenClosed();
    if (typeof keyId !== 'string') throw new ProofgateError('key.id', 'expected the id of a key as a string');
    await withPublicErrors(async () => {
      const bytes = key instanceof Uint8Array ? key : verifyingKeyOf(key).key;
      await this.#core.addKey(keyId, bytes, options.allowDegenerateInputs === true);
    });
  }

  /**
   * Checks one Groth16 proof over BN254: coordinates, curves and the subgroup of G2, the range of the public signals,
   * and the equation.
   *
   * @throws ProofgateError `engine.key_unknown`, `engine.closed`, `engine.busy` if the queue is full,
   * `engine.cancelled`; `proof.form` or `input.form` if a value has the wrong type
   */
  async verify(
    keyId: string,
    proof: ProofForm,
    publicSignals: SignalsForm,
    options: VerifyOptions = {},
  ): Promise<Verdict> {
    const { signal } = options;
    const inputCount = this.#inputCountOf(keyId, signal);
    let statement: Uint8Array;
    try {
      statement = statementOf(proof, publicSignals, inputCount);
    } catch (error) {
      if (error instanceof FormError && !error.isType) return verdictOfForm(error);
      throw publicError(error);
    }
    const { ok, code } = await withPublicErrors(() =>
      untilAborted(this.#core.verify(keyId, statement, signal), signal),
    );
    if (ok) return VALID;
    if (code === undefined) return invalidVerdict('proof.false');
    if (code === 'engine.cancelled') throw cancelled(signal);
    if (isVerdictCode(code) && code !== 'engine.poison') return invalidVerdict(code);
    throw new ProofgateError(code === 'engine.draining' ? 'engine.closed' : code, REFUSALS[code] ?? code);
  }

  /**
   * Checks many proofs under one key, in batches, and returns their verdicts in order. Takes no more from the source than
   * the workers need, so the queue is never full because of this call. A member of a wrong type is not accepted; it
   * does not affect the others.
   *
   * @param statements - An array or iterable: resolves to all verdicts. An async iterable, such as the lines of a file:
   * returns an async iterable of verdicts, in constant memory.
   * @throws ProofgateError `engine.key_unknown`, `engine.closed`, `engine.cancelled`
   */
  verifyMany(keyId: string, statements: Iterable<Statement>, options?: VerifyOptions): Promise<Verdict[]>;
  verifyMany(
    keyId: string,
    statements: AsyncIterable<Statement>,
    options?: VerifyOptions,
  ): AsyncIterableIterator<Verdict>;
  verifyMany(
    keyId: string,
    statements: Iterable<Statement> | AsyncIterable<Statement>,
    options: VerifyOptions = {},
  ): Promise<Verdict[]> | AsyncIterableIterator<Verdict> {
    const verdicts = this.#stream(keyId, statements, options);
    return Symbol.asyncIterator in Object(statements) ? verdicts : collect(verdicts);
  }

  /** Refuses new work, finishes accepted work, and frees workers and keys. */
  close(): Promise<void> {
    this.#closed ??= this.#core.close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *#stream(
    keyId: string,
    statements: Iterable<Statement> | AsyncIterable<Statement>,
    options: VerifyOptions,
  ): AsyncGenerator<Verdict, void, undefined> {
    this.#inputCountOf(keyId, options.signal);
    if (!isIterable(statements)) throw new ProofgateError('input.form', 'expected an iterable of statements');
    const pending: Promise<Verdict>[] = [];
    for await (const statement of statements) {
      const verdict = this.#verifyMember(keyId, statement, options);
      // It is awaited in its turn, or not at all if an earlier one has failed.
      verdict.catch(() => undefined);
      pending.push(verdict);
      if (pending.length >= this.#core.window) yield await (pending.shift() as Promise<Verdict>);
    }
    for (const verdict of pending) yield await verdict;
  }

  async #verifyMember(keyId: string, statement: Statement, options: VerifyOptions): Promise<Verdict> {
    for (;;) {
      // Others may fill the queue.
      while (!this.#core.hasRoom() && this.#closed === undefined) await delay(BUSY_RETRY_MS);
      try {
        const { proof, publicSignals } = Object(statement) as Statement;
        return await this.verify(keyId, proof, publicSignals, options);
      } catch (error) {
        if (!(error instanceof ProofgateError)) throw error;
        if (isVerdictCode(error.code)) return invalidVerdict(error.code, error.message);
        if (error.code !== 'engine.busy') throw error;
      }
    }
  }

  #inputCountOf(keyId: string, signal: AbortSignal | undefined): number {
    this.#refuseWhenClosed();
    if (signal?.aborted) throw cancelled(signal);
    const count = this.#core.inputCount(keyId);
    if (count === undefined) throw new ProofgateError('engine.key_unknown', 'no verifying key has this id');
    return count;
  }

  #refuseWhenClosed(): void {
    if (this.#closed !== undefined) throw new ProofgateError('engine.closed', 'the engine is closed');
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  'engine.busy': 'the queue is full',
  'engine.draining': 'the engine is closed',
  'engine.poison': 'checking this proof failed twice, so it was given up',
};

async function collect(verdicts: AsyncIterable<Verdict>): Promise<Verdict[]> {
  const all: Verdict[] = [];
  for await (const verdict of verdicts) all.push(verdict);
  return all;
}

function isIterable(value: unknown): boolean {
  const object = Object(value) as object;
  return Symbol.iterator in object || Symbol.asyncIterator in object;
}

function statementOf(proof: unknown, publicSignals: unknown, inputCount: number): Uint8Array {
  const proofBytes = proofBytesOf(proof);
  const inputs = signalBytesOf(publicSignals, inputCount);
  const statement = new Uint8Array(PROOF_BYTES + inputs.length);
  statement.set(proofBytes);
  statement.set(inputs, PROOF_BYTES);
  return statement;
}

function verdictOfForm({ code, message }: FormError): Verdict {
  if (!isVerdictCode(code)) throw new ProofgateError(code, message);
  return invalidVerdict(code, message);
}

async function withPublicErrors<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw publicError(error);
  }
}

function cancelled(signal: AbortSignal | undefined): ProofgateError {
  return new ProofgateError('engine.cancelled', 'the verification was cancelled', { cause: signal?.reason });
}

/** Settles as the promise does, or rejects as soon as the signal is aborted. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(cancelled(signal));
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
