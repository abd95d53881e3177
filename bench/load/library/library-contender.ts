import { availableParallelism } from 'node:os';
import type { SnarkjsStatement } from '../../contenders/proof-set.ts';
import { startChild } from '../../support/child.ts';
import type { Spent } from './library-calls.ts';
import type { LibraryChoice, LibraryProcess } from './library-process.ts';

/** An open library of a contender. */
export interface OpenLibrary {
  /** Shown with its figures: the chosen arithmetic, the version of the runtime. */
  readonly remark?: string;
  answers(statements: readonly SnarkjsStatement[]): Promise<boolean[]>;
  single(calls: number): Promise<Spent>;
  many(count: number): Promise<Spent>;
  close(): Promise<void>;
}

/** A library in a runtime, on one thread or on all. */
export interface LibraryContender {
  readonly name: string;
  /** Absent for Node. */
  readonly runtime?: 'chromium' | 'deno' | 'bun';
  readonly isPeer: boolean;
  readonly threads: 'one' | 'all';
  /** On one thread the time of the processor, which does not grow on a busy machine; a page does not know it. */
  readonly clock: keyof Spent;
  /** Proofs of a run with many, of those that the run asks for; a slow library has the same rate with fewer. */
  readonly mostProofs: number;
  /** @throws Error with code `engine.backend_unavailable` if this machine does not have the backend */
  open(key: unknown, statements: readonly SnarkjsStatement[]): Promise<OpenLibrary>;
}

/** Proofs of snarkjs in a run with many. */
export const SNARKJS_PROOFS = 100;

function inNode(name: string, threads: LibraryContender['threads'], choice: LibraryChoice): LibraryContender {
  const isPeer = choice.library === 'snarkjs';
  return {
    name,
    isPeer,
    threads,
    clock: threads === 'one' ? 'processorMs' : 'wallMs',
    mostProofs: isPeer ? SNARKJS_PROOFS : Number.POSITIVE_INFINITY,
    async open(key, statements) {
      const child = startChild<LibraryProcess>(new URL('./library-process.ts', import.meta.url));
      try {
        await child.call('open', { choice, key, statements });
      } catch (error) {
        await child.stop();
        throw error;
      }
      return {
        answers: (asked) => child.call('answers', { statements: asked }),
        single: (calls) => child.call('single', { calls }),
        many: (count) => child.call('many', { count }),
        close: () => child.stop(),
      };
    },
  };
}

const BACKENDS = ['native', 'wasm-relaxed', 'wasm-simd', 'wasm-scalar'] as const;

/** The libraries in Node. With one thread, ours verifies in the calling one. */
export const NODE_CONTENDERS: readonly LibraryContender[] = [
  ...BACKENDS.map((backend) => inNode(backend, 'one', { library: 'proofgate', backend, workers: 0 })),
  inNode('native-snarkjs-entry', 'one', { library: 'proofgate/snarkjs' }),
  inNode('snarkjs', 'one', { library: 'snarkjs', isSingleThread: true }),
  ...BACKENDS.map((backend) =>
    inNode(backend, 'all', { library: 'proofgate', backend, workers: availableParallelism() }),
  ),
  inNode('native-snarkjs-entry', 'all', { library: 'proofgate/snarkjs' }),
  inNode('snarkjs', 'all', { library: 'snarkjs', isSingleThread: false }),
];
