import { randomBytes } from 'node:crypto';
import type {
  EnrolmentRow,
  IssuanceLimit,
  IssuedCredentialRow,
  IssuerKeyRow,
  OrbKeyRow,
} from '../../../src/storage/index.ts';
import { bytes32, numberedNullifier } from './rows.ts';

/** When the rows below begin: whole seconds, in milliseconds since the epoch. */
export const START = 1_700_000_000_000;
/** The issuer schema of the rows below. */
export const SCHEMA = '1';
/** A limit as operators have it. */
export const LIMIT: IssuanceLimit = { credentials: 5, windowMs: 86_400_000 };
/** No limit. */
export const UNLIMITED: IssuanceLimit = { credentials: 0, windowMs: 86_400_000 };

/** The identity commitment of a number. */
export function identity(number: number): Uint8Array {
  return numberedNullifier(number);
}

/** The active enrolment of identity `number`, with signup `signup-<number>`. */
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

/** A key of an orb; its hash is 32 times `value`. */
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

/** A credential of identity 0 without a package, with an id of its own. */
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

/** A credential key that a rotation made; the store does not look into its parts. */
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
