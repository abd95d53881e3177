import { isObject } from '../../../json.ts';
import { type Identity, toHex } from '../../../semaphore/index.ts';
import { WalletError } from '../calls/wallet-error.ts';

/** An identity as the browser keeps it. Trapdoor and nullifier are its secret and go nowhere else. */
export interface StoredIdentity {
  /** The person's own word for it, 1 to 64 characters. */
  readonly label: string;
  /** `0x` and 64 hex digits, as the other two. */
  readonly trapdoor: string;
  readonly nullifier: string;
  /** The public name: what the trees hold. */
  readonly commitment: string;
}

/** What lies in the browser's storage. */
export interface IdentityShelf {
  readonly identities: readonly StoredIdentity[];
  /** Commitment of the identity in use; absent when there is none. */
  readonly selected?: string | undefined;
}

/** Longest label. */
export const LABEL_CHARACTERS = 64;

const WORD = /^0x[0-9a-f]{64}$/;

/** The identity with its name. */
export function storedIdentity(label: string, identity: Identity, commitment: string): StoredIdentity {
  const { trapdoor, nullifier } = identity;
  return { label, trapdoor: toHex(trapdoor), nullifier: toHex(nullifier), commitment };
}

/** The shelf as text. */
export function writeShelf({ identities, selected }: IdentityShelf): string {
  return JSON.stringify({ version: 1, identities, selected });
}

/**
 * The shelf of a text that `writeShelf` made; an empty one for null.
 *
 * @throws WalletError `storage` for any other text, which is never overwritten unasked.
 */
export function readShelf(text: string | null): IdentityShelf {
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
