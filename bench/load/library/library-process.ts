/** A process of Node with one library that verifies proofs in the forms of snarkjs: ours on a backend, or snarkjs. */
import { answerCalls } from '../../support/child.ts';
import { bundled } from '../../support/paths.ts';
import { type Library, type LibraryCalls, libraryCalls, onePerCall } from './library-calls.ts';

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

/** Calls of the process. */
export type LibraryProcess = LibraryCalls<LibraryChoice>;

async function load(choice: LibraryChoice, key: unknown): Promise<Library> {
  if (choice.library === 'proofgate') {
    const { createEngine } = (await import(bundled('index.js'))) as Package;
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
    const { groth16 } = (await import(bundled('snarkjs.js'))) as SnarkjsEntry;
    return onePerCall(({ proof, publicSignals }) => groth16.verify(key, publicSignals, proof));
  }
  const [{ groth16 }, { buildBn128 }] = await Promise.all([import('snarkjs'), import('ffjavascript')]);
  // snarkjs takes its curve from this global if it is set; the curve determines whether threads are used.
  if (choice.isSingleThread) (globalThis as { curve_bn128?: unknown }).curve_bn128 = await buildBn128(true);
  return onePerCall(({ proof, publicSignals }) => groth16.verify(key, publicSignals, proof));
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

answerCalls(libraryCalls(load, processorMs));
