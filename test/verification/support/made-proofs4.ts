/** World ID 4.0 items with true proofs under trapdoor-15, for any values of a request and its state. */
import { randomBytes } from 'node:crypto';
import { encodeUtf8 } from '../../../src/bytes.ts';
import { proveByTrapdoor } from '../../../src/development/worldid4/prove.ts';
import { hashToField } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { numberOf } from '../../../src/semaphore/words.ts';
import type { Fields } from './vectors.ts';
import { WORLDID4 } from './worldid4.ts';

const DEPTH = 30n;

/** Keys and root under which the proofs hold, and the relying party that they are for. */
export interface State4 {
  readonly rpId: string;
  /** By issuer_schema_id. */
  readonly issuers: Readonly<Record<string, { readonly x: bigint; readonly y: bigint }>>;
  readonly oprf: { readonly x: bigint; readonly y: bigint };
  readonly root: bigint;
}

/** Values that a proof shows, besides those of the state. */
export interface Statement4 {
  readonly nullifier: bigint;
  readonly action: bigint;
  readonly nonce: bigint;
  readonly issuer: number;
  readonly signalHash: bigint;
  /** Seconds since the epoch. */
  readonly expiresAtMin: number;
  /** 0 without a session. */
  readonly commitment: bigint;
}

/** The state of the trapdoor cases. */
export function vectorState(rpId: string): State4 {
  const { issuers, oprf_keys: keys, roots } = WORLDID4.trapdoor.setup;
  const point = ({ x, y }: { readonly x: string; readonly y: string }): { x: bigint; y: bigint } => ({
    x: BigInt(x),
    y: BigInt(y),
  });
  const key = keys.find((row) => row.rp_id === rpId);
  const current = roots.find(({ seconds_ago: ago }) => ago === undefined);
  if (!key || !current) throw new Error(`no state for ${rpId}`);
  return {
    rpId,
    issuers: Object.fromEntries(issuers.map((row) => [row.issuer_schema_id, point(row)])),
    oprf: point(key),
    root: BigInt(current.root),
  };
}

/** Returns the five words of a true proof of a statement. */
export function proofWords4(state: State4, statement: Statement4): string[] {
  const issuer = state.issuers[statement.issuer];
  if (!issuer) throw new Error(`no issuer ${statement.issuer}`);
  const inputs = [
    statement.nullifier,
    BigInt(statement.issuer),
    issuer.x,
    issuer.y,
    BigInt(statement.expiresAtMin),
    0n,
    state.root,
    DEPTH,
    BigInt(`0x${state.rpId.slice('rp_'.length)}`),
    statement.action,
    state.oprf.x,
    state.oprf.y,
    statement.signalHash,
    statement.nonce,
    statement.commitment,
  ];
  const words = proveByTrapdoor(inputs, randomElement(), randomElement());
  return [...words.map(numberOf), state.root].map(hex);
}

/** Returns the members of an item that follow from a statement, without its nullifier. */
export function item4(state: State4, statement: Statement4): Fields {
  return {
    identifier: statement.issuer === 9303 ? 'passport' : 'proof_of_human',
    issuer_schema_id: statement.issuer,
    expires_at_min: statement.expiresAtMin,
    ...(statement.signalHash === 0n ? {} : { signal_hash: hex(statement.signalHash) }),
    proof: proofWords4(state, statement),
  };
}

/** Returns the field element of the action of uniqueness proofs. */
export function actionElement(action: string): bigint {
  return numberOf(hashToField(encodeUtf8(action)));
}

/** Returns a random field element, whose top byte is 0. */
export function randomElement(): bigint {
  return numberOf(hashToField(randomBytes(32)));
}

/** Returns the id of a session with this commitment, and a random OPRF seed whose top byte is `domain`. */
export function sessionIdOf(commitment: bigint, domain = 0x01): string {
  const seed = Buffer.from([domain, ...randomBytes(31)]);
  return `session_${hex(commitment).slice(2)}${seed.toString('hex')}`;
}

/** Returns a number as 0x and 64 hex digits. */
export function hex(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** Returns the hash of a signal as a number. */
export function signalElement(signal: string): bigint {
  return BigInt(toHex(hashToField(encodeUtf8(signal))));
}
