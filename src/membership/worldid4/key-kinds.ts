import { isInPrimeSubgroup, isOnBabyJubJub } from '../../credential/public-key.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { numberOf, SCALAR_ORDER } from '../../semaphore/words.ts';
import type { Bytes32, Environment } from '../../storage/values.ts';
import type { IssuerKey4Row, KeyOwner4, WorldId4KeyStore } from '../../storage/worldid4-keys.ts';

/**
 * Refuses a point that cannot be the public key of a World ID 4.0 issuer or OPRF (spec/worldid4.md#state). The circuit
 * leaves these checks to the publisher of keys, and a point of small order would make signatures forgeable. Takes a few
 * milliseconds.
 *
 * @param x - 32 bytes, big-endian, as is `y`.
 * @throws ServiceError `key.range`, `key.identity`, `key.not_on_curve`, `key.wrong_subgroup`
 */
export function checkKeyPoint(x: Bytes32, y: Bytes32): void {
  const point = [numberOf(x), numberOf(y)] as const;
  if (point.some((coordinate) => coordinate >= SCALAR_ORDER)) {
    throw new ServiceError('key.range', 'x or y: expected a number below the scalar order r');
  }
  if (point[0] === 0n && point[1] === 1n) {
    throw new ServiceError('key.identity', 'x and y are the identity (0, 1), which is the key of nobody');
  }
  if (!isOnBabyJubJub(...point)) {
    if (point.includes(0n)) throw new ServiceError('key.range', 'x or y: expected a number above 0, got 0');
    throw new ServiceError('key.not_on_curve', 'x and y are not a point of BabyJubJub');
  }
  if (!isInPrimeSubgroup(...point)) {
    throw new ServiceError(
      'key.wrong_subgroup',
      'x and y are a point of BabyJubJub outside the prime subgroup',
    );
  }
}

/** A public key of World ID 4.0 with its owner: an issuer of credentials, or a relying party. */
export interface WorldId4Key {
  readonly environment: Environment;
  /** Canonical id of the owner. */
  readonly id: string;
  /** Coordinates on BabyJubJub, big-endian. */
  readonly x: Bytes32;
  readonly y: Bytes32;
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** The part of the store that both kinds use. */
export type KeyTables = Pick<
  WorldId4KeyStore,
  'pageIssuers' | 'pageOprfKeys' | 'put' | 'removeIssuer' | 'removeOprfKey'
>;

/** One of the two kinds of keys, with the form of its ids and its table. */
export interface KeyKind {
  /** The member of a line, and the wire name of the field, that has the id of the owner. */
  readonly idMember: 'issuer_schema_id' | 'rp_id';
  /** Form of an id, as text after "expected". */
  readonly idForm: string;
  /** Error of a removal without a key. */
  readonly unknown: ErrorCode;
  /** Returns the canonical form of an id, or undefined for another value. */
  canonicalId(value: unknown): string | undefined;
  put(store: KeyTables, keys: readonly WorldId4Key[]): Promise<void>;
  /** Lists one page, ordered by environment and id as text. @param after - Owner of the last key of the previous page. */
  page(store: KeyTables, limit: number, after?: KeyOwner4): Promise<WorldId4Key[]>;
  /** Returns false if there is no such key. */
  remove(store: KeyTables, environment: Environment, id: string, now: number): Promise<boolean>;
}

const DIGITS = /^[0-9]{1,20}$/;
const MAX_UINT64 = 2n ** 64n - 1n;
const RP_ID = /^rp_[0-9a-f]{16}$/;

/** Keys of credential issuers. */
export const ISSUER_KEYS: KeyKind = {
  idMember: 'issuer_schema_id',
  idForm: 'a whole number below 2^64, above 2^53 as text',
  unknown: 'issuer.unknown',
  canonicalId(value) {
    if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? `${value}` : undefined;
    if (typeof value !== 'string' || !DIGITS.test(value)) return undefined;
    const id = BigInt(value);
    return id <= MAX_UINT64 ? `${id}` : undefined;
  },
  put: (store, keys) =>
    store.put(
      keys.map((key) => ({ ...rowOf(key), issuerSchemaId: key.id })),
      [],
    ),
  page: async (store, limit, after) =>
    (await store.pageIssuers(limit, after)).map((row) => keyOf(row.issuerSchemaId, row)),
  remove: (store, environment, id, now) => store.removeIssuer(environment, id, now),
};

/** Keys of the OPRF of relying parties. */
export const OPRF_KEYS: KeyKind = {
  idMember: 'rp_id',
  idForm: 'rp_ and 16 hex digits',
  unknown: 'oprf_key.unknown',
  canonicalId(value) {
    const id = typeof value === 'string' ? value.toLowerCase() : '';
    return RP_ID.test(id) ? id : undefined;
  },
  put: (store, keys) =>
    store.put(
      [],
      keys.map((key) => ({ ...rowOf(key), rpId: key.id })),
    ),
  page: async (store, limit, after) =>
    (await store.pageOprfKeys(limit, after)).map((row) => keyOf(row.rpId, row)),
  remove: (store, environment, id, now) => store.removeOprfKey(environment, id, now),
};

type RowWithoutId = Omit<IssuerKey4Row, 'issuerSchemaId'>;

function rowOf({ id: _, ...key }: WorldId4Key): RowWithoutId {
  return { ...key, removedAt: null };
}

function keyOf(id: string, { environment, x, y, source, updatedAt }: RowWithoutId): WorldId4Key {
  return { environment, id, x, y, source, updatedAt };
}
