import type { Bytes32 } from '../values.ts';

/** Status of a record that an operator keeps. */
export type RecordStatus = 'active' | 'revoked';

/** Enrolment of a person with an older identity. Times are milliseconds since the epoch. */
export interface EnrolmentRow {
  /** Identity commitment, the key. */
  readonly idComm: Bytes32;
  /** At most one active record has this id. */
  readonly signupId: string;
  readonly orbId: string;
  readonly enrolledAt: number;
  readonly status: RecordStatus;
  readonly updatedAt: number;
}

/** Outcome of one enrolment of an import. `conflict`: another signup or orb is stored for this idComm. */
export type EnrolmentOutcome = 'added' | 'updated' | 'unchanged' | 'signup_taken' | 'conflict';

/** Options of an import. */
export interface EnrolmentImport {
  /** Replaces the signup and orb of a known idComm by others instead of refusing them. */
  readonly replaces: boolean;
  /** Returns the outcomes and writes nothing. */
  readonly isDryRun: boolean;
}

/**
 * Enrolment records (spec/refresh.md#enrolment-records). A write is one transaction, durable when it
 * resolves.
 */
export interface EnrolmentStore {
  find(idComm: Bytes32): Promise<EnrolmentRow | undefined>;
  /** Lists one page of records after an idComm, in the order of its bytes. */
  page(limit: number, after?: Bytes32): Promise<EnrolmentRow[]>;
  /**
   * Adds or updates records in order, in one transaction; a refused record does not affect the others.
   *
   * @returns One outcome for each row, in the order of the rows.
   */
  import(rows: readonly EnrolmentRow[], options: EnrolmentImport): Promise<EnrolmentOutcome[]>;
  /** Sets a record to revoked; returns it, or undefined if there is none. */
  revoke(idComm: Bytes32, updatedAt: number): Promise<EnrolmentRow | undefined>;
}

/** A public key of an orb. */
export interface OrbKeyRow {
  readonly orbId: string;
  /** SHA-256 of the DER public key (SPKI). */
  readonly keyHash: Bytes32;
  /** `BEGIN PUBLIC KEY`, secp256k1. */
  readonly pem: string;
  readonly status: RecordStatus;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
}

/** Public keys of orbs (spec/refresh.md#orb-keys). A write is one transaction, durable when it resolves. */
export interface OrbKeyStore {
  /** Lists the keys of an orb, active ones first, the latest first. */
  list(orbId: string): Promise<OrbKeyRow[]>;
  /**
   * Adds keys of one orb; a stored key stays unchanged, including its status.
   *
   * @param maxActive - Most active keys that the orb may have afterwards.
   * @returns The number of added keys, or `too_many`, and then nothing is written.
   */
  add(rows: readonly OrbKeyRow[], maxActive: number, isDryRun: boolean): Promise<number | 'too_many'>;
  /** Sets a key to revoked; false if there is none. */
  revoke(orbId: string, keyHash: Bytes32): Promise<boolean>;
}

/** The `sub` that an idComm is permanently bound to. Times are milliseconds since the epoch. */
export interface BindingRow {
  /** A u64 in decimal. */
  readonly issuerSchemaId: string;
  readonly idComm: Bytes32;
  readonly sub: Bytes32;
  /** Whole seconds × 1000. */
  readonly genesisIssuedAt: number;
  readonly issuedCount: number;
  readonly lastIssuedAt: number;
}

/** Source of claims[0] of a credential. */
export type ClaimSource = 'pcp' | 'refresh';

/** The record of an issued credential. Times are milliseconds since the epoch. */
export interface IssuedCredentialRow {
  /** A u64 in decimal. */
  readonly issuerSchemaId: string;
  /** A u64, 8 bytes big-endian. */
  readonly credentialId: Uint8Array;
  readonly idComm: Bytes32;
  readonly sub: Bytes32;
  /** Whole seconds × 1000. */
  readonly genesisIssuedAt: number;
  readonly issuedAt: number;
  /** Whole seconds × 1000. */
  readonly expiresAt: number;
  readonly claim0: Bytes32;
  readonly claimSource: ClaimSource;
  /** SHA-256 of the manifest; null without a package. */
  readonly manifestSha256: Bytes32 | null;
  readonly operatorId: string | null;
  readonly credentialHash: Bytes32;
  /** 64 bytes. */
  readonly signature: Uint8Array;
  /** `IssuerKeyRow.keyId`. */
  readonly keyId: string;
  readonly encryptedUserId: string | null;
}

/** How many credentials a holder may be issued. */
export interface IssuanceLimit {
  /** 0 means no limit. */
  readonly credentials: number;
  readonly windowMs: number;
}

