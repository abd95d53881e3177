import { createHash } from 'node:crypto';
import { messageOf } from '../../text.ts';
import type { Engine, Verdict } from '../engine.ts';
import { INPUTS, KEY, PROOF } from '../self-test/vectors.ts';
import { choiceOf } from './backend.ts';

const KEY_ID = 'compare-backends';
const VARIANTS = 24;
const POSEIDON2_WIDTHS = [2, 3, 4, 8, 12, 16];
const POSEIDON_ARITIES = [1, 2, 3, 16];

/** Derives field elements from a label, each below 2^248 and so below r. */
function elements(label: string, count: number): Uint8Array {
  const bytes = new Uint8Array(32 * count);
  for (let index = 0; index < count; index += 1) {
    const digest = createHash('sha256').update(`${label}:${index}`).digest();
    bytes.set(digest.subarray(1), 32 * index + 1);
  }
  return bytes;
}

/** Returns the vector with one bit flipped; variant 0 is the vector itself. */
function variant(number: number): { readonly proof: Uint8Array; readonly inputs: Uint8Array } {
  const proof = PROOF.slice();
  const inputs = INPUTS.slice();
  if (number > 0) {
    const target = number % 2 === 0 ? proof : inputs;
    const byte = (number * 37) % target.length;
    target[byte] = (target[byte] ?? 0) ^ (1 << (number % 8));
  }
  return { proof, inputs };
}

/** Enough variants to fill SIMD lanes, valid proofs included. */
const VARIANTS_TWICE = Array.from({ length: 2 * VARIANTS }, (_, index) =>
  variant(index % 3 === 0 ? 0 : index),
);

const verifiedBy =
  (engine: Engine) =>
  ({ proof, inputs }: ReturnType<typeof variant>): Promise<Verdict> =>
    engine.verify(KEY_ID, proof, inputs);

type Call = readonly [name: string, run: (engine: Engine) => Promise<unknown>];

const CALLS: readonly Call[] = [
  ...Array.from({ length: VARIANTS }, (_, number): Call => {
    const one = variant(number);
    return [`proof variant ${number}`, async (engine) => await verifiedBy(engine)(one)];
  }),
  [
    'proof variants in one batch',
    async (engine) => await Promise.all(VARIANTS_TWICE.map(verifiedBy(engine))),
  ],
  ...POSEIDON2_WIDTHS.map((width): Call => {
    const state = elements(`poseidon2-${width}`, width);
    return [`Poseidon2 of width ${width}`, async (engine) => await engine.poseidon2(width, state)];
  }),
  ...POSEIDON_ARITIES.map((count): Call => {
    const inputs = elements(`poseidon-${count}`, count);
    return [`Poseidon of ${count}`, async (engine) => await engine.poseidon(inputs)];
  }),
  ['byte hash', async (engine) => await engine.hashBytes('proofgate', elements('bytes', 5).subarray(0, 150))],
];

function asText(answer: unknown): string {
  return answer instanceof Uint8Array ? Buffer.from(answer).toString('hex') : JSON.stringify(answer);
}

async function answerOf(call: Call, engine: Engine): Promise<string> {
  try {
    return asText(await call[1](engine));
  } catch (error) {
    return `error: ${messageOf(error)}`;
  }
}

/** Answers of one engine to the calls of the comparison, in their order. */
export interface BackendAnswers {
  /** Full name of the arithmetic. */
  readonly name: string;
  readonly answers: readonly string[];
}

/** Returns the answers of an engine to fixed proofs and hash inputs. */
export async function answersOf(engine: Engine): Promise<BackendAnswers> {
  await engine.registerKey(KEY_ID, KEY.slice());
  const answers: string[] = [];
  for (const call of CALLS) answers.push(await answerOf(call, engine));
  return { name: choiceOf(engine.stats().arithmetic), answers };
}

/** Returns the first difference in one sentence, or undefined if the engines agree on all calls. */
export function differenceOf(one: BackendAnswers, other: BackendAnswers): string | undefined {
  for (const [index, [call]] of CALLS.entries()) {
    const [answer, otherAnswer] = [one.answers[index], other.answers[index]];
    if (answer !== otherAnswer)
      return `${call}: ${one.name} returns ${answer}, ${other.name} returns ${otherAnswer}`;
  }
  return undefined;
}
