import { createHash, randomBytes } from 'node:crypto';
import { bn254, bn254_Fr as Fr } from '@noble/curves/bn254.js';
import { encodeUtf8 } from '../../bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { hashSignal, hashToField } from '../../semaphore/hashes.ts';
import { toHex } from '../../semaphore/hex.ts';
import { numberOf, wordOf } from '../../semaphore/words.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { Bytes32 } from '../../storage/values.ts';
import { ENVIRONMENT, findTrapdoorRoot, type StateTables, TRAPDOOR_KEY } from './seed.ts';

const { Fp } = bn254.fields;
const { BASE: G1 } = bn254.G1.Point;
const { BASE: G2 } = bn254.G2.Point;
/** p ≡ 3 mod 4, so this power of a square is a square root of it. */
const ROOT_EXPONENT = (Fp.ORDER + 1n) / 4n;
// The constant 3/(9 + u) of the twist is 27/82 − (3/82)·u (EIP-197).
const TWIST_C0 = Fp.div(27n, 82n);
const TWIST_C1 = Fp.div(3n, 82n);

interface Fp2 {
  readonly c0: bigint;
  readonly c1: bigint;
}

/** Returns a secret scalar of the key by name (spec/verification.md#known-trapdoor-key). */
function trapdoorScalar(name: string): bigint {
  return Fr.create(numberOf(createHash('sha256').update(`proofgate-test-trapdoor-v1:${name}`).digest()));
}

/**
 * Makes a proof for any public inputs with three scalar multiplications, since the scalars of the key are public.
 *
 * @param inputs - Each below the scalar order r.
 * @param a - Not 0 modulo r, as is `b`; other scalars yield another proof for the same inputs.
 * @returns The four words of the compressed proof (spec/verification.md#compressed-proofs), 32 bytes each.
 */
export function proveByTrapdoor(inputs: readonly bigint[], a: bigint, b: bigint): Uint8Array[] {
  const inputSum = inputs.reduce(
    (sum, input, index) => sum + input * trapdoorScalar(`ic${index + 1}`),
    trapdoorScalar('ic0'),
  );
  const fixed = trapdoorScalar('alpha') * trapdoorScalar('beta') + trapdoorScalar('gamma') * inputSum;
  const c = Fr.div(Fr.create(a * b - fixed), trapdoorScalar('delta'));
  const pointB = G2.multiply(Fr.create(b)).toAffine();
  return [
    compressG1(G1.multiply(Fr.create(a)).toAffine()),
    ...compressG2(pointB.x, pointB.y),
    compressG1(G1.multiply(c).toAffine()),
  ].map(wordOf);
}

function compressG1({ x, y }: { readonly x: bigint; readonly y: bigint }): bigint {
  const root = squareRoot(Fp.add(Fp.pow(x, 3n), 3n));
  return (x << 1n) | (root === y ? 0n : 1n);
}

/** Returns the words of the imaginary and of the real part. */
function compressG2(x: Fp2, y: Fp2): [bigint, bigint] {
  const n = Fp.mul(Fp.mul(x.c0, x.c1), Fp.ORDER - 3n);
  const y0 = Fp.add(Fp.add(TWIST_C0, Fp.pow(x.c0, 3n)), Fp.mul(n, x.c1));
  const y1 = Fp.neg(Fp.add(Fp.add(TWIST_C1, Fp.pow(x.c1, 3n)), Fp.mul(n, x.c0)));
  const norm = squareRoot(Fp.add(Fp.sqr(y0), Fp.sqr(y1))) ?? 0n;
  const half = (d: bigint): bigint | undefined => squareRoot(Fp.div(Fp.add(y0, d), 2n));
  const unhinted = half(norm);
  const root = unhinted ?? half(Fp.neg(norm));
  const hint = unhinted === undefined ? 1n : 0n;
  return [x.c1, (x.c0 << 2n) | (hint << 1n) | (root === y.c0 ? 0n : 1n)];
}

function squareRoot(value: bigint): bigint | undefined {
  const root = Fp.pow(value, ROOT_EXPONENT);
  return Fp.eql(Fp.sqr(root), value) ? root : undefined;
}

