import { isObject } from '../../../json.ts';
import { type Identity, toHex } from '../../../semaphore/index.ts';
import { WalletError } from '../calls/wallet-error.ts';

/** An identity as the browser stores it. Trapdoor and nullifier are secret and never leave the browser. */
export interface StoredIdentity {
  /** Name that the person gave it, 1 to 64 characters. */
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
export function serializeIdentities({ identities, selected }: StoredIdentities): string {
  return JSON.stringify({ version: 1, identities, selected });
}

/**
 * Parses a text that `serializeIdentities` returned; null holds no identities.
 *
 * @throws WalletError `storage` for any other text, which is never overwritten without the person's consent.
 */
export function parseIdentities(text: string | null): StoredIdentities {
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
