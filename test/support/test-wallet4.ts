/**
 * A programmatic wallet of World ID 4.0: it opens requests of IDKit 4, refuses what a wallet would not parse, proves with
 * trapdoor-15 and answers in the forms that wallets send. Persons are texts; every person has one account, and a credential
 * of every issuer.
 */

import { randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { proveByTrapdoor } from '../../src/development/worldid4/prove.ts';
import { seedWorldId4 } from '../../src/development/worldid4/seed.ts';
import type { Store } from '../../src/storage/store.ts';
import { be32, fromBe, R } from './crypto/bn254.ts';
import { openRequest, type WalletPlaintext, type WalletRequest } from './test-wallet.ts';

/** Credential of an item, by its issuer. */
const IDENTIFIERS: Readonly<Record<number, string>> = {
  1: 'proof_of_human',
  11: 'selfie',
  9303: 'passport',
  9310: 'mnc',
};

/** Score in the credentials of Self Check. */
export const SYBIL_SCORE = 10n;

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
export type RequestKind = 'uniqueness' | 'create' | 'prove';

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

/** A request of IDKit 4 that the wallet has taken from the bridge. */
export interface WalletRequest4 extends Omit<WalletRequest, 'plaintext'> {
  readonly plaintext: Plaintext4;
}

/** One proof of an answer. */
export interface ResponseItem4 {
  readonly identifier: string;
  readonly issuer_schema_id: number;
  /** Five words in hex, without `0x`. */
  readonly proof: string;
  readonly expires_at_min: number;
  readonly nullifier?: string;
  readonly session_nullifier?: string;
  /** Elements of the credential of Self Check, the first of which is the score. */
  readonly claims?: readonly string[];
}

/** Answer of the protocol. */
export interface ProofResponse4 {
  readonly id: string;
  readonly version: 1;
  readonly session_id?: string;
  readonly error?: string;
  readonly responses: readonly ResponseItem4[];
}

/** Who answers, and how. */
export interface Answer4Options {
  /** By default `alice`. */
  readonly person?: string;
  /** Identifiers of the credentials that the person has; by default of every issuer. */
  readonly holds?: readonly string[];
  /** Whether a uniqueness proof is bound to a new session, which its answer names. */
  readonly isBound?: boolean;
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

const SESSION_ID = /^session_([0-9a-f]{64})(01[0-9a-f]{62})$/;

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

/** Fetches and parses the request of a connect URL, which a bridge serves once. */
export async function openRequest4(connectUrl: string): Promise<WalletRequest4> {
  const request = await openRequest(connectUrl);
  return { ...request, plaintext: parsePlaintext4(request.plaintext) };
}

/** Writes the state of all issuers and apps into the environment `staging` of a store. */
export async function addWallet4State(store: Store): Promise<void> {
  const apps = await store.apps.list();
  for (const issuer of Object.keys(IDENTIFIERS)) await seedWorldId4(store, issuer, apps, Date.now());
}

/** Identifiers to prove; undefined if the constraints cannot be satisfied. */
function selection(node: Constraint4, isHeld: (identifier: string) => boolean): string[] | undefined {
  if (typeof node === 'string') return isHeld(node) ? [node] : undefined;
  const [kind, children] = Object.entries(node)[0] as [string, readonly Constraint4[]];
  const parts = children.map((child) => selection(child, isHeld));
  const satisfied = parts.filter((part) => part !== undefined);
  if (kind === 'any') return satisfied[0];
  if (kind === 'all') return satisfied.length === parts.length ? satisfied.flat() : undefined;
  return satisfied.length > 0 ? satisfied.flat() : undefined;
}

/** Makes the answer to a request, with a true proof of each selected credential for its nonce, action and signal. */
export async function proveRequest4(
  request: ProofRequest4,
  store: Store,
  { person = 'alice', holds = Object.values(IDENTIFIERS), isBound = false }: Answer4Options = {},
): Promise<ProofResponse4> {
  const { id, version, proof_requests: items } = request;
  const all = { all: items.map(({ identifier }) => identifier) };
  const chosen = selection(request.constraints ?? all, (identifier) => holds.includes(identifier));
  if (chosen === undefined) return { id, version, error: 'credential_unavailable', responses: [] };
  const kind = requestKind(request);
  const session = kind === 'uniqueness' && !isBound ? undefined : sessionOf(request, person);
  if (session === null) return { id, version, error: 'session_mismatch', responses: [] };
  const statement = {
    request,
    // One OPRF output serves all items of an answer.
    nullifier:
      kind === 'uniqueness' ? derived(person, request.rp_id, request.action ?? '') : hash248(randomBytes(32)),
    action: kind === 'uniqueness' ? wordOf(request.action ?? '') : Buffer.from([2, ...randomBytes(31)]),
    commitment: session?.commitment ?? be32(0n),
    isSession: kind !== 'uniqueness',
  };
  const responses: ResponseItem4[] = [];
  for (const item of items.filter(({ identifier }) => chosen.includes(identifier)))
    responses.push(await proveItem(item, statement, store));
  return { id, version, ...(session ? { session_id: session.id } : {}), responses };
}

/** Session of a request, a new one unless it names one; null if it is the session of another person. */
function sessionOf({ rp_id, session_id }: ProofRequest4, person: string) {
  const [, wanted, given] = SESSION_ID.exec(session_id ?? '') ?? [];
  const seed = given ?? Buffer.from([1, ...randomBytes(31)]).toString('hex');
  const commitment = derived(person, rp_id, seed);
  const hex = commitment.toString('hex');
  if (wanted !== undefined && wanted !== hex) return null;
  return { id: `session_${hex}${seed}`, commitment };
}

interface Statement {
  readonly request: ProofRequest4;
  readonly nullifier: Uint8Array;
  readonly action: Uint8Array;
  readonly commitment: Uint8Array;
  readonly isSession: boolean;
}

async function proveItem(item: RequestItem4, statement: Statement, store: Store): Promise<ResponseItem4> {
  const { request, nullifier, action, commitment, isSession } = statement;
  const { identifier, issuer_schema_id, signal } = item;
  const roots = await store.roots.listCurrent();
  const root = roots.find(({ environment, tree }) => environment === 'staging' && tree === 'account')?.root;
  const issuer = await store.worldId4Keys.findIssuer('staging', String(issuer_schema_id));
  const oprf = await store.worldId4Keys.findOprfKey('staging', request.rp_id);
  if (!root || !issuer || !oprf)
    throw new Error(`no state for ${request.rp_id} and issuer ${issuer_schema_id}`);
  const expiresAtMin = item.expires_at_min ?? request.created_at;
  const inputs = [
    fromBe(nullifier),
    BigInt(issuer_schema_id),
    fromBe(issuer.x),
    fromBe(issuer.y),
    BigInt(expiresAtMin),
    BigInt(item.genesis_issued_at_min ?? 0),
    fromBe(root),
    30n,
    rpNumber(request),
    fromBe(action),
    fromBe(oprf.x),
    fromBe(oprf.y),
    signal === undefined || signal === null ? 0n : fromBe(hash248(Buffer.from(signal.slice(2), 'hex'))),
    BigInt(request.nonce),
    fromBe(commitment),
  ];
  const scalar = (): bigint => (fromBe(randomBytes(48)) % (R - 1n)) + 1n;
  const words = [...proveByTrapdoor(inputs, scalar(), scalar()), root];
  const hex = (...parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('hex');
  return {
    identifier,
    issuer_schema_id,
    proof: hex(...words),
    expires_at_min: expiresAtMin,
    ...(isSession
      ? { session_nullifier: `snil_${hex(nullifier, action)}` }
      : { nullifier: `nil_${hex(nullifier)}` }),
    ...(identifier === 'selfie' ? { claims: [`0x${hex(be32(SYBIL_SCORE))}`] } : {}),
  };
}

/** Keccak-256, shifted right by 8 bits (spec/worldid4.md#public-inputs). */
function hash248(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0]), keccak_256(bytes).subarray(0, 31)]);
}

/** A value that is always the same for a person, like an output of the OPRF. */
function derived(person: string, rpId: string, use: string): Buffer {
  return hash248(Buffer.from(`account of ${person}: ${rpId} ${use}`));
}

function wordOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

function rpNumber({ rp_id }: Pick<ProofRequest4, 'rp_id'>): bigint {
  return BigInt(`0x${rp_id.slice('rp_'.length)}`);
}
