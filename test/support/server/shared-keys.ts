import { vi } from 'vitest';
import type { CryptoFunctions } from '../../../src/engine/backends/backend.ts';
import * as native from '../../../src/engine/backends/load-backend.ts';

const { loadNative } = native;
/** Handles of prepared keys, by arithmetic and bytes of the key. */
const handles = new Map<string, number>();
/** By the functions of the addon; the same each time, because a backend is tested once by their identity. */
const sharing = new WeakMap<CryptoFunctions, CryptoFunctions>();

/**
 * Starts a service that takes verifying keys which an earlier one of the process has prepared: the addon keeps them for the
 * whole process, and to prepare them takes a fifth of a start.
 */
export async function startWithSharedKeys<T>(start: () => Promise<T>): Promise<T> {
  const spy = vi.spyOn(native, 'loadNative').mockImplementation((file) => {
    const backend = loadNative(file);
    const functions = sharing.get(backend.functions) ?? sharingKeys(backend.functions);
    sharing.set(backend.functions, functions);
    return { ...backend, functions };
  });
  try {
    return await start();
  } finally {
    spy.mockRestore();
  }
}

function sharingKeys(functions: CryptoFunctions): CryptoFunctions {
  return {
    ...functions,
    prepareKey: (key) => {
      const id = `${functions.arithmetic()} ${Buffer.from(key).toString('base64')}`;
      const handle = handles.get(id) ?? functions.prepareKey(key);
      handles.set(id, handle);
      return handle;
    },
    releaseKey: (handle) => {
      if (![...handles.values()].includes(handle)) functions.releaseKey(handle);
    },
  };
}
