import type { Engine, Refusal } from '../engine/index.ts';
import { ServiceError } from '../errors/index.ts';
import { type EntryFault, type ProofEntry, readProofEntries } from './proof-entries.ts';
import { verdictCode } from './verify-item.ts';

/** What is said of one entry: `valid`, `false`, or the code of its refusal. */
export type EntryVerdict = 'valid' | 'false' | Refusal | EntryFault;

/** The verdict on entry `n` of a file, counted from 0. */
export interface NumberedVerdict {
  readonly n: number;
  readonly verdict: EntryVerdict;
}

/** Settings of a run. */
export interface ProofFileOptions {
  /** A registered key. */
  readonly keyId: string;
  /** One proof at a time in place of batches. */
  readonly isSingle: boolean;
}

/** Proofs under way at once: enough for the engine to fill batches on every worker. */
const WINDOW = 1024;

/**
 * Verifies the entries of a proof file through the engine; a malformed entry is an answer, not an end.
 *
 * @param chunks - The file: a JSON array, one JSON object, or JSON Lines.
 * @returns Verdicts in the order of the file, in memory that does not grow with it.
 * @throws ServiceError `engine.key_unknown`, `entry.malformed` for a file that holds no entries at all
 */
export async function* verifyProofFile(
  engine: Pick<Engine, 'verify' | 'canAccept' | 'inputCount'>,
  chunks: AsyncIterable<Uint8Array | string>,
  { keyId, isSingle }: ProofFileOptions,
): AsyncGenerator<NumberedVerdict> {
  const inputCount = engine.inputCount(keyId);
  if (inputCount === undefined) throw new ServiceError('engine.key_unknown', `no verifying key ${keyId}`);
  const window = isSingle ? 1 : WINDOW;
  const pending: Promise<EntryVerdict>[] = [];
  let n = 0;
  for await (const entry of readProofEntries(chunks, inputCount)) {
    while (pending.length >= window || (pending.length > 0 && !engine.canAccept(1))) {
      yield { n: n++, verdict: await next(pending) };
    }
    const verdict = judge(engine, keyId, entry);
    // it is awaited in its turn; until then a rejection is not unhandled
    verdict.catch(() => undefined);
    pending.push(verdict);
  }
  while (pending.length > 0) yield { n: n++, verdict: await next(pending) };
}

async function judge(
  engine: Pick<Engine, 'verify'>,
  keyId: string,
  entry: ProofEntry,
): Promise<EntryVerdict> {
  if (entry.code !== undefined) return entry.code;
  const code = verdictCode(await engine.verify(keyId, entry.proof, entry.inputs));
  if (code === undefined) return 'valid';
  return code === 'proof.false' ? 'false' : code;
}

function next(pending: Promise<EntryVerdict>[]): Promise<EntryVerdict> {
  const [head] = pending.splice(0, 1);
  return head ?? Promise.reject(new Error('no verdict is under way'));
}
