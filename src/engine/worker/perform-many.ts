import { parseRefusal } from '../backends/backend.ts';
import type { Performer } from './performer.ts';
import type { CallName, CallResult, CallTask } from './task.ts';

const WORD_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** A function that does many items of one length at once. */
interface ManyCall {
  /** Bytes of an item; items of another length are done one by one. */
  itemBytes(task: CallTask, first: Uint8Array): number;
  answerBytes(task: CallTask): number;
  /** @param items - Side by side. */
  run(performer: Performer, task: CallTask, items: Uint8Array): Uint8Array;
}

const MANY: { readonly [Name in CallName]?: ManyCall } = {
  poseidon2: {
    itemBytes: ({ width = 0 }) => width * WORD_BYTES,
    answerBytes: ({ width = 0 }) => width * WORD_BYTES,
    run: ({ functions }, { width = 0 }, items) => functions.poseidon2(width, items),
  },
  poseidon: {
    itemBytes: (_task, first) => first.length,
    answerBytes: () => WORD_BYTES,
    run: ({ functions }, { items: [first] }, items) =>
      functions.poseidonMany((first?.length ?? 0) / WORD_BYTES, items),
  },
  oneLeafRoot: {
    itemBytes: () => WORD_BYTES,
    answerBytes: () => WORD_BYTES,
    run: ({ functions, oneLeafTree }, { depth = 0 }, items) =>
      oneLeafTree.roots(items, depth, (pairs) => functions.poseidonMany(2, pairs)),
  },
  sign: {
    itemBytes: () => WORD_BYTES,
    answerBytes: () => SIGNATURE_BYTES,
    run: (performer, task, items) => performer.functions.sign(performer.signingHandle(task), items),
  },
};

/**
 * Does the items of a task as one call into the core, which works on them side by side.
 *
 * @returns Undefined where they have to be done one by one: a single item, a function that takes one alone, items of
 * different lengths, or a refused one, of which the others must not suffer.
 */
export function performMany(performer: Performer, task: CallTask): CallResult[] | undefined {
  const many = MANY[task.call];
  const [first] = task.items;
  if (!many || !first || task.items.length === 1) return undefined;
  const itemBytes = many.itemBytes(task, first);
  if (task.items.some(({ length }) => length !== itemBytes)) return undefined;
  try {
    const answers = many.run(performer, task, Buffer.concat(task.items));
    const answerBytes = many.answerBytes(task);
    return task.items.map((_, index) => ({
      ok: true,
      bytes: answers.slice(index * answerBytes, (index + 1) * answerBytes),
    }));
  } catch (error) {
    if (parseRefusal(error)) return undefined;
    throw error;
  }
}
