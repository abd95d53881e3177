/**
 * A programmatic wallet of World ID 4.0: it opens requests of IDKit 4, proves with trapdoor-15 and answers in the forms that wallets send. Persons are texts; every person has one account, and a credential
 * of every issuer.
 */

import { randomBytes } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { proveByTrapdoor } from '../../src/development/worldid4/prove.ts';
import { seedWorldId4 } from '../../src/development/worldid4/seed.ts';
import type { Store } from '../../src/storage/store.ts';
import { be32, fromBe, R } from './crypto/bn254.ts';
import {
  type Constraint4,
  IDENTIFIERS,
  type Plaintext4,
  type ProofRequest4,
  parsePlaintext4,
  type RequestItem4,
  requestKind,
  rpNumber,
  SESSION_ID,
} from './proof-request4.ts';
import { openRequest, type WalletRequest } from './test-wallet.ts';

/** Score in the credentials of Self Check. */
export const SYBIL_SCORE = 10n;

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
  const isUnique = kind === 'uniqueness' || kind === 'bound';
  const session = kind === 'uniqueness' && !isBound ? undefined : sessionOf(request, person);
  if (session === null) return { id, version, error: 'session_mismatch', responses: [] };
  const statement = {
    request,
    // One OPRF output serves all items of an answer.
    nullifier: isUnique ? derived(person, request.rp_id, request.action ?? '') : hash248(randomBytes(32)),
    action: isUnique ? wordOf(request.action ?? '') : Buffer.from([2, ...randomBytes(31)]),
    commitment: session?.commitment ?? be32(0n),
    isSession: !isUnique,
  };
  const responses: ResponseItem4[] = [];
  for (const item of items.filter(({ identifier }) => chosen.includes(identifier)))
    responses.push(await proveItem(item, statement, store));
  return { id, version, ...(session ? { session_id: session.id } : {}), responses };
}

/** Whether a session is one that a person can prove. */
export function ownsSession(person: string, rpId: string, sessionId: string): boolean {
  const [, commitment, seed] = SESSION_ID.exec(sessionId) ?? [];
  return seed !== undefined && derived(person, rpId, seed).toString('hex') === commitment;
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