/** Depth of the tree of World ID 4.0, a public input. */
const DEPTH = 30n;
/** First byte of a session action; 0 for other actions (spec/worldid4.md#public-inputs). */
const SESSION_BYTE = 0x02;
/** First byte of the OPRF seed in a session id. */
const SEED_BYTE = 0x01;
const SESSION_ID = /^session_([0-9a-fA-F]{64})[0-9a-fA-F]{64}$/;
/** Time until a credential of development expires. */
export const VALIDITY_MS: number = 365 * 86_400_000;

/** The part of the engine that checks a proof before it is returned. */
export type ProofCheck4 = Pick<Engine, 'verify'>;

/** Action of a uniqueness proof. */
interface ActionPurpose {
  readonly action: string;
}

/** Session to continue; a new one if its id is undefined. */
interface SessionPurpose {
  readonly sessionId: string | undefined;
}

/** Statement of a proof of World ID 4.0. */
export interface Proof4Input {
  readonly app: Pick<AppRow, 'rpId'>;
  /** The issuer of the credential, in decimal digits. */
  readonly issuerSchemaId: string;
  readonly identifier: string;
  /** Both for a uniqueness proof that is bound to the session. */
  readonly purpose: ActionPurpose | SessionPurpose | (ActionPurpose & SessionPurpose);
  /** `hashSignal` takes it. */
  readonly signal?: string | Uint8Array;
  /** If absent, derived from app, action and a fictitious person, or random without an action. */
  readonly nullifier?: Bytes32;
  /** Action in the statement: the hash of that of the purpose if absent, random in a session proof (first byte 2). */
  readonly provenAction?: Bytes32;
  /** Random if absent. */
  readonly nonce?: Bytes32;
  /** Seconds since the epoch; in a year if absent. */
  readonly expiresAtMin?: number;
  /** Seconds since the epoch; 0 if absent. */
  readonly genesisIssuedAtMin?: number;
}

/** One proof of a request. */
export interface Request4Item {
  readonly identifier: string;
  readonly issuer_schema_id: number | string;
  readonly nullifier?: string;
  readonly session_nullifier?: readonly [nullifier: string, action: string];
  readonly signal_hash?: string;
  /** Seconds since the epoch. */
  readonly expires_at_min: number;
  readonly proof: readonly string[];
}

/** A body for `POST /api/v4/verify/{rp_id}` (spec/worldid4.md#request), of the environment `staging`. */
export interface Request4 {
  readonly protocol_version: '4.0';
  readonly nonce: string;
  readonly action?: string;
  readonly proof_type?: 'uniqueness';
  readonly session_id?: string;
  readonly environment: 'staging';
  readonly responses: readonly Request4Item[];
}

/**
 * Makes a request with one proof under the key trapdoor-15, for a credential that expires in a year.
 *
 * @param engine - Checks the proof; it must have the key.
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `development.no_seed` if root or keys are absent, `cli.usage` for a session id
 */
export async function proveWorldId4(
  input: Proof4Input,
  tables: StateTables,
  engine: ProofCheck4,
  now: number,
): Promise<Request4> {
  const { app, issuerSchemaId, signal } = input;
  const state = await stateOf(tables, issuerSchemaId, app.rpId);
  const nonce = input.nonce ?? hashToField(randomBytes(32));
  const expiresAtMin = input.expiresAtMin ?? Math.floor((now + VALIDITY_MS) / 1000);
  const signalHash = signal === undefined ? undefined : hashSignal(signal);
  const { nullifier, action } = actionOf(input);
  const sessionId = sessionIdOf(input);
  const isBound = 'action' in input.purpose && sessionId !== undefined;
  const inputs = Buffer.concat([
    nullifier,
    wordOf(BigInt(issuerSchemaId)),
    state.issuer.x,
    state.issuer.y,
    wordOf(BigInt(expiresAtMin)),
    wordOf(BigInt(input.genesisIssuedAtMin ?? 0)),
    state.root,
    wordOf(DEPTH),
    wordOf(BigInt(`0x${app.rpId.slice('rp_'.length)}`)),
    action,
    state.oprf.x,
    state.oprf.y,
    signalHash ?? wordOf(0n),
    nonce,
    sessionId === undefined ? wordOf(0n) : commitmentIn(sessionId),
  ]);
  const [a, b] = [numberOf(randomElement()), numberOf(randomElement())];
  const words = proveByTrapdoor(wordsIn(inputs), a, b);
  const { ok } = await engine.verify(TRAPDOOR_KEY, Buffer.concat([...words, new Uint8Array(128)]), inputs);
  if (!ok) throw new Error(`the proof does not hold under ${TRAPDOOR_KEY}`);
  const item: Request4Item = {
    identifier: input.identifier,
    issuer_schema_id: jsonInteger(issuerSchemaId),
    ...('action' in input.purpose
      ? { nullifier: toHex(nullifier) }
      : { session_nullifier: [toHex(nullifier), toHex(action)] }),
    ...(signalHash === undefined ? {} : { signal_hash: toHex(signalHash) }),
    expires_at_min: expiresAtMin,
    proof: [...words, state.root].map(toHex),
  };
  return {
    protocol_version: '4.0',
    nonce: toHex(nonce),
    ...('action' in input.purpose ? { action: input.purpose.action } : {}),
    ...(isBound ? { proof_type: 'uniqueness' } : {}),
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    environment: ENVIRONMENT,
    responses: [item],
  };
}

