import type { Bytes32 } from './values.ts';

/** Whether a record of an operator counts. */
export type RecordStatus = 'active' | 'revoked';

/** That a person enrolled with an older identity. Times are milliseconds since the epoch. */
export interface EnrolmentRow {
  /** Identity commitment, the key. */
  readonly idComm: Bytes32;
  /** Of all active records, at most one has this id. */
  readonly signupId: string;
  readonly orbId: string;
  readonly enrolledAt: number;
  readonly status: RecordStatus;
  readonly updatedAt: number;
}

/** What became of one enrolment of an import. `conflict`: another signup or orb is known for this idComm. */
export type EnrolmentOutcome = 'added' | 'updated' | 'unchanged' | 'signup_taken' | 'conflict';

/** How an import is made. */
export interface EnrolmentImport {
  /** Another signup or orb of a known idComm takes the place of the old one instead of being refused. */
  readonly replaces: boolean;
  /** Tells the outcomes and writes nothing. */
  readonly isDryRun: boolean;
}

/**
 * Enrolment records (spec/refresh.md#enrolment-records). A write is one transaction, durable when it
 * resolves.
 */
export interface EnrolmentStore {
  find(idComm: Bytes32): Promise<EnrolmentRow | undefined>;
  /**
   * Adds or updates records in order, in one transaction; a refused one leaves the others.
   *
   * @returns One outcome for each row, in the order of the rows.
   */
  import(rows: readonly EnrolmentRow[], options: EnrolmentImport): Promise<EnrolmentOutcome[]>;
  /** Sets a record to revoked; gives it, or undefined when there is none. */
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
  /** Every key of an orb, active ones first, the latest first. */
  list(orbId: string): Promise<OrbKeyRow[]>;
  /**
   * Adds keys of one orb; one that is there stays as it is, its status too.
   *
   * @param maxActive - Active keys that the orb may have afterwards.
   * @returns The number of added keys, or `too_many`; nothing is written then.
   */
  add(rows: readonly OrbKeyRow[], maxActive: number, isDryRun: boolean): Promise<number | 'too_many'>;
  /** Sets a key to revoked; false when there is none. */
  revoke(orbId: string, keyHash: Bytes32): Promise<boolean>;
}

/** The `sub` that an idComm is bound to for good. Times are milliseconds since the epoch. */
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

/** What claims[0] of a credential was made from. */
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
  /** SHA-256 of the manifest, with a package. */
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
  /** 0 is off. */
  readonly credentials: number;
  readonly windowMs: number;
}

/** Outcome of an issuance; all but `issued` leave nothing. */
export type Issuance =
  | { readonly outcome: 'issued' }
  | { readonly outcome: 'sub_mismatch' }
  /** The binding has another genesis than the credential: sign again with this one (milliseconds). */
  | { readonly outcome: 'other_genesis'; readonly genesisIssuedAt: number }
  | {
      readonly outcome: 'limited';
      /** Milliseconds since the epoch from which one more is allowed. */
      readonly retryAt: number;
    }
  | { readonly outcome: 'no_enrolment' }
  | { readonly outcome: 'id_taken' };

/**
 * Bindings and issued credentials (spec/refresh.md#issuance). Neither is ever changed but for the counts of a
 * binding.
 */
export interface IssuanceStore {
  findBinding(issuerSchemaId: string, idComm: Bytes32): Promise<BindingRow | undefined>;
  /**
   * When one more credential is allowed at `now`, without counting one: undefined for at once, else milliseconds
   * since the epoch. Records with `issuedAt` > `now` − `windowMs` count.
   */
  limitedUntil(
    issuerSchemaId: string,
    idComm: Bytes32,
    limit: IssuanceLimit,
    now: number,
  ): Promise<number | undefined>;
  /**
   * Binds, counts and records a credential in one transaction, by the six steps of
   * spec/refresh.md#issuance-transaction. Resolves after the commit. Exact over any number of callers and
   * processes.
   */
  issue(credential: IssuedCredentialRow, limit: IssuanceLimit): Promise<Issuance>;
  /** Number of credentials of a holder, over all issuer schemas, with their bindings. */
  bindingsOf(idComm: Bytes32): Promise<BindingRow[]>;
  /**
   * Records with `issuedAt` ≥ `since`, the oldest first, a page at a time.
   *
   * @param after - The last row of the page before.
   */
  list(since: number, limit: number, after?: IssuedCredentialRow): Promise<IssuedCredentialRow[]>;
}

/** Counters and challenges of refresh, shared by all nodes. A write is durable when it resolves. */
export interface RefreshGuardStore {
  /**
   * Counts one attempt of an address in a minute, unless `limit` of them are counted.
   *
   * @param addressKey - Address as rate limits take it (IPv6: its /64).
   * @param minute - Minutes since the epoch.
   * @returns False when the limit was reached; nothing is counted then.
   */
  countAttempt(addressKey: string, minute: number, limit: number): Promise<boolean>;
  /** Keeps a challenge until its end. @param hash - SHA-256 of its 32 bytes. */
  addChallenge(hash: Bytes32, expiresAt: number): Promise<void>;
  hasChallenge(hash: Bytes32, now: number): Promise<boolean>;
  /** Removes a live challenge; of concurrent callers exactly one gets true. */
  takeChallenge(hash: Bytes32, now: number): Promise<boolean>;
  /** Whether operators let credentials be issued; true until somebody switched it off. */
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
  /** The seed as a compact JWE; null for a configured one, which the store never has. */
  readonly sealedSeed: string | null;
  readonly registeredAt: number;
  readonly retiredAt: number | null;
}

/** Credential keys; of each issuer schema at most one is active. Rows are never removed. */
export interface IssuerKeyStore {
  /** The active key first, then by time of registration, the newest first. */
  list(issuerSchemaId: string): Promise<IssuerKeyRow[]>;
  /** Every key of every issuer schema, in the same order within one. */
  listAll(): Promise<IssuerKeyRow[]>;
  /**
   * Makes a key the active one in one transaction: adds it, or takes it back from retired; the former one is retired.
   *
   * @param formerKeyId - The key that is active now, undefined for none.
   * @returns False when another one is active by now, or this key is revoked; nothing is written then.
   */
  activate(key: IssuerKeyRow, formerKeyId: string | undefined, at: number): Promise<boolean>;
  /** Sets a key to revoked for good and erases its seed; false when there is none. */
  revoke(issuerSchemaId: string, keyId: string, at: number): Promise<boolean>;
  /** Replaces the sealed seed while it is still `from`; false when it is not. */
  reseal(issuerSchemaId: string, keyId: string, from: string, to: string): Promise<boolean>;
}
