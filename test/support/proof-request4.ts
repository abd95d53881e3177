/**
 * Requests of IDKit 4 as a wallet parses them: what a wallet or a node would refuse is an error, and so is an unknown
 * member.
 */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { be32, R } from './crypto/bn254.ts';
import type { WalletPlaintext } from './test-wallet.ts';

/** Credential of an item, by its issuer. */
export const IDENTIFIERS: Readonly<Record<number, string>> = {
  1: 'proof_of_human',
  11: 'selfie',
  9303: 'passport',
  9310: 'mnc',
};

/** Item of a request: a credential, with what its proof must show. */
export interface RequestItem4 {
  readonly identifier: string;
  readonly issuer_schema_id: number;
  /** Hex bytes with `0x`, not hashed. */
  readonly signal?: string;
  readonly genesis_issued_at_min?: number | null;
  readonly expires_at_min?: number | null;
}

/** Which items an answer must have; an identifier is the item of that name. */
export type Constraint4 =
  | string
  | { readonly any: readonly Constraint4[] }
  | { readonly all: readonly Constraint4[] }
  | { readonly enumerate: readonly Constraint4[] };

/** Request of the protocol, as a wallet parses it. */
export interface ProofRequest4 {
  readonly id: string;
  readonly version: 1;
  readonly proof_type?: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly rp_id: string;
  readonly oprf_key_id: string;
  readonly session_id?: string | null;
  readonly action?: string | null;
  readonly signature: string;
  readonly nonce: string;
  readonly proof_requests: readonly RequestItem4[];
  readonly constraints?: Constraint4;
}

/** What a request asks for. */
export type RequestKind = 'uniqueness' | 'bound' | 'create' | 'prove';

/** Plaintext of IDKit 4. */
export interface Plaintext4 extends Omit<WalletPlaintext, 'credential_types'> {
  readonly package_name: string;
  readonly package_version: string;
  readonly allow_legacy_proofs: boolean;
  readonly require_user_presence: boolean;
  readonly environment: string;
  readonly proof_request?: ProofRequest4;
  readonly identity_attributes?: readonly object[];
  readonly return_to_url?: string;
}

type Check = (value: unknown) => boolean;
/** Checks by member; the name of an optional one ends with `?`, and null counts as absent. */
type Shape = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const seconds: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const like =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every(check);
/** A canonical element of the scalar field. */
const element: Check = (value) => like(/^0x[0-9a-f]{64}$/)(value) && BigInt(value as string) < R;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Commitment and seed of a session id. */
export const SESSION_ID = /^session_([0-9a-f]{64})(01[0-9a-f]{62})$/;

const ITEM: Shape = {
  identifier: text,
  issuer_schema_id: seconds,
  'signal?': like(/^0x(?:[0-9a-f]{2})*$/),
  'genesis_issued_at_min?': seconds,
  'expires_at_min?': seconds,
};

const PROOF_REQUEST: Shape = {
  id: text,
  version: oneOf(1),
  'proof_type?': oneOf('uniqueness', 'session', 'create_session'),
  created_at: seconds,
  expires_at: seconds,
  rp_id: like(/^rp_[0-9a-f]{16}$/),
  oprf_key_id: like(/^0x(?:0|[1-9a-f][0-9a-f]{0,15})$/),
  'session_id?': (value) => value === 'create' || like(SESSION_ID)(value),
  'action?': (value) => element(value) && like(/^0x00/)(value),
  signature: like(/^0x[0-9a-f]{128}(?:1b|1c)$/),
  nonce: element,
  proof_requests: listOf(isObject),
  'constraints?': isObject,
};

const PLAINTEXT: Shape = {
  app_id: like(/^app_/),
  package_name: text,
  package_version: text,
  action: text,
  'action_description?': text,
  signal: element,
  verification_level: oneOf('orb', 'face', 'device', 'document', 'secure_document'),
  'proof_request?': isObject,
  'identity_attributes?': listOf(isObject),
  allow_legacy_proofs: flag,
  require_user_presence: flag,
  environment: oneOf('production', 'staging', 'sandbox'),
  'return_to_url?': text,
};

function check(value: unknown, shape: Shape, path: string): Record<string, unknown> {
  if (!isObject(value)) throw new Error(`${path}: expected an object, got ${JSON.stringify(value)}`);
  const names = Object.keys(shape).map((name) => name.replace('?', ''));
  const unknown = Object.keys(value).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`${path}: unknown members ${unknown}`);
  for (const [name, isValid] of Object.entries(shape)) {
    const member = value[name.replace('?', '')];
    const isAbsent = name.endsWith('?') && (member === undefined || member === null);
    if (!isAbsent && !isValid(member)) throw new Error(`${path}.${name}: got ${JSON.stringify(member)}`);
  }
  return value;
}

