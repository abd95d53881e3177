import { isObject } from '../../../json.ts';
import { toHex } from '../../../semaphore/hex.ts';
import type { Identity } from '../../../semaphore/identity.ts';
import { WalletError } from '../calls/call.ts';

/** An identity in its stored form. Trapdoor and nullifier are secret and never leave the browser. */
export interface StoredIdentity {
  /** Name given by the person, 1 to 64 characters. */
  readonly label: string;
  /** `0x` and 64 hex digits, like `nullifier` and `commitment`. */
  readonly trapdoor: string;
  readonly nullifier: string;
  /** Public identifier, which is a leaf of the trees. */
  readonly commitment: string;
}

/** Content of the wallet's entry in the browser's storage. */
export interface StoredIdentities {
  readonly identities: readonly StoredIdentity[];
  /** Commitment of the identity in use; absent if there is none. */
  readonly selected?: string | undefined;
}

/** Longest label in characters. */
export const LABEL_CHARACTERS = 64;

const WORD = /^0x[0-9a-f]{64}$/;

/** Converts an identity to its stored form. */
export function storedIdentity(label: string, identity: Identity, commitment: string): StoredIdentity {
  const { trapdoor, nullifier } = identity;
  return { label, trapdoor: toHex(trapdoor), nullifier: toHex(nullifier), commitment };
}

/** Serializes the stored identities. */
function serializeIdentities({ identities, selected }: StoredIdentities): string {
  return JSON.stringify({ version: 1, identities, selected });
}

/**
 * Parses a text that `serializeIdentities` returned; null yields no identities.
 *
 * @throws WalletError `storage` for any other text, which is never overwritten without the person's consent.
 */
function parseIdentities(text: string | null): StoredIdentities {
  if (text === null) return { identities: [] };
  const value = parse(text);
  if (!isObject(value) || value.version !== 1 || !Array.isArray(value.identities)) throw unreadable();
  const identities = value.identities.map(readIdentity);
  const isKnown = identities.some(({ commitment }) => commitment === value.selected);
  return { identities, selected: isKnown ? String(value.selected) : identities[0]?.commitment };
}

function readIdentity(value: unknown): StoredIdentity {
  if (!isObject(value)) throw unreadable();
  const { label, trapdoor, nullifier, commitment } = value;
  if (typeof label !== 'string' || !isWord(trapdoor) || !isWord(nullifier) || !isWord(commitment)) {
    throw unreadable();
  }
  return { label, trapdoor, nullifier, commitment };
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && WORD.test(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unreadable();
  }
}

function unreadable(): WalletError {
  return new WalletError('storage', 'What this browser has stored for the wallet cannot be read.');
}

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
  /** Deletes everything, including unreadable content. */
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
