import { createHash } from 'node:crypto';
import type { ClientSecretRow } from '../../../src/storage/apps/client-secrets.ts';
import type { NewCode } from '../../../src/storage/signin/grants.ts';
import type { PendingBounds } from '../../../src/storage/signin/pending.ts';
import type { PointerRow, SeenPerson, WorldIdSessionRow } from '../../../src/storage/signin/people.ts';
import type { SessionRow } from '../../../src/storage/signin/sessions.ts';
import type { SigningKeyRow } from '../../../src/storage/signin/signing-keys.ts';
import type { Attempt, AttemptMessage, NewTransaction } from '../../../src/storage/signin/transactions.ts';
import type { AcceptedProof } from '../../../src/storage/values.ts';
import { appRow, bytes32 } from './rows.ts';

/** Start time of the rows below, in milliseconds since the epoch. */
export const START = 1_700_000_000_000;
/** End of the first attempt's window. */
export const WINDOW_END: number = START + 300_000;
/** End of a sign-in. */
export const TRANSACTION_END: number = START + 900_000;
/** Expiry of a code. */
export const CODE_END: number = START + 60_000;
/** Text with characters that a database may truncate or change. */
export const ODD_TEXT = `a\u0000b ünï ☃ 👋🏽 ' " ; -- $1 \\u0000 \n`;

/** The person that an accepted proof identifies. */
export const ACCEPTED: AcceptedProof = { sub: bytes32(0xff), level: 'device', authTime: START + 5000 };

/** Returns the SHA-256 digest of a text. */
export function digest(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest());
}

/** Makes the first attempt, whose request has the id `bridge-<txn>` on the bridge. */
export function attemptOf(txn: string, change: Partial<Attempt> = {}): Attempt {
  return {
    attempt: 1,
    signal: `siwi:${txn}`,
    aesKey: bytes32(2),
    bridgeId: `bridge-${txn}`,
    windowEndsAt: WINDOW_END,
    ask: null,
    renewals: 0,
    ...change,
  };
}

/** Makes a new sign-in. */
export function newTransaction(txn: string, change: Partial<NewTransaction> = {}): NewTransaction {
  return {
    txn,
    clientId: appRow().appId,
    request: JSON.stringify({ state: ODD_TEXT }),
    cookieHash: bytes32(0),
    knownHash: null,
    pushedHash: null,
    first: attemptOf(txn),
    createdAt: START,
    expiresAt: TRANSACTION_END,
    ...change,
  };
}

/** Makes a request message for the bridge. */
export function attemptMessage(bridgeId: string, change: Partial<AttemptMessage> = {}): AttemptMessage {
  return {
    bridgeId,
    message: { iv: 'aXY=', payload: 'cmVxdWVzdA==' },
    ...change,
  };
}

/** Makes bounds of open sign-ins: `maxSignIns` over all clients, without a bound per client. */
export function pendingBounds(maxSignIns: number, change: Partial<PendingBounds> = {}): PendingBounds {
  const maxBytes = Number.MAX_SAFE_INTEGER;
  const client = { maxSignIns: Number.MAX_SAFE_INTEGER, maxBytes };
  return { all: { maxSignIns, maxBytes }, client, network: undefined, ...change };
}

/** Makes a session whose cookie has the digest of `name`. */
export function sessionRow(name: string, change: Partial<SessionRow> = {}): SessionRow {
  return {
    sessionHash: digest(name),
    sid: `sid of ${name}`,
    clientId: appRow().appId,
    clientHash: bytes32(5),
    accepted: ACCEPTED,
    createdAt: START,
    expiresAt: START + 3_600_000,
    ...change,
  };
}

/** Makes a World ID session, whose id and person have the digests of names. */
export function worldIdSession(
  name: string,
  person: string,
  change: Partial<WorldIdSessionRow> = {},
): WorldIdSessionRow {
  return {
    clientId: appRow().appId,
    sessionId: Uint8Array.from([...digest(name), ...digest(name)]),
    sub: digest(person),
    binding: 'bound',
    createdAt: START,
    usedAt: START,
    expiresAt: START + 3_600_000,
    ...change,
  };
}

/** Makes the cookie of a browser that points to a session. */
export function cookiePointer(browser: string, session: WorldIdSessionRow): PointerRow {
  const { clientId, sub, sessionId, createdAt, usedAt, expiresAt } = session;
  const passkey = { credentialId: null, publicKey: null, signCount: null };
  const times = { createdAt, usedAt, expiresAt };
  return { pointerHash: digest(browser), clientId, sub, sessionId, kind: 'cookie', ...passkey, ...times };
}

/** Makes a person who proved a new session on a browser; all are named alike. */
export function seenPerson(name: string, change: Partial<WorldIdSessionRow> = {}): SeenPerson {
  const session = worldIdSession(name, name, change);
  return { session, isKnown: false, beganAt: START, pointer: cookiePointer(name, session) };
}

/** Makes an unused code whose hash is the digest of `name`. */
export function newCode(name: string, change: Partial<NewCode> = {}): NewCode {
  return {
    codeHash: digest(name),
    clientId: appRow().appId,
    redirectUri: 'https://rp.example/cb?a=1',
    scope: 'openid email',
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    dpopJkt: null,
    nonce: JSON.stringify(ODD_TEXT),
    sid: null,
    txn: null,
    accepted: ACCEPTED,
    codeExpiresAt: CODE_END,
    expiresAt: CODE_END,
    ...change,
  };
}

/** Makes a secret that does not expire. */
export function secretRow(secretId: string, change: Partial<ClientSecretRow> = {}): ClientSecretRow {
  return {
    secretId,
    appId: appRow().appId,
    hash: digest(secretId),
    isDevelopment: false,
    createdAt: START,
    expiresAt: null,
    keyId: null,
    ...change,
  };
}

/** Makes a signing key in state `next` with placeholder values: the store does not interpret them. */
export function signingKeyRow(kid: string, change: Partial<SigningKeyRow> = {}): SigningKeyRow {
  return {
    kid,
    use: 'signin',
    state: 'next',
    publicJwk: JSON.stringify({ kid }),
    privateJwk: JSON.stringify({ kid, d: 'private' }),
    isSealed: false,
    isDevelopment: false,
    createdAt: START,
    activatedAt: null,
    retiredAt: null,
    expiresAt: null,
    ...change,
  };
}
