import { WalletError } from '../calls/wallet-error.ts';
import {
  type IdentityShelf,
  LABEL_CHARACTERS,
  readShelf,
  type StoredIdentity,
  writeShelf,
} from './identities.ts';

/** The part of the browser's storage that the book uses. */
export interface BookStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/** The identities of this browser, one of them in use. */
export interface IdentityBook {
  readonly identities: readonly StoredIdentity[];
  readonly selected: StoredIdentity | undefined;
  /** Reason for which the storage cannot be read; while it is set, nothing is written. */
  readonly fault: WalletError | undefined;
  /** Stores an identity and selects it; an identity that is stored already keeps its label. */
  add(identity: StoredIdentity): void;
  select(commitment: string): void;
  remove(commitment: string): void;
  /** Deletes everything, including what cannot be read. */
  clear(): void;
  /** Reads the storage again, after another tab has written to it. */
  reload(): void;
  /** Calls back after every change. */
  subscribe(listener: () => void): void;
}

/** Name of the entry in the browser's storage. */
export const STORAGE_KEY = 'proofgate.wallet';

/**
 * Opens the book.
 *
 * @param openStorage - Returns the storage; throws if the browser forbids it.
 */
export function openIdentityBook(openStorage: () => BookStorage): IdentityBook {
  let shelf: IdentityShelf = { identities: [] };
  let fault: WalletError | undefined;
  const listeners: (() => void)[] = [];
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const read = (): void => {
    try {
      shelf = readShelf(withStorage((storage) => storage.getItem(STORAGE_KEY)));
      fault = undefined;
    } catch (error) {
      shelf = { identities: [] };
      fault = error as WalletError;
    }
  };
  const withStorage = <T>(use: (storage: BookStorage) => T): T => {
    try {
      return use(openStorage());
    } catch (cause) {
      throw new WalletError('storage', 'This browser does not let the page store anything.', { cause });
    }
  };
  const write = (next: IdentityShelf): void => {
    if (fault) throw fault;
    withStorage((storage) => storage.setItem(STORAGE_KEY, writeShelf(next)));
    shelf = next;
    notify();
  };
  read();

  return {
    get identities() {
      return shelf.identities;
    },
    get selected() {
      return shelf.identities.find(({ commitment }) => commitment === shelf.selected);
    },
    get fault() {
      return fault;
    },
    add(identity) {
      const { commitment } = identity;
      const isKnown = shelf.identities.some((known) => known.commitment === commitment);
      const label = identity.label.slice(0, LABEL_CHARACTERS);
      const identities = isKnown ? shelf.identities : [...shelf.identities, { ...identity, label }];
      write({ identities, selected: commitment });
    },
    select: (commitment) => write({ ...shelf, selected: commitment }),
    remove(commitment) {
      const identities = shelf.identities.filter((known) => known.commitment !== commitment);
      const selected = commitment === shelf.selected ? identities[0]?.commitment : shelf.selected;
      write({ identities, selected });
    },
    clear() {
      withStorage((storage) => storage.removeItem(STORAGE_KEY));
      read();
      notify();
    },
    reload() {
      read();
      notify();
    },
    subscribe: (listener) => void listeners.push(listener),
  };
}
