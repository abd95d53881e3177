/**
 * Passkeys of sign-in (spec/sign-in.md#passkeys): their challenges, and the checks of what browsers send. The library is
 * loaded at the first use.
 */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server';
import type { AttestationObject } from '@simplewebauthn/server/helpers';
import { parseAddress } from '../../addresses.ts';
import { type KeyConfig, masterKeyOf, previousMasterKeyOf } from '../../apps/secrets/master-key.ts';
import { membersOf } from '../../json.ts';

/** A passkey that a browser signed with, as it sends it; the texts are base64url. */
export interface SentAssertion {
  readonly id: string;
  readonly clientData: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** The pointer: 43 characters. */
  readonly userHandle: string;
}

/** A passkey that a browser made, as it sends it; the texts are base64url. */
export interface SentPasskey {
  readonly id: string;
  readonly clientData: string;
  readonly attestation: string;
  /** The user handle that the page offered: 43 characters. */
  readonly userHandle: string;
}

/** A passkey as it is stored. */
export interface StoredPasskey {
  readonly credentialId: string;
  /** A COSE key. */
  readonly publicKey: Uint8Array;
  /** Signature counter; 0 for authenticators without one. */
  readonly signCount: number;
}

/** The attempt of a sign-in for which a passkey is used. */
interface AttemptId {
  readonly txn: string;
  readonly attempt: number;
}

/** Passkeys of the service (spec/sign-in.md#passkeys). A refusal says nothing but that. */
export interface Passkeys {
  /** Relying party of WebAuthn: the host name of the service. */
  readonly rpId: string;
  /** Returns the challenge for the use of a passkey in one attempt of a sign-in, in base64url. */
  challengeOfUse(attempt: AttemptId): string;
  /** Checks the use of a stored passkey; returns the new counter, or undefined if it is refused. */
  checkUse(sent: SentAssertion, attempt: AttemptId, stored: StoredPasskey): Promise<number | undefined>;
  /** Returns a new user handle, which is the pointer, and the challenge for a passkey with it, in base64url. */
  offerNew(txn: string): { readonly userHandle: string; readonly challenge: string };
  /** Checks a new passkey for a sign-in; undefined if it is refused. */
  checkNew(sent: SentPasskey, txn: string): Promise<StoredPasskey | undefined>;
}

const INFO = 'proofgate passkey challenge v1';
const HANDLE_BYTES = 32;
/** ES256, EdDSA and RS256 as COSE algorithms (RFC 9053, RFC 8812), by preference. */
export const PASSKEY_ALGORITHMS: readonly number[] = [-7, -8, -257];
/** Room for an RSA key of 4,096 bits; a larger one would make each check expensive. */
const MAX_KEY_BYTES = 1024;

/**
 * Creates the passkeys of a service. Nothing is stored for a challenge: it is an HMAC over the sign-in and its attempt, under a
 * key derived from the master key. Challenges under the former one are accepted too, for nodes without the new one.
 *
 * @returns Undefined where browsers refuse passkeys: over http other than on `localhost`, and at an IP address.
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function createPasskeys(config: KeyConfig & { readonly baseUrl: string }): Passkeys | undefined {
  const { origin, protocol, hostname } = new URL(config.baseUrl);
  const isSecure = protocol === 'https:' || hostname === 'localhost';
  if (!isSecure || parseAddress(hostname.replace(/^\[|\]$/g, '')) !== undefined) return undefined;
  const previous = previousMasterKeyOf(config);
  const key = derived(masterKeyOf(config));
  const keys = previous === undefined ? [key] : [key, derived(previous)];
  const isChallenge =
    (words: readonly string[]) =>
    (sent: string): boolean =>
      keys.some((each) => challengeOf(each, words) === sent);
  const expected = {
    expectedOrigin: origin,
    expectedRPID: hostname,
    requireUserVerification: false,
  } as const;

  return {
    rpId: hostname,
    challengeOfUse: ({ txn, attempt }) => challengeOf(key, ['use', txn, String(attempt)]),
    async checkUse(sent, { txn, attempt }, { credentialId, publicKey, signCount }) {
      const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
      const { id, clientData, authenticatorData, signature, userHandle } = sent;
      return await unlessRefused(clientData, async () => {
        const credential: WebAuthnCredential = {
          id: credentialId,
          publicKey: Uint8Array.from(publicKey),
          counter: signCount,
        };
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...expected,
          response: {
            ...responseOf(id),
            response: { clientDataJSON: clientData, authenticatorData, signature, userHandle },
          },
          expectedChallenge: isChallenge(['use', txn, String(attempt)]),
          credential,
        });
        return verified ? authenticationInfo.newCounter : undefined;
      });
    },
    offerNew(txn) {
      const userHandle = randomBytes(HANDLE_BYTES).toString('base64url');
      return { userHandle, challenge: challengeOf(key, ['new', txn, userHandle]) };
    },
    async checkNew({ id, clientData, attestation, userHandle }, txn) {
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
      const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
      return await unlessRefused(clientData, async () => {
        const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestation, 'base64url')));
        if (!isUnattested(decoded)) return undefined;
        const { registrationInfo } = await verifyRegistrationResponse({
          ...expected,
          response: {
            ...responseOf(id),
            response: { clientDataJSON: clientData, attestationObject: attestation },
          },
          expectedChallenge: isChallenge(['new', txn, userHandle]),
          supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
        });
        const made = registrationInfo?.credential;
        if (made === undefined || made.id !== id || made.publicKey.length > MAX_KEY_BYTES) return undefined;
        return { credentialId: id, publicKey: made.publicKey, signCount: made.counter };
      });
    },
  };
}

function derived(masterKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', masterKey, '', INFO, 32));
}

/** None of the words contains U+0000. */
function challengeOf(key: Uint8Array, words: readonly string[]): string {
  return createHmac('sha256', key).update(words.join('\0')).digest('base64url');
}

function responseOf(
  id: string,
): Pick<RegistrationResponseJSON, 'id' | 'rawId' | 'type' | 'clientExtensionResults'> {
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} };
}

/**
 * Whether an attestation names no certificate. The service asks for none; the library would check one at the addresses of
 * revocation lists in it.
 */
function isUnattested(decoded: AttestationObject): boolean {
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}

/** Runs a check of the library, which throws for whatever it refuses; a page in a frame of another site is refused, too. */
async function unlessRefused<T>(clientData: string, check: () => Promise<T>): Promise<T | undefined> {
  try {
    const { crossOrigin } = membersOf(Buffer.from(clientData, 'base64url').toString());
    return crossOrigin === true ? undefined : await check();
  } catch {
    return undefined;
  }
}
