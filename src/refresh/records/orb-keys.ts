import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { ServiceError } from '../../errors/service-error.ts';
import { writeHex } from '../../semaphore/hex.ts';
import type { OrbKeyRow, OrbKeyStore } from '../../storage/refresh/orb-keys.ts';
import type { Bytes32 } from '../../storage/values.ts';
import { MAX_ACTIVE_ORB_KEYS } from '../types.ts';
import {
  type ImportObserver,
  type ImportResult,
  importLines,
  type LineOutcome,
  LineRefused,
  type Members,
  type RecordKind,
  readMembers,
  textMember,
} from './import-lines.ts';

const KEY_HASH = /^(?:0x)?([0-9a-fA-F]{64})$/;

/**
 * Sets a key of an orb to revoked: packages signed with this key are refused from then on.
 *
 * @param keyHash - 64 hex digits, as `orb-keys list` shows them.
 * @throws ServiceError `orb_key.unknown`, also for a text that is not a hash
 */
export async function revokeOrbKey(store: OrbKeyStore, orbId: string, keyHash: string): Promise<void> {
  const digits = KEY_HASH.exec(keyHash)?.[1];
  if (digits === undefined) {
    throw new ServiceError('orb_key.unknown', 'invalid key hash: expected 64 hex digits');
  }
  const hash = new Uint8Array(32);
  writeHex(digits, 0, digits.length, hash);
  if (!(await store.revoke(orbId, hash))) throw new ServiceError('orb_key.unknown');
}

/**
 * Imports keys of orbs from JSON Lines (spec/refresh.md#imports). Keys are added to the stored ones; a line
 * counts as added if at least one of its keys is new. A refused line adds none of its keys. Idempotent.
 *
 * @param chunks - UTF-8, split at any position.
 * @param now - Milliseconds since the epoch, the time at which new keys are added.
 * @throws ServiceError `store.unreachable`; earlier lines stay
 */
export async function importOrbKeys(
  chunks: AsyncIterable<Uint8Array | string>,
  store: OrbKeyStore,
  isDryRun: boolean,
  now: number,
  observer: ImportObserver,
): Promise<ImportResult> {
  const kind: RecordKind<OrbKeyLine> = {
    parse: (line) => parseOrbKeyLine(line, now),
    store: async (lines) => await addKeys(lines, store, isDryRun),
  };
  return await importLines(chunks, kind, observer);
}

/** Adds lines of one orb sequentially; lines of different orbs run concurrently and share commits. */
async function addKeys(
  lines: readonly OrbKeyLine[],
  store: OrbKeyStore,
  isDryRun: boolean,
): Promise<LineOutcome[]> {
  const last = new Map<string, Promise<LineOutcome>>();
  const all = lines.map(({ orbId, rows }) => {
    const previous = last.get(orbId);
    const outcome = (async (): Promise<LineOutcome> => {
      await previous;
      return lineOutcome(await store.add(rows, MAX_ACTIVE_ORB_KEYS, isDryRun));
    })();
    last.set(orbId, outcome);
    return outcome;
  });
  return await Promise.all(all);
}

function lineOutcome(added: number | 'too_many'): LineOutcome {
  if (added === 'too_many') {
    return new LineRefused('too_many_keys', `keys: an orb has at most ${MAX_ACTIVE_ORB_KEYS} active keys`);
  }
  return added > 0 ? 'added' : 'unchanged';
}

/** The keys of one orb in a line of `orb-keys import`: at least one, without duplicates. */
export interface OrbKeyLine {
  readonly orbId: string;
  readonly rows: readonly OrbKeyRow[];
}

/**
 * Parses one line of `orb-keys import` (spec/refresh.md#imports) to records.
 *
 * @param now - Milliseconds since the epoch, for `addedAt`.
 * @throws LineRefused `not_json`, `unknown_member`, `missing_member`, `invalid_text`, `invalid_pem`,
 *   `wrong_curve`
 */
