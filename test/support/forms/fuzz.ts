/**
 * Fuzzing of the readers of keys, proofs and public signals, without the engine. A finding is an error other than
 * FormError, a result of a wrong size, one that changes when it is written as snarkjs does and read again, or a point
 * that a binary form can have in two ways.
 */
import { readKey } from '../../../src/groth16/key.ts';
import { FormError } from '../../../src/groth16/layout.ts';
import { type ReadProof, readProof } from '../../../src/groth16/proof.ts';
import { readSignals } from '../../../src/groth16/signals.ts';
import { snarkjsKeyOf } from '../../../src/groth16/snarkjs-json.ts';
import { suspicionOf } from '../../../src/groth16/suspicion.ts';
import { P, wordsOf } from '../crypto/bn254.ts';
import { isOnG1, isOnTwist } from '../crypto/curve-reference.ts';
import { type BinaryStyle, hexOf, wordBytes } from './bytes.ts';
import { KEY_FORMS } from './keys.ts';
import { mutatedBytes } from './mutate-bytes.ts';
import { mutatedText } from './mutate-text.ts';
import { PROOF_FORMS, SIGNALS_FORMS } from './proofs.ts';
import { type Random, randomFrom } from './random.ts';
import { CHANGED_PROOF, KEY, OTHER_KEY, OTHER_STATEMENT, TRUE_STATEMENT } from './statement.ts';

/** What is fuzzed. */
export const READERS = [
  'key-bytes',
  'proof-bytes',
  'signals-bytes',
  'key-text',
  'proof-text',
  'signals-text',
] as const;
export type ReaderName = (typeof READERS)[number];

/** Counts of a run. */
export interface FuzzCounts {
  executions: number;
  /** Inputs that were read. */
  accepted: number;
  /** Time of the slowest execution, and its input. */
  slowestMs: number;
  slowest: string;
}

interface Reader {
  readonly draw: (random: Random) => unknown;
  /** Reads an input and checks the result. @returns Whether it was accepted. @throws FormError for a refusal */
  readonly check: (input: unknown, random: Random) => void;
}

/** Inputs of square roots or of texts take as long as many others: one in so many. */
const SLOW_ONE_IN = 60;

function bytesReader(
  plain: readonly Uint8Array[],
  compressed: readonly Uint8Array[],
  check: Reader['check'],
): Reader {
  const seeds = [...plain, ...compressed];
  return {
    draw: (random) => {
      const list = random.oneIn(SLOW_ONE_IN) && compressed.length > 0 ? compressed : plain;
      return mutatedBytes(random.pick(list), random, seeds);
    },
    check,
  };
}

function textReader(values: readonly unknown[], check: Reader['check']): Reader {
  const texts = values.map((value) => {
    if (value instanceof Uint8Array) return hexOf(value);
    return typeof value === 'string'
      ? value
      : JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
  });
  const isSlow = (text: string): boolean =>
    text.length < 1200 && !text.startsWith('{') && !text.startsWith('[');
  const [slow, quick] = [texts.filter(isSlow), texts.filter((text) => !isSlow(text))];
  return {
    draw: (random) => mutatedText(random.pick(slow.length > 0 && random.oneIn(20) ? slow : quick), random),
    check,
  };
}

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
const isCompressed = (form: string): boolean => form.includes('compressed');

function readers(): Record<ReaderName, Reader> {
  // Of few points, which have as many forms.
  const keys = [KEY, OTHER_KEY, KEY, KEY].map((key, index) => {
    const IC = key.IC.slice(0, index < 2 ? undefined : index - 1);
    return { ...key, IC, nPublic: IC.length - 1 };
  });
  const keyForms = KEY_FORMS.flatMap((form) => keys.map((key) => ({ ...form, value: form.write(key) })));
  const statements = [TRUE_STATEMENT, OTHER_STATEMENT, CHANGED_PROOF];
  const proofForms = PROOF_FORMS.flatMap((form) =>
    statements.map((one) => ({ ...form, value: form.write(one) })),
  );
  const signals = SIGNALS_FORMS.flatMap(({ write }) => statements.map((one) => write(one.publicSignals)));
  const binary = (forms: readonly { form: string; value: unknown }[], isSlow: boolean): Uint8Array[] =>
    forms
      .filter(({ form }) => (isCompressed(form) || form === 'snarkjs') === isSlow)
      .map(({ value }) => value)
      .filter(isBytes);
  return {
    'key-bytes': bytesReader(binary(keyForms, false), binary(keyForms, true), checkKey),
    'proof-bytes': bytesReader(binary(proofForms, false), binary(proofForms, true), checkProof),
    'signals-bytes': bytesReader(signals.filter(isBytes), [], checkSignals),
    'key-text': textReader(
      keyForms.map(({ value }) => value),
      checkKey,
    ),
    'proof-text': textReader(
      proofForms.map(({ value }) => value),
      checkProof,
    ),
    'signals-text': textReader(signals, checkSignals),
  };
}

function checkKey(input: unknown, random: Random): void {
  const { form, key, inputCount } = readKey(input, { depth: random.pick([undefined, 1, 2, 3]) });
  if (key.length !== 448 + 64 * (inputCount + 1))
    throw new Error(`${key.length} bytes of ${inputCount} inputs`);
  const again = readKey(snarkjsKeyOf({ key, inputCount }));
  if (again.inputCount !== inputCount || !isEqual(again.key, key))
    throw new Error('another key when written again');
  if (
    !isBytes(input) ||
    !(form === 'gnark-raw' || form === 'gnark-compressed' || form === 'arkworks-compressed')
  )
    return;
  const written = writtenKey(key, form.startsWith('gnark') ? 'gnark' : 'arkworks', isCompressed(form));
  for (const [at, part] of written) {
    if (!isEqual(input.subarray(at, at + part.length), part))
      throw new Error(`a second way to write a point at ${at}`);
  }
}

