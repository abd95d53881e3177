/** Calls that a library answers in a process or a page of its own. Needs no API of a runtime. */
import type { SnarkjsStatement } from '../../contenders/proof-set.ts';

/** Times of a step. */
export interface Spent {
  readonly wallMs: number;
  /** Of all threads of the process; undefined where a program cannot ask for it. */
  readonly processorMs?: number;
}

/** Calls of a library; `open` comes first. */
export type LibraryCalls<Choice> = {
  /** Returns a remark for the report, such as the chosen arithmetic. */
  open(argument: {
    choice: Choice;
    key: unknown;
    statements: readonly SnarkjsStatement[];
  }): Promise<string | undefined>;
  answers(argument: { statements: readonly SnarkjsStatement[] }): Promise<boolean[]>;
  /** Verifies statements of `open` in turn, each after the one before. */
  single(argument: { calls: number }): Promise<Spent>;
  /** Verifies so many statements, as fast as the library can. */
  many(argument: { count: number }): Promise<Spent>;
};

/** A loaded library with its key. */
export interface Library {
  readonly remark?: string;
  verify(statement: SnarkjsStatement): Promise<boolean>;
  /** Returns the number of valid ones. */
  verifyMany(statements: Iterable<SnarkjsStatement>): Promise<number>;
}

/** Verifies with a function that takes one proof: all at once, as a program does that collects promises. */
export function onePerCall(verify: Library['verify']): Library {
  return {
    verify,
    verifyMany: async (statements) => (await Promise.all([...statements].map(verify))).filter(Boolean).length,
  };
}

/**
 * Makes the calls of a library.
 *
 * @param processorMs - Processor time of the process, where the runtime tells it.
 */
export function libraryCalls<Choice>(
  load: (choice: Choice, key: unknown) => Promise<Library>,
  processorMs?: () => number,
): LibraryCalls<Choice> {
  let library: Library | undefined;
  let pool: readonly SnarkjsStatement[] = [];
  let next = 0;

  function* statements(count: number): Generator<SnarkjsStatement> {
    for (let index = 0; index < count; index++) yield pool[next++ % pool.length] as SnarkjsStatement;
  }

  async function timed(step: (library: Library) => Promise<unknown>): Promise<Spent> {
    if (!library) throw new Error('call open first');
    const [began, before] = [performance.now(), processorMs?.()];
    await step(library);
    const after = processorMs?.();
    return {
      wallMs: performance.now() - began,
      ...(before !== undefined && after !== undefined && { processorMs: after - before }),
    };
  }

  return {
    async open({ choice, key, statements: given }) {
      pool = given;
      library = await load(choice, key);
      return library.remark;
    },
    async answers({ statements: asked }) {
      const found: boolean[] = [];
      for (const statement of asked) found.push((await library?.verify(statement)) === true);
      return found;
    },
    single: ({ calls }) =>
      timed(async ({ verify }) => {
        for (const statement of statements(calls)) await verify(statement);
      }),
    many: ({ count }) =>
      timed(async ({ verifyMany }) => {
        const valid = await verifyMany(statements(count));
        if (valid !== count) throw new Error(`expected ${count} valid proofs, got ${valid}`);
      }),
  };
}
