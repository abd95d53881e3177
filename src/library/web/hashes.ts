import { parseRefusal } from '../../engine/backends/backend.ts';
import { type HashFunctions, hashFunctions, type UseCrypto } from '../facade/crypto-functions.ts';
import { anyLoadedModule, loadModule, WasmInstance } from './load-module.ts';

let loading: Promise<WasmInstance> | undefined;

/** Creates an instance of the module of an engine in this thread, or of the best module if there is no engine yet. */
async function load(): Promise<WasmInstance> {
  const { module } = anyLoadedModule() ?? (await loadModule({ backend: 'auto' }));
  return new WasmInstance(module);
}

async function instance(): Promise<WasmInstance> {
  loading ??= load();
  try {
    return await loading;
  } catch (error) {
    // The next call tries again: the network may recover.
    loading = undefined;
    throw error;
  }
}

/** Runs a step in the calling thread, on an instance that is created at first use. */
export const useCrypto: UseCrypto = async (step) => {
  const wasm = await instance();
  try {
    return step(wasm.functions);
  } catch (error) {
    if (parseRefusal(error) === undefined) wasm.discard();
    throw error;
  }
};

const functions: HashFunctions = hashFunctions(useCrypto);

export const poseidon: HashFunctions['poseidon'] = functions.poseidon;
export const poseidon2: HashFunctions['poseidon2'] = functions.poseidon2;
export const eddsa: HashFunctions['eddsa'] = functions.eddsa;
