import type { Bytes32, Environment } from '../values.ts';

/** Key of a credential issuer of World ID 4.0. */
export interface IssuerKey4Row {
  readonly environment: Environment;
  /** A whole number below 2^64 in decimal digits, without leading zeros. */
  readonly issuerSchemaId: string;
  /** Coordinates on BabyJubJub, big-endian. */
  readonly x: Bytes32;
  readonly y: Bytes32;
  /** Who wrote the row: `operator`, `development` or the id of a root source. */
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** When the key was removed, in milliseconds since the epoch; null while it counts. */
  readonly removedAt: number | null;
}

/** Public key of a relying party's OPRF, which World ID 4.0 nullifiers depend on. */
export interface OprfKey4Row extends Omit<IssuerKey4Row, 'issuerSchemaId'> {
  /** `rp_` and 16 lower-case hex digits. */
  readonly rpId: string;
}

/** Number of keys of one environment that count. */
export interface KeyCount4 {
  readonly environment: Environment;
  readonly table: 'issuers4' | 'oprf_keys4';
  readonly count: number;
}

/**
 * Keys of World ID 4.0 (spec/worldid4.md#state). A removed key keeps its row, which `find…` and `list…` leave out. The
 * store does not check points: `membership/worldid4` does.
 */
export interface WorldId4KeyStore {
  findIssuer(environment: Environment, issuerSchemaId: string): Promise<IssuerKey4Row | undefined>;
  findOprfKey(environment: Environment, rpId: string): Promise<OprfKey4Row | undefined>;
  /** Lists keys, ordered by environment and id as text. */
  listIssuers(): Promise<IssuerKey4Row[]>;
  /** Lists keys, ordered by environment and rp_id. */
  listOprfKeys(): Promise<OprfKey4Row[]>;
  /** Counts the keys that are not removed; an environment without one is left out. */
  countKeys(): Promise<KeyCount4[]>;
  /** Adds or replaces keys in one transaction. */
  put(issuers: readonly IssuerKey4Row[], oprfKeys: readonly OprfKey4Row[]): Promise<void>;
  /** Marks a key as removed; false if there is none. */
  removeIssuer(environment: Environment, issuerSchemaId: string, now: number): Promise<boolean>;
  /** Marks a key as removed; false if there is none. */
  removeOprfKey(environment: Environment, rpId: string, now: number): Promise<boolean>;
}
