import type { Backend, BackendSource } from './backend.ts';
import { loadNative } from './native.ts';
import { WasmBackend } from './wasm.ts';

/** Loads a backend into the calling thread. */
export async function loadBackend(source: BackendSource): Promise<Backend> {
  return source.kind === 'native'
    ? loadNative(source.file)
    : await WasmBackend.load(source.glue, source.module);
}
