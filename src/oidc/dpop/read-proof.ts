import { createHash } from 'node:crypto';
import {
  decodeJwt,
  decodeProtectedHeader,
  type JWK,
  type JWTPayload,
  type ProtectedHeaderParameters,
} from 'jose';
import { ServiceError } from '../../errors/service-error.ts';

/** A signature algorithm of proofs, with its accepted keys. */
interface ProofAlgorithm {
  /** Returns only the public members of a key; undefined for a key that is not accepted. */
  readonly publicKey: (jwk: Readonly<Record<string, unknown>>) => JWK | undefined;
}

// Verification time grows with modulus and exponent, both chosen by an unauthenticated sender.
const MIN_MODULUS_BITS = 2048;
const MAX_MODULUS_BITS = 4096;
const MAX_EXPONENT_BYTES = 4;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

const ed25519: ProofAlgorithm = { publicKey: (jwk) => pointOf(jwk, 'OKP', 'Ed25519', ['x'], 32) };
const rsa: ProofAlgorithm = { publicKey: rsaKeyOf };

/** Algorithms by name: asymmetric ones that jose has in every supported Node.js. */
const ALGORITHMS: Readonly<Record<string, ProofAlgorithm>> = {
  ES256: { publicKey: (jwk) => pointOf(jwk, 'EC', 'P-256', ['x', 'y'], 32) },
  ES384: { publicKey: (jwk) => pointOf(jwk, 'EC', 'P-384', ['x', 'y'], 48) },
  EdDSA: ed25519,
  Ed25519: ed25519,
  RS256: rsa,
  PS256: rsa,
};

/** Names of the algorithms of proofs, for metadata and challenges. */
export const DPOP_ALGORITHMS: readonly string[] = Object.keys(ALGORITHMS);

/** Returns an algorithm by the `alg` of a header; undefined if it is not accepted. */
function proofAlgorithm(alg: unknown): ProofAlgorithm | undefined {
  return typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined;
}

/** Whether a JWK has a member of a private or symmetric key (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1). */
function hasPrivateMember(jwk: Readonly<Record<string, unknown>>): boolean {
  return ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'].some((name) => Object.hasOwn(jwk, name));
}

function pointOf(
  jwk: Readonly<Record<string, unknown>>,
  kty: string,
  crv: string,
  names: readonly string[],
  bytes: number,
): JWK | undefined {
  const isRight =
    jwk.kty === kty && jwk.crv === crv && names.every((name) => bytesOf(jwk[name])?.length === bytes);
  return isRight ? { kty, crv, ...Object.fromEntries(names.map((name) => [name, jwk[name]])) } : undefined;
}

function rsaKeyOf({ kty, n, e }: Readonly<Record<string, unknown>>): JWK | undefined {
  const [modulus, exponent] = [bytesOf(n), bytesOf(e)];
  if (kty !== 'RSA' || modulus === undefined || exponent === undefined) return undefined;
  const bits = bitLength(modulus);
  if (bits < MIN_MODULUS_BITS || bits > MAX_MODULUS_BITS) return undefined;
  if (exponent.length > MAX_EXPONENT_BYTES || exponent[0] === 0) return undefined;
  const value = exponent.reduce((sum, byte) => sum * 256 + byte, 0);
  return value < 3 || value % 2 === 0 ? undefined : ({ kty, n, e } as JWK);
}

/** Number of significant bits of a big-endian number; 0 if it has leading zero bytes, which RFC 7518 forbids. */
function bitLength(bytes: Uint8Array): number {
  const [first = 0] = bytes;
  return first === 0 ? 0 : bytes.length * 8 - Math.clz32(first) + 24;
}

/** Decodes a member in canonical base64url; undefined for anything else. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !BASE64URL.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.toString('base64url') === value ? bytes : undefined;
}

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

/** A proof with valid members; its signature is not verified. */
export interface ReadProof {
  readonly alg: string;
  readonly publicKey: JWK;
  readonly jti: string;
  readonly nonce: string | undefined;
}

const MAX_CHARACTERS = 4096;
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const MAX_JTI_CHARACTERS = 128;
/** Tolerance for clocks of clients, in seconds; the nonce bounds the age of a proof. */
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

/**
 * Whether the members of a key allow it to verify signatures with `alg` (RFC 8725 section 3.1, RFC 7517 sections 4.2 to
 * 4.4).
 */
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
 * undefined if it is not absolute or contains user information.
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