export function parseOrbKeyLine(line: string, now: number): OrbKeyLine {
  const members = readMembers(line, ['orb_id', 'keys']);
  const orbId = textMember(members, 'orb_id');
  const rows = new Map<string, OrbKeyRow>();
  for (const [index, pem] of pemsOf(members).entries()) {
    const { keyHash, pem: normalisedPem } = readOrbKey(pem, `keys[${index}]`);
    rows.set(Buffer.from(keyHash).toString('hex'), {
      orbId,
      keyHash,
      pem: normalisedPem,
      status: 'active',
      addedAt: now,
    });
  }
  return { orbId, rows: [...rows.values()] };
}

function pemsOf(members: Members): string[] {
  const keys = members.get('keys');
  if (keys?.kind !== 'array' || keys.items.length === 0) throw notAList();
  return keys.items.map((item) => {
    if (item.kind !== 'string') throw notAList();
    return item.text;
  });
}

function notAList(): LineRefused {
  return new LineRefused('invalid_pem', 'keys: expected a list of one or more PEM texts');
}

const PEM = /^\s*-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END PUBLIC KEY-----\s*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Head of the DER of a SubjectPublicKeyInfo (RFC 5280): a sequence that begins with a sequence. */
const SPKI = /^30(?:[0-7][0-9a-f]|81[0-9a-f]{2}|82[0-9a-f]{4})(?=30)/;
/** AlgorithmIdentifier (RFC 5480): id-ecPublicKey 1.2.840.10045.2.1 on the named curve secp256k1 1.3.132.0.10. */
const SECP256K1 = '301006072a8648ce3d020106052b8104000a';
/** DER of such a key up to the coordinates of its point: uncompressed (04), and compressed of either sign (02, 03). */
const FORMS = [
  { head: `3056${SECP256K1}03420004`, length: 88 },
  { head: `3036${SECP256K1}03220002`, length: 56 },
  { head: `3036${SECP256K1}03220003`, length: 56 },
] as const;

/**
 * Reads the public key of an orb: one `BEGIN PUBLIC KEY` block with an SPKI on the named curve secp256k1, and
 * only white space around it.
 *
 * @returns The PEM of the uncompressed point and the SHA-256 of its DER, so that equal keys have equal
 *   hashes.
 * @throws LineRefused `invalid_pem`, `wrong_curve`; the message begins with `name`
 */
function readOrbKey(pem: string, name: string): Pick<OrbKeyRow, 'keyHash' | 'pem'> {
  const base64 = PEM.exec(pem)?.[1]?.replaceAll(/[\r\n]/g, '') ?? '';
  if (base64 === '' || !BASE64.test(base64)) {
    throw invalidPem(`${name}: expected one block BEGIN PUBLIC KEY and nothing else`);
  }
  const der = Buffer.from(base64, 'base64');
  const hex = der.toString('hex');
  if (!FORMS.some(({ head, length }) => hex.startsWith(head) && der.length === length)) {
    throw refusalOf(hex, name);
  }
  return normalised(decode(der, name));
}

// Compares bytes: OpenSSL also accepts explicit curve parameters, hybrid points and bytes after the key, and
// Node aborts the process when queried for the curve of a key whose point is at infinity.
function refusalOf(hex: string, name: string): LineRefused {
  const algorithm = hex.replace(SPKI, '');
  if (algorithm === hex) return invalidPem(`${name}: expected the DER of a SubjectPublicKeyInfo`);
  return algorithm.startsWith(SECP256K1)
    ? invalidPem(`${name}: expected one point of secp256k1 and no bytes after it`)
    : new LineRefused('wrong_curve', `${name}: expected a public key on the named curve secp256k1`);
}

function decode(der: Buffer, name: string): KeyObject {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    throw invalidPem(`${name}: expected a point of secp256k1`);
  }
}

function normalised(key: KeyObject): Pick<OrbKeyRow, 'keyHash' | 'pem'> {
  // a JWK has both coordinates, so this exports the uncompressed form
  const uncompressed = createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' });
  const keyHash: Bytes32 = createHash('sha256')
    .update(uncompressed.export({ type: 'spki', format: 'der' }))
    .digest();
  return { keyHash, pem: uncompressed.export({ type: 'spki', format: 'pem' }) as string };
}

function invalidPem(message: string): LineRefused {
  return new LineRefused('invalid_pem', message);
}
