import { ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';
import { selfTestInLanes } from '../self-test/self-test.ts';
import {
  type Arithmetic,
  type Backend,
  type BackendChoice,
  type BackendSource,
  type Candidate,
  type CryptoFunctions,
  candidatesOf,
  type NativeArithmetic,
  parseRefusal,
} from './backend.ts';
import { findNative, isPrebuilt, loadBackend, loadNative } from './load-backend.ts';
import { findWasm } from './wasm.ts';

/** The chosen backend, and the reason of the choice. */
export interface ChosenBackend {
  readonly source: BackendSource;
  readonly arithmetic: Arithmetic;
  readonly reason: string;
  /** The backend as loaded in this thread; it has passed its test vectors. */
  readonly loaded: Backend;
  /** `loaded` if it is the addon, which must be loaded in this thread before any worker loads it. */
  readonly native: Backend | undefined;
}

/** Parts of the choice that tests replace. */
export interface BackendOverrides {
  /** Path of the addon. */
  readonly nativeFile?: string;
  /** Tests a loaded backend. */
  readonly selfTest?: typeof selfTestInLanes;
}

/** An arithmetic that fails its test vectors and is therefore not used; an operator should investigate. */
export interface FaultyArithmetic {
  readonly arithmetic: Arithmetic;
  readonly reason: string;
}

/** Error if no candidate of a setting can be used. */
export class BackendUnavailable extends ServiceError {
  /** Candidates that run here but fail their test vectors. */
  readonly faulty: readonly FaultyArithmetic[];

  /** @param missing - Reasons why the other candidates do not run, one each. */
  constructor(missing: readonly string[], faulty: readonly FaultyArithmetic[]) {
    super('engine.backend_unavailable', [...missing, ...faulty.map(describeFaulty)].join('; '));
    this.faulty = faulty;
  }
}

function describeFaulty({ arithmetic, reason }: FaultyArithmetic): string {
  return `${arithmetic} fails its vectors: ${reason}`;
}

type Loaded = { readonly source: BackendSource; readonly backend: Backend };
type Missing = { readonly reason: string };

/**
 * Arithmetics of each addon and compiled module that have passed: the same machine code is tested once per thread. All
 * instances of a module share its code.
 */
const passed = new WeakMap<CryptoFunctions | WebAssembly.Module, Set<Arithmetic>>();

/** Runs the self-test, unless this arithmetic of the same addon or module has passed it. */
function testOnce({ source, backend: { functions } }: Loaded, arithmetic: Arithmetic): string | undefined {
  const code = source.kind === 'wasm' ? source.module : functions;
  const known = passed.get(code) ?? new Set();
  if (known.has(arithmetic)) return undefined;
  const fault = selfTestInLanes(functions);
  if (fault === undefined) passed.set(code, known.add(arithmetic));
  return fault;
}

/** One search for a backend; looks up the addon at most once. */
class Search {
  readonly #overrides: BackendOverrides;
  #addon: Loaded | Missing | undefined;
  /** The arithmetic of the addon before this search. */
  #arithmeticBefore: string | undefined;

  constructor(overrides: BackendOverrides) {
    this.#overrides = overrides;
  }

  /** Reason why there is no addon; undefined if there is one, or if no candidate has required it yet. */
  get missingAddon(): string | undefined {
    return this.#addon && 'reason' in this.#addon ? this.#addon.reason : undefined;
  }

  load(candidate: Candidate): Loaded | Missing {
    return candidate.kind === 'native' ? this.#native(candidate.arithmetic) : this.#wasm(candidate);
  }

  test(loaded: Loaded, arithmetic: Arithmetic): string | undefined {
    const { selfTest } = this.#overrides;
    return selfTest === undefined ? testOnce(loaded, arithmetic) : selfTest(loaded.backend.functions);
  }

  /** Restores the earlier arithmetic of the addon, for a search that ends without the addon. */
  restoreAddon(): void {
    if (this.#arithmeticBefore === undefined || !this.#addon || 'reason' in this.#addon) return;
    this.#addon.backend.functions.selectArithmetic(this.#arithmeticBefore);
  }

  #native(arithmetic: NativeArithmetic): Loaded | Missing {
    this.#addon ??= this.#findAddon();
    if ('reason' in this.#addon) return this.#addon;
    try {
      this.#addon.backend.functions.selectArithmetic(arithmetic);
      return this.#addon;
    } catch (error) {
      const refused = parseRefusal(error);
      if (!refused) throw error;
      return { reason: `native-${arithmetic} does not run: ${refused.detail}` };
    }
  }

  #findAddon(): Loaded | Missing {
    const { nativeFile } = this.#overrides;
    const source = findNative(nativeFile === undefined ? undefined : [nativeFile]);
    if ('reason' in source) return source;
    try {
      const backend = loadNative(source.file);
      this.#arithmeticBefore = backend.functions.arithmetic();
      return { source, backend };
    } catch (error) {
      return { reason: `native addon does not load: ${messageOf(error)}` };
    }
  }

  #wasm({ arithmetic }: Extract<Candidate, { kind: 'wasm' }>): Loaded | Missing {
    const source = findWasm(arithmetic);
    return 'reason' in source ? source : { source, backend: loadBackend(source) };
  }
}

function reasonOf(
  choice: BackendChoice,
  { arithmetic }: Candidate,
  source: BackendSource,
  problems: readonly string[],
): string {
  const isFromElsewhere = source.kind === 'native' && isPrebuilt(source.file);
  const from = isFromElsewhere ? ' (the one of native/prebuilt)' : '';
  if (problems.length > 0) return `${problems.join('; ')}; ${arithmetic} runs instead${from}`;
  return choice === 'auto' || choice === 'native'
    ? `native addon${from} loaded and passed its vectors`
    : `engine.backend is ${choice}${from}`;
}

/**
 * Chooses the backend for a setting: the first arithmetic of its list that runs here and passes its test vectors.
 *
 * The addon has one arithmetic for the whole process: the one chosen here applies to all keys prepared from now on and
 * to all other functions, including those of engines that already run. Keys keep the one with which they were prepared.
 * A choice that fails or ends with WASM leaves the addon unchanged.
 *
 * @param onFaulty - Receives each arithmetic that runs but fails its test vectors.
 * @throws BackendUnavailable, with the reason
 */
export async function chooseBackend(
  choice: BackendChoice,
  overrides: BackendOverrides = {},
  onFaulty: (faulty: FaultyArithmetic) => void = () => undefined,
): Promise<ChosenBackend> {
  const search = new Search(overrides);
  const candidates = candidatesOf(choice);
  const faulty: FaultyArithmetic[] = [];
  const missing: string[] = [];
  for (const candidate of candidates) {
    const { arithmetic, kind } = candidate;
    if (kind === 'native' && search.missingAddon !== undefined) continue;
    const found = search.load(candidate);
    if ('reason' in found) {
      missing.push(found.reason);
      continue;
    }
    const { source, backend: loaded } = found;
    const fault = search.test(found, arithmetic);
    if (fault === undefined) {
      if (kind === 'wasm') search.restoreAddon();
      const addonProblem = search.missingAddon === undefined ? [] : [search.missingAddon];
      const reason = reasonOf(choice, candidate, source, [...addonProblem, ...faulty.map(describeFaulty)]);
      return { source, arithmetic, reason, loaded, native: kind === 'native' ? loaded : undefined };
    }
    const one = { arithmetic, reason: fault };
    onFaulty(one);
    faulty.push(one);
  }
  search.restoreAddon();
  throw new BackendUnavailable(missing, faulty);
}
