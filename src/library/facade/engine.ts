/// <reference lib="esnext.disposable" preserve="true" />
import { type KeyForm, type KeyFormName, readKey } from '../../groth16/key.ts';
import { FormError, PROOF_BYTES, WORD_BYTES } from '../../groth16/layout.ts';
import { type ProofForm, readProof } from '../../groth16/proof.ts';
import type { SignalsForm } from '../../groth16/signals.ts';
import { type ReadStatement, withSignals } from '../../groth16/statement.ts';
import {
  type EngineCore,
  type EngineStats,
  invalidVerdict,
  isVerdictCode,
  type Verdict,
  verdictOn,
} from './engine-core.ts';
import { ProofgateError, publicError, reading } from './proofgate-error.ts';

/** A proof and its public signals, which may be absent if they are part of the proof, as in a file of ZoKrates. */
export interface Statement {
  readonly proof: ProofForm;
  readonly publicSignals?: SignalsForm | undefined;
}

/** Options of a verification. */
export interface VerifyOptions {
  /** Rejects at once when aborted, with code `engine.cancelled` and the reason as `cause`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `addKey`. */
export interface AddKeyOptions {
  /**
   * Accepts a key with IC points that are at infinity or in a simple relation to each other or to α, under which a proof
   * also holds for other public signals, or anyone can prove one statement (default: refused with
   * `key.degenerate_inputs`, whose message has the statement).
   */
  readonly allowDegenerateInputs?: boolean;
  /** Depth of the tree whose key is taken from a file with the keys of several, as that of Semaphore. */
  readonly depth?: number | undefined;
}

/** An added key. */
export interface AddedKey {
  readonly form: KeyFormName;
  /** Number of public inputs. */
  readonly inputCount: number;
}

/** A statement that was read, or its verdict if it is malformed. */
type Member = ReadStatement | Verdict;

const NO_STATEMENT: Verdict = Object.freeze(
  invalidVerdict('proof.form', 'expected a proof object or bytes, got undefined'),
);

const BUSY_RETRY_MS = 2;
/** Maximum bytes of the statements that `verifyMany` copies from one array. */
const MAX_ARRAY_BYTES = 2 ** 30;

/**
 * Engine of the library: decodes keys, proofs and public signals, and has a core check them. Each value is read once,
 * before the call that has it waits for anything. `await using` closes it. In Node, an idle engine does not keep the
 * process alive.
 */
export class Engine {
  readonly #core: EngineCore;
  #closed: Promise<void> | undefined;

  /** @internal Created by `createEngine` and `createWorkerEngine`. */
  constructor(core: EngineCore) {
    this.#core = core;
  }

  /**
   * Adds a verifying key.
   *
   * @param key - In any form of src/docs/proofs-from-other-tools.md, among them the JSON of snarkjs and the bytes
   *   α ‖ β ‖ γ ‖ δ ‖ IC₀ ‖ … (big-endian, G2 as c1 then c0).
   * @returns The form in which it was found, and the number of its public inputs.
   * @throws ProofgateError `key.*`: the message names the member; `key.conflict` for another key under a known id;
   *   `key.forgeable` for a key under which anyone can make proofs; `engine.closed`
   */
  async addKey(keyId: string, key: KeyForm, options: AddKeyOptions = {}): Promise<AddedKey> {
    this.#refuseWhenClosed();
    if (typeof keyId !== 'string') throw new ProofgateError('key.id', 'expected the id of a key as a string');
    return await withPublicErrors(async () => {
      const { form, key: bytes, inputCount } = reading('key.not_json', () => readKey(key, options));
      await this.#core.addKey(keyId, bytes, options.allowDegenerateInputs === true);
      return { form, inputCount };
    });
  }

  /**
   * Checks one Groth16 proof over BN254: coordinates, curves and the subgroup of G2, the range of the public signals,
   * and the equation. The verdict names the form of a proof in none of the forms of snarkjs and the engine.
   *
   * @param publicSignals - May be undefined if they are part of the proof, as in a file of ZoKrates.
   * @throws ProofgateError `engine.key_unknown`, `engine.closed`, `engine.busy` if the queue is full,
   * `engine.cancelled`; `proof.form` or `input.form` if a value has the wrong type
   */
  async verify(
    keyId: string,
    proof: ProofForm,
    publicSignals?: SignalsForm,
    options: VerifyOptions = {},
  ): Promise<Verdict> {
    const { signal } = options;
    const inputCount = this.#inputCountOf(keyId, signal);
    let statement: ReadStatement;
    try {
      statement = statementOf(proof, publicSignals, inputCount);
    } catch (error) {
      if (error instanceof FormError && !error.isType) return verdictOfForm(error);
      throw publicError(error);
    }
    return await this.#check(keyId, statement, signal);
  }

  /**
   * Checks a statement in the bytes of the engine, which are not read as any other form.
   *
   * @internal For `groth16.verify` of `proofgate/snarkjs`.
   */
  async verifyBytes(keyId: string, bytes: Uint8Array): Promise<Verdict> {
    this.#inputCountOf(keyId, undefined);
    return await this.#check(keyId, { form: 'bytes', bytes }, undefined);
  }