/** Points of a key in a binary form, with their places. */
function writtenKey(key: Uint8Array, tool: BinaryStyle['tool'], compressed: boolean): [number, Uint8Array][] {
  const style: BinaryStyle = { tool, isCompressed: compressed };
  const scale = compressed ? 2 : 1;
  const gap = tool === 'gnark' ? 64 / scale : 0;
  const [parts, places]: [Uint8Array[], number[]] = [[], []];
  let [from, at] = [0, 0];
  const put = (size: number, before: number): void => {
    at += before;
    parts.push(wordBytes(wordsOf(key.subarray(from, from + size)), style));
    places.push(at);
    from += size;
    at += size / scale;
  };
  put(64, 0);
  put(128, gap);
  put(128, 0);
  put(128, gap);
  at += tool === 'gnark' ? 4 : 8;
  while (from < key.length) put(64, 0);
  return parts.map((part, index) => [places[index] ?? 0, part]);
}

function checkProof(input: unknown): void {
  const read = readProof(input);
  const { form, bytes } = read;
  if (bytes.length !== 256) throw new Error(`${bytes.length} bytes of a proof`);
  suspicionOf('proof.point_not_on_curve', bytes);
  if (form === 'compressed-bytes' || !arePoints(bytes)) return;
  const again = readProof(snarkjsProofOf(bytes));
  if (!isEqual(again.bytes, bytes)) throw new Error('another proof when written again');
  if (isBytes(input)) checkWrittenProof(input, read);
}

function checkWrittenProof(input: Uint8Array, { form, bytes }: ReadProof): void {
  if (form !== 'gnark-raw' && form !== 'gnark-compressed' && form !== 'arkworks-compressed') return;
  const style: BinaryStyle = {
    tool: form.startsWith('gnark') ? 'gnark' : 'arkworks',
    isCompressed: isCompressed(form),
  };
  let at = 0;
  for (const [from, to] of [
    [0, 64],
    [64, 192],
    [192, 256],
  ]) {
    const part = wordBytes(wordsOf(bytes.subarray(from, to)), style);
    if (!isEqual(input.subarray(at, at + part.length), part))
      throw new Error(`a second way to write a point at ${at}`);
    at += part.length;
  }
}

/** Whether the points of a proof are finite and on their curves. */
function arePoints(bytes: Uint8Array): boolean {
  const words = wordsOf(bytes);
  const [ax = 0n, ay = 0n, bx1 = 0n, bx0 = 0n, by1 = 0n, by0 = 0n, cx = 0n, cy = 0n] = words;
  return (
    words.every((word) => word < P) && isOnG1(ax, ay) && isOnG1(cx, cy) && isOnTwist([bx0, bx1], [by0, by1])
  );
}

function snarkjsProofOf(bytes: Uint8Array): object {
  const [ax, ay, bx1, bx0, by1, by0, cx, cy] = wordsOf(bytes).map(String);
  return {
    pi_a: [ax, ay, '1'],
    pi_b: [
      [bx0, bx1],
      [by0, by1],
      ['1', '0'],
    ],
    pi_c: [cx, cy, '1'],
  };
}

function checkSignals(input: unknown, random: Random): void {
  const count = random.pick([3, 3, 3, 0, 1, 2, 4]);
  const bytes = readSignals(input, count);
  if (bytes.length !== 32 * count) throw new Error(`${bytes.length} bytes of ${count} signals`);
  if (!isEqual(readSignals(wordsOf(bytes).map(String), count), bytes))
    throw new Error('other signals when written again');
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** An input with a finding. */
export class Finding extends Error {
  constructor(reader: ReaderName, seed: number, input: unknown, cause: unknown) {
    super(`${reader}, seed ${seed}: ${String(cause)}\n${shown(input)}`, { cause });
  }
}

/** Shows an input, which may hold bigints, bytes and values without text. */
function shown(input: unknown): string {
  if (isBytes(input)) return hexOf(input);
  const text = JSON.stringify(input, (_, member: unknown) => {
    if (typeof member === 'bigint') return `${member}n`;
    return isBytes(member) ? hexOf(member) : member;
  });
  return String(text).slice(0, 20_000);
}

/**
 * Runs a reader.
 *
 * @param seed - Of the first execution; each of the others has the next.
 * @param onProgress - Called at each of so many executions.
 * @throws Finding
 */
export function fuzz(
  name: ReaderName,
  executions: number,
  seed: number,
  onProgress: (counts: FuzzCounts) => void = () => undefined,
  each = 100_000,
): FuzzCounts {
  const { draw, check } = readers()[name];
  const counts: FuzzCounts = { executions: 0, accepted: 0, slowestMs: 0, slowest: '' };
  for (; counts.executions < executions; counts.executions++) {
    const own = seed + counts.executions;
    const random = randomFrom(own);
    const input = draw(random);
    const start = performance.now();
    try {
      check(input, random);
      counts.accepted += 1;
    } catch (error) {
      if (!(error instanceof FormError)) throw new Finding(name, own, input, error);
    }
    const took = performance.now() - start;
    if (took > counts.slowestMs)
      Object.assign(counts, { slowestMs: took, slowest: shown(input).slice(0, 300) });
    if (counts.executions % each === each - 1) onProgress({ ...counts, executions: counts.executions + 1 });
  }
  return counts;
}
