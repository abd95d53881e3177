import type { VerificationPolicy } from '../../config/apps/policy.ts';
import type { Engine, Verdict } from '../../engine/engine.ts';
import { ERRORS, type ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { PROOF_BYTES } from '../../groth16/layout.ts';
import type { ProofFormName } from '../../groth16/proof.ts';
import { type ReadStatement, shownForm } from '../../groth16/statement.ts';
import { suspicionOf } from '../../groth16/suspicion.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { IDENTIFIERS, type Identifier, isEnvironment, TREE_OF } from '../../membership/roots/trees.ts';
import { externalNullifier } from '../../semaphore/hashes.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { Bytes32, Environment, Tree } from '../../storage/values.ts';
import { decodeStatement } from '../request/parse-request.ts';
import { DEFAULT_SIGNAL_HASH_TEXT, PROTOCOL_VERSION, PROTOCOL_VERSION_4 } from '../request/request-schema.ts';
import { WORD_AT } from '../request/request-types.ts';
import { policyRefusal } from '../run/check-policy.ts';
import { verdictCode } from '../run/queue-items.ts';
import { wordAt } from '../run/verify-item.ts';
import { type ProofEntry, readEntry, readProofValues, readProofWith } from './proof-entries.ts';

/** A request of the verification interface in a proof file. */
export type ProofRequest = JsonObject & { readonly responses: readonly unknown[] };

/** One of the `responses`: the input for the engine and the tree of its key, or the reason why it cannot be read. */
export type RequestProof = { readonly identifier: string } & (
  | { readonly code: ErrorCode }
  | {
      readonly code?: undefined;
      readonly proof: Uint8Array;
      readonly inputs: Uint8Array;
      readonly environment: Environment;
      readonly tree: Tree;
      /** Root of the Merkle tree, 32 bytes. */
      readonly root: Bytes32;
    }
);

/** Whether a value of a proof file is a request. */
function isProofRequest(value: unknown): value is ProofRequest {
  return isObject(value) && Array.isArray(value.responses);
}

/** Whether a request is of World ID 4.0; its proofs need the keys and roots of a service. */
function isWorldId4Request({ protocol_version }: ProofRequest): boolean {
  return protocol_version === '4.0';
}

/**
 * Returns the `app_id` of a request, undefined if it has none. `dev prove` writes this member; the interface ignores
 * it.
 */
function appOfRequest({ app_id }: ProofRequest): string | undefined {
  return typeof app_id === 'string' && app_id !== '' ? app_id : undefined;
}

/**
 * Reads the proofs of a request as the interface would pass them to the engine. Members that no proof depends on, such
 * as the nonce, are ignored, and no root is looked up; the minimum protocol version is enforced.
 *
 * @param app - The relying party: the external nullifier is derived from its app id; its policy, if known, decides
 *   which proofs are accepted.
 */
function readRequestProofs(
  request: ProofRequest,
  { appId, policy }: Pick<AppRow, 'appId'> & Partial<Pick<AppRow, 'policy'>>,
): RequestProof[] {
  const { action, environment = 'production' } = request;
  if (typeof action !== 'string' || action === '' || !isEnvironment(environment)) {
    return request.responses.map((item) => ({ identifier: identifierOf(item), code: 'entry.malformed' }));
  }
  if (request.min_protocol_version === PROTOCOL_VERSION_4) {
    const code = 'verify.protocol_version_not_allowed';
    return request.responses.map((item) => ({ identifier: identifierOf(item), code }));
  }
  const external = externalNullifier(appId, action);
  return request.responses.map((item) => {
    const read = readItem(item, environment, external);
    if (read.code !== undefined || policy === undefined) return read;
    const { identifier } = read;
    const code = policyRefusal(
      { environment, protocol: PROTOCOL_VERSION, action, items: [read] },
      { policy },
    );
    return code === undefined ? read : { identifier, code };
  });
}

function readItem(item: unknown, environment: Environment, external: Uint8Array): RequestProof {
  const identifier = identifierOf(item);
  const texts = isObject(item) ? textsOf(item) : undefined;
  if (texts === undefined || !isIdentifier(identifier)) return { identifier, code: 'entry.malformed' };
  const statement = decodeStatement(texts);
  if (statement.code !== undefined) return { identifier, code: statement.code };
  const { bytes } = statement;
  bytes.set(external, WORD_AT.externalNullifier);
  const [proof, inputs] = [bytes.subarray(0, WORD_AT.root), bytes.subarray(WORD_AT.root)];
  const root = wordAt(statement, WORD_AT.root);
  return { identifier, proof, inputs, environment, tree: TREE_OF[identifier], root };
}

function textsOf(item: JsonObject): Parameters<typeof decodeStatement>[0] | undefined {
  const {
    proof,
    nullifier,
    merkle_root: merkleRoot,
    signal_hash: signalHash = DEFAULT_SIGNAL_HASH_TEXT,
  } = item;
  const isText = (value: unknown): value is string => typeof value === 'string';
  return isText(proof) && isText(nullifier) && isText(merkleRoot) && isText(signalHash)
    ? { proof, nullifier, merkleRoot, signalHash }
    : undefined;
}

/** Placeholder for an identifier that is not one of World ID 3.0. */
const NO_IDENTIFIER = '?';

function identifierOf(item: unknown): string {
  const identifier = isObject(item) ? item.identifier : undefined;
  return isIdentifier(identifier) ? identifier : NO_IDENTIFIER;
}

function isIdentifier(value: unknown): value is Identifier {
  return IDENTIFIERS.some((identifier) => identifier === value);
}

/** Verdict of one proof: `valid`, `false`, or the code of its refusal. */
export type ProofVerdict = 'valid' | 'false' | ErrorCode;

/** Position of a proof in a request of the verification interface. */
export interface RequestPlace {
  /** Index of the request in its file, from 0. */
  readonly request: number;
  /** Index of the proof in `responses`, from 0. */
  readonly response: number;
  readonly identifier: string;
}

/** Verdict of proof `n` of a file, counted from 0. */
export interface NumberedVerdict {
  readonly n: number;
  readonly verdict: ProofVerdict;
  /** Form of the proof, unless it is the object of snarkjs or bytes in one of the forms of the engine. */
  readonly form?: ProofFormName;
  /** What is wrong with a proof that cannot be read, or is suspected to be. */
  readonly message?: string;
  /** Present if the proof is part of a request. */
  readonly place?: RequestPlace;
}

/** Options of `verifyProofFile`. */
export interface ProofFileOptions {
  /** Whether proofs are verified one at a time instead of in batches. */
  readonly isSingle: boolean;
  /**
   * Returns the id of a registered key for proofs of a tree, or, without `tree`, for proofs outside requests;
   * called once for each.
   */
  keyOf(tree?: { readonly environment: Environment; readonly tree: Tree }): Promise<string>;
  /**
   * Returns the app of a request, with its policy if it is known. `named` is the app id in the request itself; called for
   * each request.
   */
  appOf(named: string | undefined): Promise<FileApp>;
}

/** The app of a request. */
export interface FileApp {
  readonly appId: string;
  /** Absent if the app is not registered here; its proofs are then checked without one. */
  readonly policy?: VerificationPolicy;
  /** Judges a root by the policy; returns the code of a refusal. */
  judgeRoot?(environment: Environment, tree: Tree, root: Bytes32): ErrorCode | undefined;
}

/** Maximum number of proofs in flight: enough to fill batches on every worker. */
const WINDOW = 1024;

/** A proof of a file that has no verdict yet. */
interface ReadProof {
  readonly place?: RequestPlace;
  /** The code of a proof that cannot be read, or the promise of its verdict. */
  readonly outcome: ErrorCode | Promise<Verdict>;
  readonly message?: string;
  /** A proof outside requests. */
  readonly statement?: ReadStatement;
}

type FileEngine = Pick<Engine, 'verify' | 'canAccept' | 'inputCount'>;

/**
 * Verifies the proofs of a file through the engine. A malformed proof gets a verdict and does not end the
 * run.
 *
 * @param chunks - The file: a JSON array, one JSON object, or JSON Lines, of proofs or of requests.
 * @returns Verdicts in the order of the file; JSON Lines need bounded memory.
 * @throws ServiceError `engine.key_unknown`, `entry.malformed` for a file without entries, and the errors of
 *   `keyOf` and `appOf`
 */
export async function* verifyProofFile(
  engine: FileEngine,
  chunks: AsyncIterable<Uint8Array | string>,
  options: ProofFileOptions,
): AsyncGenerator<NumberedVerdict> {
  const window = options.isSingle ? 1 : WINDOW;
  const pending: Promise<NumberedVerdict>[] = [];
  let n = 0;
  let failure: { readonly cause: unknown } | undefined;
  try {
    for await (const start of readProofs(engine, chunks, options)) {
      while (pending.length >= window || (pending.length > 0 && !engine.canAccept(1)))
        yield await next(pending);
      const verdict = settle(start(), n++);
      // awaited later; marks a rejection until then as handled
      verdict.catch(() => undefined);
      pending.push(verdict);
    }
  } catch (cause) {
    failure = { cause };
  }
  // The proofs before the entry that ends the run still get their verdicts.
  while (pending.length > 0) yield await next(pending);
  if (failure !== undefined) throw failure.cause;
}

/** Reads the proofs of a file; calling an element begins its verification. */
async function* readProofs(
  engine: FileEngine,
  chunks: AsyncIterable<Uint8Array | string>,
  options: ProofFileOptions,
): AsyncGenerator<() => ReadProof> {
  const keys = new Map<string, Promise<KeyOfFile>>();
  const keyOf = (name: string, tree?: Parameters<typeof options.keyOf>[0]): Promise<KeyOfFile> => {
    const known = keys.get(name) ?? options.keyOf(tree).then((keyId) => withInputs(keyId, engine));
    keys.set(name, known);
    return known;
  };
  let requests = 0;
  for await (const value of readProofValues(chunks)) {
    if (!isProofRequest(value)) {
      const { keyId, inputCount } = await keyOf('');
      const entry = readEntry(value, inputCount);
      yield () => started(engine, keyId, entry);
      continue;
    }
    const request = requests++;
    if (value.responses.length === 0) {
      yield () => ({ outcome: 'entry.malformed' });
      continue;
    }
    if (isWorldId4Request(value)) {
      for (const response of value.responses.keys()) {
        const place = { request, response, identifier: NO_IDENTIFIER };
        yield () => ({ place, outcome: 'entry.newer_protocol' });
      }
      continue;
    }
    const app = await options.appOf(appOfRequest(value));
    const proofs = readRequestProofs(value, app);
    for (const [response, item] of proofs.entries()) {
      const place = { request, response, identifier: item.identifier };
      if (item.code !== undefined) {
        yield () => ({ place, outcome: item.code });
        continue;
      }
      const { environment, tree, proof, inputs, root } = item;
      const refusal = app.judgeRoot?.(environment, tree, root);
      if (refusal !== undefined) {
        yield () => ({ place, outcome: refusal });
        continue;
      }
      const { keyId } = await keyOf(`${environment}.${tree}`, { environment, tree });
      yield () => ({ place, outcome: engine.verify(keyId, proof, inputs) });
    }
  }
}

/**
 * Verifies one proof whose public signals are in a file of their own.
 *
 * @throws ServiceError `engine.key_unknown`
 */
export async function verifyOneProof(
  engine: FileEngine,
  keyId: string,
  { proof, publicSignals }: OneProof,
): Promise<NumberedVerdict> {
  const { inputCount } = withInputs(keyId, engine);
  return await settle(started(engine, keyId, readProofWith(proof, publicSignals, inputCount)), 0);
}

/** A proof in any form, as a value, text or bytes, and its public signals, unless they are part of it. */
export interface OneProof {
  readonly proof: unknown;
  readonly publicSignals?: unknown;
}

/** Begins the verification of an entry that was read. */
function started(engine: FileEngine, keyId: string, entry: ProofEntry): ReadProof {
  if (entry.code !== undefined) return { outcome: entry.code, message: entry.message };
  const { bytes } = entry;
  const outcome = engine.verify(keyId, bytes.subarray(0, PROOF_BYTES), bytes.subarray(PROOF_BYTES));
  return { outcome, statement: entry };
}

interface KeyOfFile {
  readonly keyId: string;
  readonly inputCount: number;
}

function withInputs(keyId: string, engine: FileEngine): KeyOfFile {
  const inputCount = engine.inputCount(keyId);
  if (inputCount === undefined) throw new ServiceError('engine.key_unknown', `no verifying key ${keyId}`);
  return { keyId, inputCount };
}

async function settle(
  { outcome, place, statement, ...read }: ReadProof,
  n: number,
): Promise<NumberedVerdict> {
  const code = typeof outcome === 'string' ? outcome : verdictCode(await outcome);
  const verdict = code === undefined ? 'valid' : code === 'proof.false' ? 'false' : code;
  const suspicion = code === undefined || statement === undefined ? '' : suspicionOf(code, statement.bytes);
  const message = code === undefined || suspicion === '' ? read.message : ERRORS[code].title + suspicion;
  return {
    n,
    verdict,
    ...(statement === undefined ? {} : shownForm(statement.form)),
    ...(message === undefined ? {} : { message }),
    ...(place === undefined ? {} : { place }),
  };
}

function next(pending: Promise<NumberedVerdict>[]): Promise<NumberedVerdict> {
  const [head] = pending.splice(0, 1);
  return head ?? Promise.reject(new Error('expected a pending verdict, got none'));
}