/** Returns nullifier and action of a proof. */
function actionOf({ app, purpose, nullifier, provenAction }: Proof4Input): {
  readonly nullifier: Bytes32;
  readonly action: Bytes32;
} {
  if ('action' in purpose) {
    const { action } = purpose;
    const derived = encodeUtf8(`proofgate development nullifier of one person: ${app.rpId} ${action}`);
    return {
      nullifier: nullifier ?? hashToField(derived),
      action: provenAction ?? hashToField(encodeUtf8(action)),
    };
  }
  return {
    nullifier: nullifier ?? randomElement(),
    action: provenAction ?? randomSessionAction(),
  };
}

/** Returns an action for a session proof. */
export function randomSessionAction(): Bytes32 {
  return Buffer.from([SESSION_BYTE, ...randomBytes(31)]);
}

/** Returns the session of a proof; undefined if it has none. */
function sessionIdOf({ purpose }: Proof4Input): string | undefined {
  return 'sessionId' in purpose ? (purpose.sessionId ?? newSessionId()) : undefined;
}

function commitmentIn(sessionId: string): Bytes32 {
  const [, commitment] = SESSION_ID.exec(sessionId) ?? [];
  if (commitment === undefined) {
    throw new ServiceError('cli.usage', '--session: expected session_ and 128 hex digits, or no value');
  }
  return Buffer.from(commitment, 'hex');
}

function newSessionId(): string {
  return sessionIdFrom(randomElement(), randomSessionSeed());
}

/** Returns the second half of a session id, from which an account derives the secret of the commitment. */
export function randomSessionSeed(): Bytes32 {
  return Buffer.from([SEED_BYTE, ...randomBytes(31)]);
}

/** Joins the halves of a session id. */
export function sessionIdFrom(commitment: Bytes32, seed: Bytes32): string {
  return `session_${Buffer.concat([commitment, seed]).toString('hex')}`;
}

/** Returns a random element of the scalar field. */
function randomElement(): Bytes32 {
  return hashToField(randomBytes(32));
}

interface State {
  readonly root: Bytes32;
  readonly issuer: { readonly x: Bytes32; readonly y: Bytes32 };
  readonly oprf: { readonly x: Bytes32; readonly y: Bytes32 };
}

async function stateOf(
  { roots, worldId4Keys }: StateTables,
  issuerSchemaId: string,
  rpId: string,
): Promise<State> {
  const missing = (what: string): ServiceError =>
    new ServiceError('development.no_seed', `${ENVIRONMENT} has no ${what}`);
  const root = await findTrapdoorRoot(roots);
  if (root === undefined) throw missing(`current root of tree account for the key ${TRAPDOOR_KEY}`);
  const issuer = await worldId4Keys.findIssuer(ENVIRONMENT, issuerSchemaId);
  if (issuer === undefined) throw missing(`key of issuer ${issuerSchemaId}`);
  const oprf = await worldId4Keys.findOprfKey(ENVIRONMENT, rpId);
  if (oprf === undefined) throw missing(`OPRF key of ${rpId}`);
  return { root: root.root, issuer, oprf };
}

function wordsIn(inputs: Uint8Array): bigint[] {
  return Array.from({ length: inputs.length / 32 }, (_, index) =>
    numberOf(inputs.subarray(32 * index, 32 * index + 32)),
  );
}

/** Returns an integer for JSON: as text if a double cannot represent it. */
function jsonInteger(digits: string): number | string {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : digits;
}
