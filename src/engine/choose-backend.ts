import { ServiceError } from '../errors/index.ts';
import type { Backend, BackendSource } from './backends/backend.ts';
import { findNative, loadNative } from './backends/native.ts';
import { findWasm } from './backends/wasm.ts';
import type { BackendChoice } from './engine.ts';
import { selfTest } from './self-test.ts';

/** The backend that runs, and why this one. */
export interface ChosenBackend {
  readonly source: BackendSource;
  /** `adx`, `portable`, or the name of the WASM build. */
  readonly arithmetic: string;
  readonly reason: string;
  /** The addon in this thread: it has to be loaded here before any worker loads it. */
  readonly native: Backend | undefined;
}

/** Where the addon is looked for; tests name another place. */
export interface BackendPlaces {
  readonly nativeFile?: string;
}

// The committed WASM has one build, for every engine: four 64-bit limbs without SIMD (engine.md section 4).
const WASM_BUILD = 'scalar';

type Attempt = ChosenBackend | { readonly reason: string };

const isChosen = (attempt: Attempt): attempt is ChosenBackend => 'source' in attempt;

function tryNative(file: string | undefined): Attempt {
  const found = findNative(file);
  if ('reason' in found) return found;
  let native: Backend;
  try {
    native = loadNative(found.file);
  } catch (error) {
    return {
      reason: `native addon does not load: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  const fault = selfTest(native.functions);
  if (fault) return { reason: `native addon fails its vectors: ${fault}` };
  const arithmetic = native.functions.arithmetic();
  return { source: found, arithmetic, reason: 'native addon loaded and passed its vectors', native };
}

function tryWasm(reason: string): Attempt {
  const source = findWasm();
  return 'reason' in source ? source : { source, arithmetic: WASM_BUILD, reason, native: undefined };
}

/**
 * Finds the backend that a setting asks for: `auto` takes the addon where it loads and passes its vectors, else WASM.
 *
 * @throws ServiceError `engine.backend_unavailable`, with the reason
 */
export function chooseBackend(choice: BackendChoice, places: BackendPlaces = {}): ChosenBackend {
  const native = choice === 'wasm' ? undefined : tryNative(places.nativeFile);
  if (native && isChosen(native)) return native;
  if (choice === 'native') throw new ServiceError('engine.backend_unavailable', native?.reason);
  const reason = native ? `${native.reason}; the WASM build runs instead` : 'engine.backend is wasm';
  const wasm = tryWasm(reason);
  if (isChosen(wasm)) return wasm;
  throw new ServiceError(
    'engine.backend_unavailable',
    [native?.reason, wasm.reason].filter(Boolean).join('; '),
  );
}
