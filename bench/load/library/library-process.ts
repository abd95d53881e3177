/** A process with one library that verifies proofs in the forms of snarkjs: ours on a backend, or snarkjs. */
import type { SnarkjsStatement } from '../../contenders/proof-set.ts';
import { answerCalls } from '../../support/child.ts';
import { built } from '../../support/paths.ts';

type Package = typeof import('../../../src/library/index.ts');
type SnarkjsEntry = typeof import('../../../src/library/snarkjs.ts');

/** A library, and how it is set up. */
export type LibraryChoice =
  | {
      readonly library: 'proofgate';
      readonly backend: 'native' | 'wasm-relaxed' | 'wasm-simd' | 'wasm-scalar';
      readonly workers: number;
    }
  /** `proofgate/snarkjs`, with its defaults. */
  | { readonly library: 'proofgate/snarkjs' }
  | { readonly library: 'snarkjs'; readonly isSingleThread: boolean };

/** Times of a step. */
export interface Spent {
  readonly wallMs: number;
  /** Of all threads of the process. */
  readonly processorMs: number;
}

/** Calls of the process; `open` comes first. */
export type LibraryProcess = {
  open(argument: {
    choice: LibraryChoice;
    key: unknown;
    statements: readonly SnarkjsStatement[];
  }): Promise<void>;
  answers(argument: { statements: readonly SnarkjsStatement[] }): Promise<boolean[]>;
  /** Verifies statements of `open` in turn, each after the one before. */
  single(argument: { calls: number }): Promise<Spent>;
  /** Verifies so many statements, as fast as the library can. */
  many(argument: { count: number }): Promise<Spent>;
};

interface Library {
  verify(statement: SnarkjsStatement): Promise<boolean>;
  /** Returns the number of valid ones. */
  verifyMany(statements: Iterable<SnarkjsStatement>): Promise<number>;
}

/** Verifies with a function that takes one proof: all at once, as a program does that collects promises. */
function onePerCall(verify: Library['verify']): Library {
  return {
    verify,
    verifyMany: async (statements) => (await Promise.all([...statements].map(verify))).filter(Boolean).length,
  };
}

async function load(choice: LibraryChoice, key: unknown): Promise<Library> {
  if (choice.library === 'proofgate') {
    const { createEngine } = await built<Package>('library/bundle/index.js');
    const { backend, workers } = choice;
    const engine = await createEngine({ backend, workers });
    await engine.addKey('key', key as Parameters<typeof engine.addKey>[1]);
    return {
      verify: async ({ proof, publicSignals }) => (await engine.verify('key', proof, publicSignals)).valid,
      verifyMany: async (statements) =>
        (await engine.verifyMany('key', statements)).filter(({ valid }) => valid).length,
    };
  }
  if (choice.library === 'proofgate/snarkjs') {
    const { groth16 } = await built<SnarkjsEntry>('library/bundle/snarkjs.js');
    return onePerCall(({ proof, publicSignals }) => groth16.verify(key, publicSignals, proof));
  }
  const [{ groth16 }, { buildBn128 }] = await Promise.all([import('snarkjs'), import('ffjavascript')]);
  // snarkjs takes its curve from this global if it is set; the curve determines whether threads are used.
  if (choice.isSingleThread) (globalThis as { curve_bn128?: unknown }).curve_bn128 = await buildBn128(true);
  return onePerCall(({ proof, publicSignals }) => groth16.verify(key, publicSignals, proof));
}

let library: Library | undefined;
let pool: readonly SnarkjsStatement[] = [];
let next = 0;

function* statements(count: number): Generator<SnarkjsStatement> {
  for (let index = 0; index < count; index++) yield pool[next++ % pool.length] as SnarkjsStatement;
}

async function timed(step: (library: Library) => Promise<unknown>): Promise<Spent> {
  if (!library) throw new Error('call open first');
  const [began, before] = [performance.now(), process.cpuUsage()];
  await step(library);
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - began, processorMs: (user + system) / 1000 };
}

const handlers: LibraryProcess = {
  async open({ choice, key, statements: given }) {
    pool = given;
    library = await load(choice, key);
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

answerCalls(handlers);