/** Outcome of an issuance; only `issued` has written anything. */
export type Issuance =
  | { readonly outcome: 'issued' }
  | { readonly outcome: 'sub_mismatch' }
  /** The binding has another genesis: sign again with this one, in milliseconds since the epoch. */
  | { readonly outcome: 'other_genesis'; readonly genesisIssuedAt: number }
  | {
      readonly outcome: 'limited';
      /** When one more is allowed, in milliseconds since the epoch. */
      readonly retryAt: number;
    }
  | { readonly outcome: 'no_enrolment' }
  | { readonly outcome: 'id_taken' };

/**
 * Bindings and issued credentials (spec/refresh.md#issuance). Neither is ever changed, except the counts of a
 * binding.
 */
export interface IssuanceStore {
  findBinding(issuerSchemaId: string, idComm: Bytes32): Promise<BindingRow | undefined>;
  /**
   * Returns when one more credential is allowed, in milliseconds since the epoch, or undefined if it is
   * allowed at `now`. Does not count one. Records with `issuedAt` > `now` − `windowMs` count.
   */
  limitedUntil(
    issuerSchemaId: string,
    idComm: Bytes32,
    limit: IssuanceLimit,
    now: number,
  ): Promise<number | undefined>;
  /**
   * Binds, counts and records a credential in one transaction, by the six steps of
   * spec/refresh.md#issuance-transaction. Resolves after the commit. The limit is exact with any number of
   * concurrent callers and processes.
   */
  issue(credential: IssuedCredentialRow, limit: IssuanceLimit): Promise<Issuance>;
  /** Lists the bindings of a holder, with their counts, over all issuer schemas. */
  bindingsOf(idComm: Bytes32): Promise<BindingRow[]>;
  /**
   * Lists records with `issuedAt` ≥ `since`, the oldest first, one page per call.
   *
   * @param after - The last row of the previous page.
   */
  list(since: number, limit: number, after?: IssuedCredentialRow): Promise<IssuedCredentialRow[]>;
}

/** Counters and challenges of refresh, shared by all nodes. A write is durable when it resolves. */
export interface RefreshGuardStore {
  /**
   * Counts one attempt of an address in a minute, unless `limit` attempts are counted already.
   *
   * @param addressKey - Address as rate limits take it (IPv6: its /64).
   * @param minute - Minutes since the epoch.
   * @returns False if the limit was reached; the attempt is then not counted.
   */
  countAttempt(addressKey: string, minute: number, limit: number): Promise<boolean>;
  /** Stores a challenge until its end. @param hash - SHA-256 of its 32 bytes. */
  addChallenge(hash: Bytes32, expiresAt: number): Promise<void>;
  hasChallenge(hash: Bytes32, now: number): Promise<boolean>;
  /** Removes a live challenge; of concurrent callers exactly one gets true. */
  takeChallenge(hash: Bytes32, now: number): Promise<boolean>;
  /** Whether issuance is switched on; true until an operator switches it off. */
  isSwitchedOn(): Promise<boolean>;
  switch(isOn: boolean, at: number): Promise<void>;
}

/** State of a credential key (spec/credential.md#issuer-keys, status). */
export type IssuerKeyStatus = 'active' | 'retired' | 'revoked';

/** Where a credential key comes from: the setting, a command, or the development profile. */
export type IssuerKeyOrigin = 'configured' | 'generated' | 'development';

/** A credential key. Times are milliseconds since the epoch. */
export interface IssuerKeyRow {
  /** Its compressed public key as 64 lower-case hex digits. */
  readonly keyId: string;
  /** A u64 in decimal. */
  readonly issuerSchemaId: string;
  /** Affine coordinates of the public key. */
  readonly x: Bytes32;
  readonly y: Bytes32;
  readonly status: IssuerKeyStatus;
  readonly origin: IssuerKeyOrigin;
  /** The seed as a compact JWE; null for a configured key, whose seed is never stored. */
  readonly sealedSeed: string | null;
  readonly registeredAt: number;
  readonly retiredAt: number | null;
}

/** Credential keys; each issuer schema has at most one active key. Rows are never removed. */
export interface IssuerKeyStore {
  /** Lists the keys of an issuer schema: the active one, then by time of registration, the newest first. */
  list(issuerSchemaId: string): Promise<IssuerKeyRow[]>;
  /** Lists the keys of every issuer schema, each in the order of `list`. */
  listAll(): Promise<IssuerKeyRow[]>;
  /**
   * Makes a key the active one in one transaction: adds it or reactivates it, and retires the former active
   * key.
   *
   * @param formerKeyId - The key that is active now; undefined if none is.
   * @returns False if another key has become active or this key is revoked; nothing is then written.
   */
  activate(key: IssuerKeyRow, formerKeyId: string | undefined, at: number): Promise<boolean>;
  /** Permanently sets a key to revoked and erases its seed; false if there is none. */
  revoke(issuerSchemaId: string, keyId: string, at: number): Promise<boolean>;
  /** Replaces the sealed seed if it is still `from`; otherwise returns false. */
  reseal(issuerSchemaId: string, keyId: string, from: string, to: string): Promise<boolean>;
}
