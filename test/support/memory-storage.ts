import type { BookStorage } from '../../src/client/wallet/identity/identity-book.ts';

/** Returns a storage of a browser in memory, with its entries. */
export function memoryStorage(
  entries = new Map<string, string>(),
): BookStorage & { readonly entries: Map<string, string> } {
  return {
    entries,
    getItem: (name) => entries.get(name) ?? null,
    setItem: (name, text) => void entries.set(name, text),
    removeItem: (name) => void entries.delete(name),
  };
}