/** At most two levels and twelve nodes, with only requested identifiers. */
function checkConstraints(constraints: unknown, identifiers: readonly unknown[]): void {
  let nodes = 0;
  const walk = (node: unknown, depth: number): void => {
    if (++nodes > 12) throw new Error('constraints: more than 12 nodes');
    if (typeof node === 'string') {
      if (!identifiers.includes(node)) throw new Error(`constraints: ${node} is not requested`);
      return;
    }
    const [[kind, children] = [], ...more] = Object.entries(isObject(node) ? node : {});
    const isExpression = more.length === 0 && oneOf('any', 'all', 'enumerate')(kind);
    if (!isExpression || !Array.isArray(children) || children.length === 0 || depth > 2)
      throw new Error(`constraints: ${JSON.stringify(node)}`);
    for (const child of children) walk(child, depth + 1);
  };
  walk(constraints, 1);
}

/**
 * Parses a plaintext of IDKit 4.
 *
 * @throws Error for an unknown member, also of an item, and for a request that a wallet or a node would refuse
 */
export function parsePlaintext4(value: unknown): Plaintext4 {
  const plaintext = check(value, PLAINTEXT, 'plaintext');
  const { proof_request } = plaintext;
  if (proof_request !== undefined && proof_request !== null) parseProofRequest4(proof_request);
  return plaintext as unknown as Plaintext4;
}

function parseProofRequest4(value: unknown): ProofRequest4 {
  const request = check(value, PROOF_REQUEST, 'proof_request') as unknown as ProofRequest4;
  for (const item of request.proof_requests) check(item, ITEM, 'proof_request.proof_requests');
  const unnamed = request.proof_requests.filter(
    (item) => IDENTIFIERS[item.issuer_schema_id] !== item.identifier,
  );
  if (unnamed.length > 0) throw new Error(`items: ${JSON.stringify(unnamed)}`);
  const identifiers = request.proof_requests.map(({ identifier }) => identifier);
  if (new Set(identifiers).size < identifiers.length) throw new Error(`items: ${identifiers}`);
  if (request.constraints) checkConstraints(request.constraints, identifiers);
  if (BigInt(request.oprf_key_id) !== rpNumber(request))
    throw new Error(`oprf_key_id: ${request.oprf_key_id}`);
  const { created_at, expires_at } = request;
  const isDead = Math.abs(Date.now() / 1000 - created_at) > 300 || expires_at * 1000 < Date.now();
  if (isDead || expires_at <= created_at || expires_at - created_at > 1800) throw new Error('times');
  requestKind(request);
  return request;
}

/** Kind of a request. Libraries of before August 2026 create a session by `create_session` without a session id. */
export function requestKind({ proof_type = 'uniqueness', session_id, action }: ProofRequest4): RequestKind {
  const [session, acts] = [session_id ?? undefined, (action ?? undefined) !== undefined];
  if (proof_type === 'uniqueness' && session === undefined && acts) return 'uniqueness';
  if (proof_type === 'uniqueness' && session === 'create' && acts) return 'bound';
  if (proof_type === 'create_session' && session === undefined && !acts) return 'create';
  if (proof_type === 'session' && session === 'create' && !acts) return 'create';
  if (proof_type === 'session' && session?.startsWith('session_') && !acts) return 'prove';
  throw new Error(`${proof_type} with session_id ${session_id} and action ${action}`);
}

/**
 * Recovers the address that signed a request, in lower case: the one that a node compares with the registered signer.
 * The signature of a session request covers no action.
 */
export function signerOf({ nonce, created_at, expires_at, action, signature }: ProofRequest4): string {
  const message = Buffer.concat([
    Buffer.from([1]),
    Buffer.from(nonce.slice(2), 'hex'),
    be32(BigInt(created_at)).subarray(24),
    be32(BigInt(expires_at)).subarray(24),
    Buffer.from(action?.slice(2) ?? '', 'hex'),
  ]);
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`);
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const point = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact')
    .addRecoveryBit((bytes[64] ?? 0) - 27)
    .recoverPublicKey(keccak_256(Buffer.concat([prefix, message])));
  return addressOf(point.toBytes(false));
}

/** Address of a key of 32 bytes, in lower case. */
export function signerAddress(key: Uint8Array): string {
  return addressOf(secp256k1.getPublicKey(key, false));
}

function addressOf(uncompressed: Uint8Array): string {
  return `0x${Buffer.from(keccak_256(uncompressed.subarray(1)).subarray(12)).toString('hex')}`;
}

/** The `rp_id` of a request as a number. */
export function rpNumber({ rp_id }: Pick<ProofRequest4, 'rp_id'>): bigint {
  return BigInt(`0x${rp_id.slice('rp_'.length)}`);
}
