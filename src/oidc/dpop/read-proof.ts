import { createHash } from 'node:crypto';
import {
  decodeJwt,
  decodeProtectedHeader,
  type JWK,
  type JWTPayload,
  type ProtectedHeaderParameters,
} from 'jose';
import { ServiceError } from '../../errors/index.ts';
import { DPOP_ALGORITHMS, hasPrivateMember, proofAlgorithm } from './algorithms.ts';

/** A request that has a proof. */
export interface ProofRequest {
  readonly method: string;
  /** Public address of the endpoint, without query. */
  readonly address: string;
  /** The DPoP header; several header lines are joined by commas. */
  readonly proof: string;
  /** The access token in the same request, if there is one. */
  readonly accessToken?: string;
}

/** A proof whose members are right; its signature is not verified. */
export interface ReadProof {
  readonly alg: string;
  readonly publicKey: JWK;
  readonly jti: string;
  readonly nonce: string | undefined;
}

const MAX_CHARACTERS = 4096;
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const MAX_JTI_CHARACTERS = 128;
/** The nonce bounds the age of a proof, so clocks of clients may be this far off, in seconds. */
export const CLOCK_TOLERANCE_SECONDS = 300;

/**
 * Reads a proof and checks everything but its nonce and signature (RFC 9449 section 4.3).
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `dpop.invalid_proof`
 */
export function readProof(request: ProofRequest, now: number): ReadProof {
  const { proof, method, address, accessToken } = request;
  if (proof.length > MAX_CHARACTERS) throw invalidProof(`longer than ${MAX_CHARACTERS} characters.`);
  if (!COMPACT.test(proof)) throw invalidProof('not one JWT.');
  const { header, claims } = decoded(proof);
  if (header.typ !== 'dpop+jwt') throw invalidProof('typ is not dpop+jwt.');
  const { alg, publicKey } = keyOf(header);
  const { jti, htm, htu, iat, ath, nonce } = claims;
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_CHARACTERS) {
    throw invalidProof(`jti is not 1 to ${MAX_JTI_CHARACTERS} characters.`);
  }
  if (htm !== method) throw invalidProof('htm is not the method of the request.');
  if (typeof htu !== 'string' || normalised(htu) !== normalised(address)) {
    throw invalidProof('htu is not the address of the request.');
  }
  if (typeof iat !== 'number' || !(Math.abs(now / 1000 - iat) <= CLOCK_TOLERANCE_SECONDS)) {
    throw invalidProof('iat is not within 5 minutes of the time of the service.');
  }
  if (nonce !== undefined && typeof nonce !== 'string') throw invalidProof('nonce is not a text.');
  if (accessToken !== undefined && ath !== hashOf(accessToken)) {
    throw invalidProof('ath is not the hash of the access token.');
  }
  return { alg, publicKey, jti, nonce };
}

/** Returns the error of a proof that breaks a rule. @param reason - Follows the words "The proof is not valid:". */
export function invalidProof(reason: string, cause?: unknown): ServiceError {
  const message = `The DPoP proof is not valid: ${reason}`;
  return new ServiceError('dpop.invalid_proof', message, {}, cause === undefined ? {} : { cause });
}

function decoded(proof: string): { header: ProtectedHeaderParameters; claims: JWTPayload } {
  try {
    return { header: decodeProtectedHeader(proof), claims: decodeJwt(proof) };
  } catch (cause) {
    throw invalidProof('not one JWT.', cause);
  }
}

function keyOf({ alg, jwk }: ProtectedHeaderParameters): Pick<ReadProof, 'alg' | 'publicKey'> {
  const algorithm = proofAlgorithm(alg);
  if (alg === undefined || algorithm === undefined) {
    throw invalidProof(`alg is none of ${DPOP_ALGORITHMS.join(', ')}.`);
  }
  if (typeof jwk !== 'object' || jwk === null) throw invalidProof('jwk is missing.');
  const members: Readonly<Record<string, unknown>> = { ...jwk };
  if (hasPrivateMember(members)) throw invalidProof('jwk has a private member.');
  if (!isForProofs(members, alg)) throw invalidProof('jwk is for another alg or use.');
  const publicKey = algorithm.publicKey(members);
  if (publicKey === undefined) throw invalidProof('jwk is not a public key for alg.');
  return { alg, publicKey };
}

/** Whether a key may verify signatures with `alg`, as far as it says (RFC 8725 section 3.1, RFC 7517 sections 4.2 to 4.4). */
function isForProofs(key: Readonly<Record<string, unknown>>, alg: string): boolean {
  const { use = 'sig', key_ops: operations = ['verify'] } = key;
  const isForAlg = key.alg === undefined || key.alg === alg;
  return isForAlg && use === 'sig' && Array.isArray(operations) && operations.includes('verify');
}

/** base64url of SHA-256 of an access token (RFC 9449 section 4.2). */
function hashOf(accessToken: string): string {
  return createHash('sha256').update(accessToken, 'ascii').digest('base64url');
}

/**
 * Returns an address without query and fragment, normalised by syntax and scheme (RFC 3986 sections 6.2.2 and 6.2.3);
 * undefined if it is not an absolute address, or names a user.
 */
function normalised(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname, username, password } = new URL(address);
  if (username !== '' || password !== '') return undefined;
  return origin + pathname.replaceAll(/%[0-9A-Fa-f]{2}/g, normalisedEscape);
}

function normalisedEscape(text: string): string {
  const character = String.fromCharCode(Number.parseInt(text.slice(1), 16));
  return /[A-Za-z0-9\-._~]/.test(character) ? character : text.toUpperCase();
}
