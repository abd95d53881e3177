import type { ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { isObject, parseJsonText } from '../../json.ts';
import { decodeProof } from '../../membership/decode-proof.ts';
import { LONG_LINE, readLines } from '../../membership/import-lines.ts';
import { writeHex } from '../../semaphore/hex.ts';

/** One entry of a proof file: the input for the engine, or the reason why the entry cannot be read. */
export type ProofEntry =
  | { readonly code?: undefined; readonly proof: Uint8Array; readonly inputs: Uint8Array }
  | { readonly code: EntryFault };

/** Codes of a malformed entry. */
export type EntryFault = Extract<
  ErrorCode,
  'proof.length' | 'input.count' | 'input.range' | 'entry.malformed'
>;

const ARRAY_LIMIT_BYTES = 64 * 1024 * 1024;
/** Far above the longest entry: 1,024 inputs of 66 digits and a proof. */
const ENTRY_LIMIT_BYTES = 1024 * 1024;
/** Estimated overhead of a held line, so that many short lines are bounded, too. */
const HELD_LINE_BYTES = 64;
const PROOF_HEX = /^0x[0-9a-fA-F]{512}$/;
const INPUT_HEX = /^0x[0-9a-fA-F]{1,64}$/;
/** Members of the proof data, in the order of the public inputs. */
const NAMED_INPUTS = ['merkle_root', 'nullifier_hash', 'signal_hash', 'external_nullifier_hash'] as const;

/**
 * Reads the values of a proof file: a JSON array, one JSON object, or JSON Lines, detected from the content. Lines are
 * streamed in constant memory, an array is read completely.
 *
 * @param chunks - The file.
 * @returns The values in order, undefined for a line that is not JSON; blank lines are skipped.
 * @throws ServiceError `entry.malformed` if an array does not parse or is over 64 MiB, or there is no value
 */
export async function* readProofValues(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<unknown> {
  let count = 0;
  for await (const value of readValues(readLines(chunks, ARRAY_LIMIT_BYTES))) {
    count++;
    yield value;
  }
  if (count === 0) throw new ServiceError('entry.malformed', 'the file contains no proof');
}

/** Reads one entry of a proof file to bytes; the engine checks that the inputs are below r. */
export function readEntry(value: unknown, inputCount: number): ProofEntry {
  if (!isObject(value)) return { code: 'entry.malformed' };
  const inputs = value.inputs === undefined ? NAMED_INPUTS.map((name) => value[name]) : value.inputs;
  if (!Array.isArray(inputs) || inputs.includes(undefined) || value.proof === undefined) {
    return { code: 'entry.malformed' };
  }
  const { proof: text } = value;
  const proof = typeof text === 'string' && PROOF_HEX.test(text) ? decodeProof(text) : undefined;
  if (!proof) return { code: 'proof.length' };
  if (inputs.length !== inputCount) return { code: 'input.count' };
  const words = new Uint8Array(32 * inputCount);
  for (const [index, input] of inputs.entries()) {
    if (typeof input !== 'string' || !INPUT_HEX.test(input)) return { code: 'input.range' };
    writeHex(input, 2, input.length, words.subarray(index * 32, index * 32 + 32));
  }
  return { proof, inputs: words };
}

/** Marks a line that is not JSON; no JSON value is undefined. */
const UNREADABLE = undefined;
type Line = string | typeof LONG_LINE;

async function* readValues(lines: AsyncGenerator<Line>): AsyncGenerator<unknown> {
  const held: Line[] = [];
  let heldBytes = 0;
  for await (const line of lines) {
    if (line !== LONG_LINE && line.trim() === '') continue;
    if (held.length === 0 && line !== LONG_LINE && line.trimStart().startsWith('[')) {
      yield* await readArray(line, lines);
      return;
    }
    held.push(line);
    heldBytes += line === LONG_LINE ? ENTRY_LIMIT_BYTES : line.length + HELD_LINE_BYTES;
    // the first lines may be parts of one object, until a line is an object by itself
    if (isObject(parseLine(line)) || heldBytes > ENTRY_LIMIT_BYTES) {
      yield* held.map(parseLine);
      for await (const next of lines) if (next === LONG_LINE || next.trim() !== '') yield parseLine(next);
      return;
    }
  }
  if (held.length === 0) return;
  const whole = parseLine(held.includes(LONG_LINE) ? LONG_LINE : held.join('\n'));
  yield* isObject(whole) ? [whole] : held.map(parseLine);
}

async function readArray(first: string, lines: AsyncGenerator<Line>): Promise<unknown[]> {
  const parts = [first];
  let size = Buffer.byteLength(first);
  for await (const line of lines) {
    size += line === LONG_LINE ? ARRAY_LIMIT_BYTES : Buffer.byteLength(line) + 1;
    if (line === LONG_LINE || size > ARRAY_LIMIT_BYTES) {
      throw new ServiceError(
        'entry.malformed',
        'expected at most 64 MiB for a JSON array; put more proofs into JSON Lines',
      );
    }
    parts.push(line);
  }
  let value: unknown;
  try {
    value = parseJsonText(parts.join('\n'));
  } catch (cause) {
    throw new ServiceError(
      'entry.malformed',
      'the file begins with a JSON array that does not parse',
      {},
      { cause },
    );
  }
  return Array.isArray(value) ? value : [UNREADABLE];
}

function parseLine(line: Line): unknown {
  if (line === LONG_LINE || line.length > ENTRY_LIMIT_BYTES) return UNREADABLE;
  try {
    return parseJsonText(line);
  } catch {
    return UNREADABLE;
  }
}
