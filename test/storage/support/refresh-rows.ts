import { randomBytes } from 'node:crypto';
import type { EnrolmentRow } from '../../../src/storage/refresh/enrolments.ts';
import type { IssuanceLimit } from '../../../src/storage/refresh/issuance.ts';
import type { IssuedCredentialRow } from '../../../src/storage/refresh/issued-credential.ts';
import type { IssuerKeyRow } from '../../../src/storage/refresh/issuer-keys.ts';
import type { OrbKeyRow } from '../../../src/storage/refresh/orb-keys.ts';
import { bytes32, numberedNullifier } from './rows.ts';

/** Time of the rows below: whole seconds, in milliseconds since the epoch. */
export const START = 1_700_000_000_000;
/** Issuer schema of the rows below. */
export const SCHEMA = '1';
/** A typical limit. */
export const LIMIT: IssuanceLimit = { credentials: 5, windowMs: 86_400_000 };
/** No limit. */
export const UNLIMITED: IssuanceLimit = { credentials: 0, windowMs: 86_400_000 };

/** Returns the identity commitment of a number. */
export function identity(number: number): Uint8Array {
  return numberedNullifier(number);
}

/** Makes the active enrolment of identity `number`, with signup `signup-<number>`. */
export function enrolment(number: number, change: Partial<EnrolmentRow> = {}): EnrolmentRow {
  return {
    idComm: identity(number),
    signupId: `signup-${number}`,
    orbId: 'orb',
    enrolledAt: START,
    status: 'active',
    updatedAt: START,
    ...change,
  };
}

/** Makes an orb key whose hash is 32 bytes of `value`. */
export function orbKey(value: number, change: Partial<OrbKeyRow> = {}): OrbKeyRow {
  return {
    orbId: 'orb',
    keyHash: bytes32(value),
    pem: `-----BEGIN PUBLIC KEY-----\n${value}\n-----END PUBLIC KEY-----\n`,
    status: 'active',
    addedAt: START,
    ...change,
  };
}

/** Makes a credential of identity 0 without a package, with a random id. */
export function credential(change: Partial<IssuedCredentialRow> = {}): IssuedCredentialRow {
  return {
    issuerSchemaId: SCHEMA,
    credentialId: new Uint8Array(randomBytes(8)),
    idComm: identity(0),
    sub: bytes32(0xff),
    genesisIssuedAt: START,
    issuedAt: START,
    expiresAt: START + 1000,
    claim0: bytes32(0),
    claimSource: 'refresh',
    manifestSha256: null,
    operatorId: null,
    credentialHash: bytes32(4),
    signature: new Uint8Array(64).fill(0xff),
    keyId: 'ab'.repeat(32),
    encryptedUserId: null,
    ...change,
  };
}

/** Makes a credential key as a rotation does, with placeholder values: the store does not interpret them. */
export function issuerKey(keyId: string, change: Partial<IssuerKeyRow> = {}): IssuerKeyRow {
  return {
    keyId,
    issuerSchemaId: SCHEMA,
    x: bytes32(0),
    y: bytes32(0xff),
    status: 'active',
    origin: 'generated',
    sealedSeed: `sealed.${keyId}`,
    registeredAt: START,
    retiredAt: null,
    ...change,
  };
}
