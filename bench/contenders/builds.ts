import { randomBytes } from 'node:crypto';
import {
  type BackendChoice,
  type CryptoFunctions,
  choiceOf,
  type NativeArithmetic,
  WASM_ARITHMETICS,
} from '../../src/engine/backends/backend.ts';
import { findNative, loadNative } from '../../src/engine/backends/load-backend.ts';
import { findWasm, WasmBackend } from '../../src/engine/backends/wasm.ts';
import type { Budget } from '../suite.ts';
import type { AbsentContender, Groth16Contender, LoadContender } from './contender.ts';
import type { Answer, ProofMember } from './proof-set.ts';

const NATIVE: readonly NativeArithmetic[] = ['ifma', 'avx2', 'adx', 'arm64', 'portable'];
// Verdict bytes of the core; all others are refusals.
const VALID = 1;
const INVALID = 2;

/** One of our builds with one arithmetic, and the function that selects it. */
export interface Build {
  readonly name: BackendChoice;
  readonly module: CryptoFunctions;
  /** Whether a service chooses it by default, among those of its kind. */
  readonly isChosen: boolean;
  readonly before?: () => void;
}

/** The builds that run on this machine, the preferred ones of each kind first, and those that do not. */
export interface Builds {
  readonly present: readonly Build[];
  readonly absent: readonly AbsentContender[];
}

let builds: Promise<Builds> | undefined;

/** Loads every build, once: a later load would mistake a forced arithmetic for the chosen one. */
export function loadBuilds(): Promise<Builds> {
  builds ??= load();
  return builds;
}

/** Loads all builds for a full run, or the best native one and the best WASM module for a quick run. */
export async function loadBuildsFor({ mode }: Pick<Budget, 'mode'>): Promise<readonly Build[]> {
  const { present } = await loadBuilds();
  return present.filter(({ isChosen }) => isChosen || mode === 'full');
}

/** Returns the names of the builds that a service chooses by default. */
export async function chosenBuilds(): Promise<Partial<Record<'native' | 'wasm', string>>> {
  const chosen = (await loadBuilds()).present.filter(({ isChosen }) => isChosen);
  return Object.fromEntries(chosen.map(({ name }) => [name.startsWith('native') ? 'native' : 'wasm', name]));
}

const isBuild = (one: Build | AbsentContender): one is Build => 'module' in one;

function nativeBuilds(): (Build | AbsentContender)[] {
  const found = findNative();
  if ('reason' in found) return [{ name: 'native', reason: found.reason }];
  const module = loadNative(found.file).functions;
  const chosen = module.arithmetic();
  return NATIVE.map((arithmetic): Build | AbsentContender => {
    const before = (): void => module.selectArithmetic(arithmetic);
    const name = choiceOf(arithmetic);
    try {
      before();
    } catch {
      return { name, reason: 'the addon does not run it on this machine' };
    } finally {
      module.selectArithmetic(chosen);
    }
    return { name, module, isChosen: arithmetic === chosen, before };
  });
}

async function wasmBuilds(): Promise<(Build | AbsentContender)[]> {
  const made: (Build | AbsentContender)[] = [];
  for (const name of WASM_ARITHMETICS) {
    const found = findWasm(name);
    if ('reason' in found) {
      made.push({ name, reason: found.reason });
      continue;
    }
    const { functions } = new WasmBackend(found.module);
    made.push({ name, module: functions, isChosen: !made.some(isBuild) });
  }
  return made;
}

async function load(): Promise<Builds> {
  const all = [...nativeBuilds(), ...(await wasmBuilds())];
  return {
    present: all.filter(isBuild),
    absent: all.filter((one): one is AbsentContender => !isBuild(one)),
  };
}

/** Concatenates proofs to one batch, in the form that a worker passes to a backend. */
export function batchOf(members: readonly ProofMember[]): Uint8Array {
  return Buffer.concat(members.flatMap((member) => [member.proof, member.inputs]));
}

/** A key prepared by one build; it keeps the arithmetic that was selected then. */
export interface PreparedBuild {
  readonly build: Build;
  /** Returns the verdict bytes of a batch; every call uses a new random seed. */
  readonly verify: (batch: Uint8Array) => Uint8Array;
  /** The same, with an equation for each member, as proofs of suspected sources are checked. */
  readonly verifyEach: (batch: Uint8Array) => Uint8Array;
}

/** Prepares the key with the build's arithmetic. */
export function prepareBuild(build: Build, key: Uint8Array): PreparedBuild {
  build.before?.();
  const { module } = build;
  const handle = module.prepareKey(key);
  return {
    build,
    verify: (batch) => module.verifyBatch(handle, batch, randomBytes(32)),
    verifyEach: (batch) => module.verifyEach(handle, batch),
  };
}

/** Decodes a verdict byte. */
export function answerOf(verdict: number | undefined): Answer {
  if (verdict === VALID) return true;
  return verdict === INVALID ? false : 'refused';
}

/** Makes a contender that verifies one proof per call through a build. */
export function contenderOf(build: Build): LoadContender {
  return async (set): Promise<Groth16Contender> => {
    const { verify } = prepareBuild(build, set.key);
    return {
      name: build.name,
      isPeer: false,
      scope: 'all checks, prepared key, from bytes',
      distinguishesRefusals: true,
      ...(build.before ? { before: build.before } : {}),
      prepare: (members) =>
        members.map((member) => batchOf([member])).map((bytes) => () => answerOf(verify(bytes)[0])),
      close: async () => undefined,
    };
  };
}
