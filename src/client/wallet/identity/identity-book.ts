import { WalletError } from '../calls/wallet-error.ts';
import {
  LABEL_CHARACTERS,
  parseIdentities,
  type StoredIdentities,
  type StoredIdentity,
  serializeIdentities,
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
  let stored: StoredIdentities = { identities: [] };
  let fault: WalletError | undefined;
  const listeners: (() => void)[] = [];
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const read = (): void => {
    try {
      stored = parseIdentities(withStorage((storage) => storage.getItem(STORAGE_KEY)));
      fault = undefined;
    } catch (error) {
      stored = { identities: [] };
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
  const write = (next: StoredIdentities): void => {
    if (fault) throw fault;
    withStorage((storage) => storage.setItem(STORAGE_KEY, serializeIdentities(next)));
    stored = next;
    notify();
  };
  read();

  return {
    get identities() {
      return stored.identities;
    },
    get selected() {
      return stored.identities.find(({ commitment }) => commitment === stored.selected);
    },
    get fault() {
      return fault;
    },
    add(identity) {
      const { commitment } = identity;
      const isKnown = stored.identities.some((known) => known.commitment === commitment);
      const label = identity.label.slice(0, LABEL_CHARACTERS);
      const identities = isKnown ? stored.identities : [...stored.identities, { ...identity, label }];
      write({ identities, selected: commitment });
    },
    select: (commitment) => write({ ...stored, selected: commitment }),
    remove(commitment) {
      const identities = stored.identities.filter((known) => known.commitment !== commitment);
      const selected = commitment === stored.selected ? identities[0]?.commitment : stored.selected;
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
