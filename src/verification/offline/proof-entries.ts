import { ServiceError } from '../../errors/service-error.ts';
import { type FormCode, FormError } from '../../groth16/layout.ts';
import { readProof, SIGNAL_MEMBERS } from '../../groth16/proof.ts';
import { type ReadStatement, withSignals } from '../../groth16/statement.ts';
import { isObject, type JsonObject, parseJsonText } from '../../json.ts';
import { LONG_LINE, readLines } from '../../membership/import-lines.ts';

/** One entry of a proof file: the input for the engine, or the reason why the entry cannot be read. */
export type ProofEntry = ({ readonly code?: undefined } & ReadStatement) | EntryFault;

/** Reason why an entry cannot be read. */
export interface EntryFault {
  readonly code: FormCode | 'entry.malformed';
  readonly message: string;
}

const ARRAY_LIMIT_BYTES = 64 * 1024 * 1024;
/** Far above the longest entry: 1,024 inputs of 66 digits and a proof. */
const ENTRY_LIMIT_BYTES = 1024 * 1024;
/** Estimated overhead of a held line, so that many short lines are bounded, too. */
const HELD_LINE_BYTES = 64;
/** A compressed proof as World ID carries it, in 256 bytes that end with zeros. */
const PADDED = /^(0x[0-9a-fA-F]{256})0{256}$/;
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

/**
 * Reads one entry of a proof file: a proof that carries its public signals, in any form, or the members of the proof data
 * of World ID. The engine checks that the signals are below r.
 */
export function readEntry(value: unknown, inputCount: number): ProofEntry {
  if (value === undefined)
    return malformed('expected JSON, or one proof with its public signals in a second file');
  if (typeof value !== 'object' || value === null)
    return malformed(`expected an object or an array, got ${value === null ? 'null' : typeof value}`);
  if (!isObject(value)) return readProofWith(value, undefined, inputCount);
  const entry = readProofWith(withNamedInputs(value), undefined, inputCount);
  return entry.code === 'proof.form' && !hasProof(value) ? malformed(NO_PROOF) : entry;
}

/**
 * Reads a proof and its public signals.
 *
 * @param publicSignals - Undefined if they are part of the proof.
 */
export function readProofWith(proof: unknown, publicSignals: unknown, inputCount: number): ProofEntry {
  try {
    const read = readProof(proof);
    const isWithout = publicSignals === undefined && (read.signals === undefined || read.signals === null);
    if (isWithout && inputCount > 0) return malformed(NO_SIGNALS);
    return withSignals(read, isWithout ? [] : publicSignals, inputCount);
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    const { code, message } = error;
    return { code, message };
  }
}

const NO_SIGNALS =
  'expected public signals in publicSignals or inputs, in the members merkle_root, nullifier_hash, signal_hash and external_nullifier_hash, or in a file of their own';
const NO_PROOF = 'expected a proof in the member proof, or its points';
/** Members of which each form of a proof in an object has one. */
const PROOF_MEMBERS = [
  'proof',
  'pi_a',
  'pi_b',
  'pi_c',
  'a',
  'pA',
  '_pA',
  'Ar',
  'Bs',
  'Krs',
  'points',
] as const;

function hasProof(entry: JsonObject): boolean {
  return PROOF_MEMBERS.some((member) => entry[member] !== undefined);
}

function malformed(message: string): EntryFault {
  return { code: 'entry.malformed', message };
}

/** Replaces the named members of the proof data by a list of public signals. */
function withNamedInputs(entry: JsonObject): JsonObject {
  const { proof } = entry;
  const padded = typeof proof === 'string' ? PADDED.exec(proof)?.[1] : undefined;
  const inputs = NAMED_INPUTS.map((name) => entry[name]);
  const isNamed = SIGNAL_MEMBERS.every((name) => entry[name] === undefined) && !inputs.includes(undefined);
  return { ...entry, ...(padded === undefined ? {} : { proof: padded }), ...(isNamed ? { inputs } : {}) };
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
  const text = parts.join('\n');
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (cause) {
    const whole = calldataIn(text);
    if (whole !== undefined) return [whole];
    const each = parts.filter((part) => part.trim() !== '').map(calldataIn);
    if (!each.includes(undefined)) return each;
    throw new ServiceError(
      'entry.malformed',
      'the file begins with a JSON array that does not parse',
      {},
      { cause },
    );
  }
  if (!Array.isArray(value)) return [UNREADABLE];
  return isOneProof(value) ? [value] : value;
}

/** Returns a proof as an array, without its brackets or with them; undefined for any other text. */
function calldataIn(text: string): unknown {
  const list = parsedOrUndefined(`[${text}]`);
  const proof = Array.isArray(list) && list.length === 1 ? (list[0] as unknown) : list;
  return Array.isArray(proof) && isOneProof(proof) ? proof : undefined;
}

/** Whether an array is one proof: eight numbers, these and public signals, or the arguments of a Solidity verifier. */
function isOneProof(list: readonly unknown[]): boolean {
  const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
  const [first] = list;
  if (list.length === 8 && list.every(isScalar)) return true;
  return list.length >= 2 && list.length <= 4 && Array.isArray(first) && first.every(isScalar);
}

function parseLine(line: Line): unknown {
  if (line === LONG_LINE || line.length > ENTRY_LIMIT_BYTES) return UNREADABLE;
  return parsedOrUndefined(line);
}

function parsedOrUndefined(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
