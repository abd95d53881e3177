import type { Backend, BackendSource } from './backend.ts';
import { loadNative } from './native.ts';
import { WasmBackend } from './wasm.ts';

/** Loads a backend into the calling thread. */
export function loadBackend(source: BackendSource): Backend {
  return source.kind === 'native' ? loadNative(source.file) : new WasmBackend(source.module);
}
