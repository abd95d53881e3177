import type { Engine, Verdict } from '../../engine/index.ts';
import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import type { Environment, Tree } from '../../storage/index.ts';
import { readEntry, readProofValues } from '../request/proof-entries.ts';
import { verdictCode } from '../run/verify-item.ts';
import { appOfRequest, isProofRequest, readRequestProofs } from './proof-request.ts';

/** What is said of one proof: `valid`, `false`, or the code of its refusal. */
export type ProofVerdict = 'valid' | 'false' | ErrorCode;

/** Where a proof stands in a request of the verification interface. */
export interface RequestPlace {
  /** The request in its file, counted from 0. */
  readonly request: number;
  /** The proof in `responses`, counted from 0. */
  readonly response: number;
  readonly identifier: string;
}

/** The verdict on proof `n` of a file, counted from 0. */
export interface NumberedVerdict {
  readonly n: number;
  readonly verdict: ProofVerdict;
  /** Of a proof that is one of a request. */
  readonly place?: RequestPlace;
}

/** What a run needs beside the file. */
export interface ProofFileOptions {
  /** One proof at a time in place of batches. */
  readonly isSingle: boolean;
  /** The id of a registered key for proofs of a tree, or for those that stand alone; asked for once each. */
  keyOf(tree?: { readonly environment: Environment; readonly tree: Tree }): Promise<string>;
  /** The app id of a request, given what it says of that itself; asked for each request. */
  appOf(named: string | undefined): Promise<string>;
}

/** Proofs under way at once: enough for the engine to fill batches on every worker. */
const WINDOW = 1024;

/** A proof of a file before it is judged. */
interface ReadProof {
  readonly place?: RequestPlace;
  /** Without a promise the proof cannot be read. */
  readonly judged: ErrorCode | Promise<Verdict>;
}

type FileEngine = Pick<Engine, 'verify' | 'canAccept' | 'inputCount'>;

/**
 * Verifies the proofs of a file through the engine; a malformed one is an answer, not an end.
 *
 * @param chunks - The file: a JSON array, one JSON object, or JSON Lines, of proofs or of requests.
 * @returns Verdicts in the order of the file, in memory that does not grow with it.
 * @throws ServiceError `engine.key_unknown`, `entry.malformed` for a file that holds no entries at all, and what
 * `keyOf` and `appOf` throw
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
      // it is awaited in its turn; until then a rejection is not unhandled
      verdict.catch(() => undefined);
      pending.push(verdict);
    }
  } catch (cause) {
    failure = { cause };
  }
  // Those before the entry that ends the run have their verdicts.
  while (pending.length > 0) yield await next(pending);
  if (failure !== undefined) throw failure.cause;
}

/** The proofs of a file, each begun when it is called. */
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
      yield () => ({ judged: entry.code ?? engine.verify(keyId, entry.proof, entry.inputs) });
      continue;
    }
    const request = requests++;
    if (value.responses.length === 0) {
      yield () => ({ judged: 'entry.malformed' });
      continue;
    }
    const proofs = readRequestProofs(value, await options.appOf(appOfRequest(value)));
    for (const [response, item] of proofs.entries()) {
      const place = { request, response, identifier: item.identifier };
      if (item.code !== undefined) {
        yield () => ({ place, judged: item.code });
        continue;
      }
      const { environment, tree, proof, inputs } = item;
      const { keyId } = await keyOf(`${environment}.${tree}`, { environment, tree });
      yield () => ({ place, judged: engine.verify(keyId, proof, inputs) });
    }
  }
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

async function settle({ judged, place }: ReadProof, n: number): Promise<NumberedVerdict> {
  const code = typeof judged === 'string' ? judged : verdictCode(await judged);
  const verdict = code === undefined ? 'valid' : code === 'proof.false' ? 'false' : code;
  return { n, verdict, ...(place === undefined ? {} : { place }) };
}

function next(pending: Promise<NumberedVerdict>[]): Promise<NumberedVerdict> {
  const [head] = pending.splice(0, 1);
  return head ?? Promise.reject(new Error('no verdict is under way'));
}
