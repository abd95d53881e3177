import { encodeUtf8 } from '../../bytes.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { Proof4, ProofKind } from '../../membership/worldid4/proofs4.ts';
import { hashToField } from '../../semaphore/hashes.ts';
import { toHex } from '../../semaphore/hex.ts';
import { decodeWord, isBelowScalarOrder } from '../../semaphore/words.ts';
import type { Ask } from './proof-request.ts';

/** Answer of a wallet: the proof of World ID 3.0, or the response of World ID 4.0. */
export type WalletAnswer =
  | { readonly protocol: '3.0'; readonly proof: JsonObject }
  | { readonly protocol: '4.0'; readonly response: JsonObject };

/** Proofs of a response that has the form of its request. */
export interface ReadResponse {
  readonly kind: ProofKind;
  readonly proofs: readonly Proof4[];
  /** The nullifier of all proofs: 32 bytes; random for a session. */
  readonly nullifier: Uint8Array;
  /** `session_` and 128 hex digits: the new session, or the proven one. */
  readonly sessionId: string | undefined;
}

/** Kind of the proofs that answer each plan. */
const KINDS: Readonly<Record<Ask['kind'], ProofKind>> = {
  bound: 'bound',
  create: 'session',
  pair: 'uniqueness',
  prove: 'session',
};
const PROOF = /^[0-9a-f]{320}$/;
const NULLIFIER = /^nil_([0-9a-f]{64})$/;
const SESSION_NULLIFIER = /^snil_([0-9a-f]{64})([0-9a-f]{64})$/;
/** The second half, the OPRF seed, begins with 0x01. */
const SESSION_ID = /^session_([0-9a-f]{64})(01[0-9a-f]{62})$/;
const WORD_DIGITS = 64;

/** Tells which version of World ID an answer is of, in the forms that IDKit 4 reads. */
export function answerOf(plaintext: JsonObject): WalletAnswer {
  const { proof_response: wrapped, legacy_responses: legacy } = plaintext;
  if (isObject(wrapped)) return { protocol: '4.0', response: wrapped };
  if (Array.isArray(plaintext.responses)) return { protocol: '4.0', response: plaintext };
  const [first] = Array.isArray(legacy) ? (legacy as unknown[]) : [];
  return { protocol: '3.0', proof: isObject(first) ? first : plaintext };
}

/**
 * Reads a response by the rules of the protocol: it repeats the request, each of its items answers another one that was
 * asked for, and it has a session exactly where one was asked for.
 *
 * @param signal - Of the request, not hashed.
 * @returns Undefined for any other response.
 */
export function readResponse(
  { id, version, session_id: sentSession, responses }: JsonObject,
  ask: Ask,
  signal: string,
): ReadResponse | undefined {
  const session = sentSession ?? undefined;
  if (id !== ask.id || version !== 1 || !isSessionOf(session, ask)) return undefined;
  if (!Array.isArray(responses) || responses.length === 0 || responses.length > ask.credentials.length) {
    return undefined;
  }
  const signalHash = toHex(hashToField(encodeUtf8(signal)));
  const proofs: Proof4[] = [];
  for (const item of responses as unknown[]) {
    const proof = isObject(item) ? readItem(item, ask, signalHash) : undefined;
    if (proof === undefined || proofs.some(({ identifier }) => identifier === proof.identifier)) {
      return undefined;
    }
    proofs.push(proof);
  }
  const nullifier = decodeWord(proofs[0]?.nullifier ?? '');
  if (nullifier === undefined || !isBelowScalarOrder(nullifier)) return undefined;
  return { kind: KINDS[ask.kind], proofs, nullifier, sessionId: session as string | undefined };
}

function isSessionOf(sent: unknown, { kind, sessionId }: Ask): boolean {
  if (kind === 'pair') return sent === undefined;
  if (kind === 'prove') return sent === sessionId;
  const [, ...halves] = (typeof sent === 'string' ? SESSION_ID.exec(sent) : null) ?? [];
  return halves.length === 2 && halves.every(isWord);
}

function isWord(digits: string): boolean {
  const word = decodeWord(digits);
  return word !== undefined && isBelowScalarOrder(word);
}

function readItem(item: JsonObject, ask: Ask, signalHash: string): Proof4 | undefined {
  const { identifier, issuer_schema_id: issuer, proof, expires_at_min: expiresAtMin } = item;
  const asked = ask.credentials.find((credential) => credential.identifier === identifier);
  if (asked === undefined || String(issuer) !== asked.issuerSchemaId) return undefined;
  if (typeof proof !== 'string' || !PROOF.test(proof) || expiresAtMin !== ask.createdAt) return undefined;
  const isSession = KINDS[ask.kind] === 'session';
  const text = isSession ? item.session_nullifier : item.nullifier;
  const [, nullifier, sessionAction = ''] =
    (typeof text === 'string' ? (isSession ? SESSION_NULLIFIER : NULLIFIER).exec(text) : null) ?? [];
  if (nullifier === undefined) return undefined;
  return {
    ...asked,
    nullifier: `0x${nullifier}`,
    sessionAction: isSession ? `0x${sessionAction}` : '',
    expiresAtMin,
    signalHash,
    words: Array.from(
      { length: proof.length / WORD_DIGITS },
      (_, index) => `0x${proof.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS)}`,
    ),
  };
}
