import { randomBytes } from 'node:crypto';
import { loadAddon, loadWasm, supportsArithmetic } from '../../test/support/crypto-modules.ts';
import type { Groth16Contender, LoadContender } from './contender.ts';
import type { ProofMember } from './proof-set.ts';

/** What addon and WASM export, as far as the bench times it. */
export interface CryptoModule {
  arithmetic(): string;
  selectArithmetic(name: string): void;
  prepareKey(key: Uint8Array): number;
  /** One verdict byte for each 256 + 32·n bytes; 0 is valid. */
  verifyBatch(handle: number, batch: Uint8Array, seed: Uint8Array): Uint8Array;
  poseidon(inputs: Uint8Array): Uint8Array;
  poseidon2(width: number, states: Uint8Array): Uint8Array;
  createSigningKey(seed: Uint8Array): number;
  publicKey(handle: number): Uint8Array;
  sign(handle: number, messages: Uint8Array): Uint8Array;
  verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

/** One of our builds under the name of its cases, and what puts its arithmetic in place. */
export interface Build {
  readonly name: 'native' | 'native-portable' | 'wasm';
  readonly module: CryptoModule;
  readonly before?: () => void;
}

let builds: Promise<Build[]> | undefined;

/** Every build that this machine has: the addon with the arithmetic it chose, with the portable one, and WASM. */
export function loadBuilds(): Promise<Build[]> {
  // Once for all suites: a later look would take the arithmetic that the last one left for the chosen one.
  builds ??= load();
  return builds;
}

async function load(): Promise<Build[]> {
  const wasm: Build = { name: 'wasm', module: (await loadWasm()) as unknown as CryptoModule };
  const addon = loadAddon();
  if (!addon) return [wasm];
  const module = addon as unknown as CryptoModule;
  const chosen = module.arithmetic();
  const native: Build = { name: 'native', module, before: () => module.selectArithmetic(chosen) };
  if (chosen === 'portable' || !supportsArithmetic(addon, 'portable')) return [native, wasm];
  const portable: Build = {
    name: 'native-portable',
    module,
    before: () => module.selectArithmetic('portable'),
  };
  return [native, portable, wasm];
}

/** Proofs one after another as one batch, as the worker hands it over. */
export function batchOf(members: readonly ProofMember[]): Uint8Array {
  return Buffer.concat(members.flatMap((member) => [member.proof, member.inputs]));
}

/** A contender that verifies one proof per call through a build. */
export function contenderOf(build: Build): LoadContender {
  return async (set): Promise<Groth16Contender> => {
    build.before?.();
    const handle = build.module.prepareKey(set.key);
    return {
      name: build.name,
      isPeer: false,
      scope: 'all checks, prepared key, from bytes',
      ...(build.before ? { before: build.before } : {}),
      prepare: (members) =>
        members
          .map((member) => batchOf([member]))
          .map((bytes) => () => build.module.verifyBatch(handle, bytes, randomBytes(32))[0] === 0),
      close: async () => build.before?.(),
    };
  };
}