  async #check(keyId: string, statement: ReadStatement, signal: AbortSignal | undefined): Promise<Verdict> {
    const { ok, code } = await withPublicErrors(() =>
      untilAborted(this.#core.verify(keyId, statement.bytes, signal), signal),
    );
    if (ok) return verdictOn(statement, undefined);
    if (code === undefined) return verdictOn(statement, 'proof.false');
    if (code === 'engine.cancelled') throw cancelled(signal);
    if (isVerdictCode(code) && code !== 'engine.poison') return verdictOn(statement, code);
    throw new ProofgateError(code === 'engine.draining' ? 'engine.closed' : code, REFUSALS[code] ?? code);
  }

  /**
   * Checks many proofs under one key, in batches, and returns their verdicts in order. Reads no more from the source
   * than the workers need, so this call never fills the queue. A member of a wrong type gets an invalid verdict and
   * does not affect the others.
   *
   * @param statements - An array, which is copied at the call, or an iterable: resolves to all verdicts. An async
   *   iterable, such as the lines of a file: returns an async iterable of verdicts, in constant memory.
   * @throws ProofgateError `engine.key_unknown`, `engine.closed`, `engine.cancelled`; `input.count` for an array of
   *   more than 1 GiB, counting 256 bytes per statement and 32 per public signal
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
    const { signal } = options;
    return hasMember(statements, Symbol.asyncIterator)
      ? this.#stream(keyId, statements as AsyncIterable<Statement>, memberOf, signal)
      : this.#verifyAll(keyId, statements as Iterable<Statement>, signal);
  }

  /** Returns counts and the chosen backend. */
  stats(): EngineStats {
    return this.#core.stats();
  }

  /** Refuses new work, finishes accepted work, and frees workers and keys. */
  close(): Promise<void> {
    this.#closed ??= this.#core.close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #verifyAll(
    keyId: string,
    statements: Iterable<Statement>,
    signal: AbortSignal | undefined,
  ): Promise<Verdict[]> {
    const inputCount = this.#inputCountOf(keyId, signal);
    if (!hasMember(statements, Symbol.iterator))
      throw new ProofgateError('input.form', 'expected an iterable of statements');
    const members = Array.isArray(statements)
      ? membersOf(statements, inputCount)
      : eachMemberOf(statements, inputCount);
    const verdicts: Verdict[] = [];
    for await (const verdict of this.#stream(keyId, members, (member) => member, signal))
      verdicts.push(verdict);
    return verdicts;
  }

  async *#stream<Item>(
    keyId: string,
    items: Iterable<Item> | AsyncIterable<Item>,
    read: (item: Item, inputCount: number) => Member,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Verdict, void, undefined> {
    const inputCount = this.#inputCountOf(keyId, signal);
    const pending: Promise<Verdict>[] = [];
    for await (const item of items) {
      const verdict = this.#verifyMember(keyId, read(item, inputCount), signal);
      // Awaited in its turn, or not at all if an earlier one has failed.
      verdict.catch(() => undefined);
      pending.push(verdict);
      if (pending.length >= this.#core.window) yield await (pending.shift() as Promise<Verdict>);
    }
    for (const verdict of pending) yield await verdict;
  }

  async #verifyMember(keyId: string, member: Member, signal: AbortSignal | undefined): Promise<Verdict> {
    for (;;) {
      // Other calls may fill the queue.
      while (!this.#core.hasRoom() && this.#closed === undefined) await delay(BUSY_RETRY_MS);
      this.#inputCountOf(keyId, signal);
      if ('valid' in member) return member;
      try {
        return await this.#check(keyId, member, signal);
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

/** Whether a value has a member; false if that throws, as for a revoked proxy. */
function hasMember(value: unknown, name: symbol): boolean {
  try {
    return name in Object(value);
  } catch {
    return false;
  }
}

/** Reads all statements of an array. @throws ProofgateError `input.count` if they take too many bytes */
function membersOf(statements: readonly unknown[], inputCount: number): Member[] {
  return reading('input.form', () => {
    const { length } = statements;
    const most = Math.floor(MAX_ARRAY_BYTES / (PROOF_BYTES + inputCount * WORD_BYTES));
    if (length > most)
      throw new ProofgateError(
        'input.count',
        `expected an array of at most ${most} statements, got ${length}`,
      );
    const members: Member[] = [];
    for (let index = 0; index < length; index++) members.push(memberOf(statements[index], inputCount));
    return members;
  });
}

/** Reads each statement when it is taken from the iterable. */
function* eachMemberOf(statements: Iterable<unknown>, inputCount: number): Generator<Member> {
  for (const statement of statements) yield memberOf(statement, inputCount);
}

function memberOf(statement: unknown, inputCount: number): Member {
  // No error is thrown, which would cost far more: an array may have millions of holes.
  if (statement === undefined || statement === null) return NO_STATEMENT;
  try {
    const [proof, publicSignals] = reading('proof.form', () => {
      const members = Object(statement) as Statement;
      return [members.proof, members.publicSignals];
    });
    return statementOf(proof, publicSignals, inputCount);
  } catch (thrown) {
    const error = publicError(thrown);
    if (error instanceof ProofgateError && isVerdictCode(error.code))
      return invalidVerdict(error.code, error.message);
    throw error;
  }
}

function statementOf(proof: unknown, publicSignals: unknown, inputCount: number): ReadStatement {
  const read = reading('proof.form', () => readProof(proof));
  return reading('input.form', () => withSignals(read, publicSignals, inputCount));
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

/** Settles like the promise, or rejects as soon as the signal is aborted. */
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
