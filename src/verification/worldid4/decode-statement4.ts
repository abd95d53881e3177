import type { ProofKind } from '../../membership/worldid4/proofs4.ts';
import { writeHex } from '../../semaphore/hex.ts';
import { writeNumber } from '../../semaphore/words.ts';
import { cutText } from '../request/field-messages.ts';
import { INPUT_AT, STATEMENT4_BYTES, type Statement, type StatementFault } from '../request/request-types.ts';

const WORD_BYTES = 32;
/** Depth of the tree of accounts, for every root. */
const TREE_DEPTH = 30;
/** Domain of an action, in its top byte: separates session proofs from uniqueness proofs. */
const SESSION_ACTION = 0x02;
/** Number of words of a proof that are points; the root follows. */
const POINT_WORDS = 4;
const SESSION_PREFIX = 'session_';
const SESSION_DIGITS = 128;
const COMMITMENT_DIGITS = 64;
/** Top byte of the OPRF seed in a session id. */
const SEED_DOMAIN = '01';
const BAD_SESSION_ID = 'Invalid session ID: expected format session_<128 hex characters>';

/** Texts of a request that enter the statements of all its items. */
export interface SharedTexts {
  readonly kind: ProofKind;
  readonly nonce: string;
  /** Undefined for proofs of uniqueness that are not bound to a session. */
  readonly sessionId: string | undefined;
}

/** Texts and numbers of an item. */
export interface Item4Values {
  readonly nullifier: string;
  /** The second word of a `session_nullifier`; used for session proofs alone. */
  readonly sessionAction: string;
  /** A number below 2^64 in decimal digits. */
  readonly issuerSchemaId: string;
  readonly expiresAtMin: number;
  readonly genesisIssuedAtMin: number;
  readonly signalHash: string;
  /** Four words of compressed points, and the root. */
  readonly proof: readonly string[];
}

/**
 * Creates the decoder of the items of one request. It writes the values of item and request into the statement
 * (spec/worldid4.md#public-inputs); keys, relying party and action are added once the app is known. The first failing
 * check of spec/worldid4.md#items, number to session-commitment, decides.
 */
export function decodeStatement4(shared: SharedTexts): (item: Item4Values) => Statement | StatementFault {
  const { kind, nonce, sessionId } = shared;
  const isSession = kind === 'session';

  return (item) => {
    const bytes = Buffer.alloc(STATEMENT4_BYTES);
    const write = (text: string, offset: number): StatementFault | undefined =>
      writeNumber(text, bytes, offset) ? undefined : notANumber(text);
    const fault =
      (isSession ? undefined : write(item.nullifier, INPUT_AT.nullifier)) ??
      write(nonce, INPUT_AT.nonce) ??
      write(item.signalHash, INPUT_AT.signalHash) ??
      (sessionId === undefined ? undefined : writeSessionId(sessionId, kind, bytes)) ??
      (isSession ? write(item.nullifier, INPUT_AT.nullifier) : undefined) ??
      (isSession ? write(item.sessionAction, INPUT_AT.action) : undefined) ??
      writeProofWords(item.proof, write);
    if (fault !== undefined) return fault;
    bytes.writeBigUInt64BE(BigInt(item.issuerSchemaId), endOf(INPUT_AT.issuerSchemaId) - 8);
    bytes.writeBigUInt64BE(BigInt(item.expiresAtMin), endOf(INPUT_AT.expiresAtMin) - 8);
    bytes.writeBigUInt64BE(BigInt(item.genesisIssuedAtMin), endOf(INPUT_AT.genesisIssuedAtMin) - 8);
    bytes[endOf(INPUT_AT.depth) - 1] = TREE_DEPTH;
    if (isSession && bytes[INPUT_AT.action] !== SESSION_ACTION) return { code: 'worldid_item.action_domain' };
    if (sessionId !== undefined && isCommitmentZero(bytes)) return { code: 'worldid_item.commitment_zero' };
    return { bytes };
  };
}

function writeProofWords(
  proof: readonly string[],
  write: (text: string, offset: number) => StatementFault | undefined,
): StatementFault | undefined {
  for (const [index, word] of proof.entries()) {
    const fault = write(word, index < POINT_WORDS ? index * WORD_BYTES : INPUT_AT.root);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * Writes the commitment of a session. The proof does not show the rest of the id, its OPRF seed; but an id with another
 * domain is none that a wallet can prove later, so a relying party must not store it from a bound proof.
 */
function writeSessionId(sessionId: string, kind: ProofKind, bytes: Buffer): StatementFault | undefined {
  const isId = sessionId.startsWith(SESSION_PREFIX);
  if (!isId && kind === 'session') {
    return writeNumber(sessionId, bytes, INPUT_AT.sessionCommitment) ? undefined : notANumber(sessionId);
  }
  const digits = sessionId.slice(SESSION_PREFIX.length);
  if (!isId || !writeCommitment(digits, bytes))
    return { code: 'worldid_item.number', detail: BAD_SESSION_ID };
  const hasDomain = kind === 'session' || digits.startsWith(SEED_DOMAIN, COMMITMENT_DIGITS);
  return hasDomain ? undefined : { code: 'worldid_item.seed_domain' };
}

/** Writes the first half of the digits of a session id; the second half, the OPRF seed, enters no statement. */
function writeCommitment(digits: string, bytes: Buffer): boolean {
  return (
    digits.length === SESSION_DIGITS &&
    writeHex(digits, COMMITMENT_DIGITS, SESSION_DIGITS, new Uint8Array(WORD_BYTES)) &&
    writeHex(digits, 0, COMMITMENT_DIGITS, bytes, endOf(INPUT_AT.sessionCommitment))
  );
}

/** With commitment 0, any World ID meets the constraint of the session, so such a proof shows no continuity. */
function isCommitmentZero(bytes: Buffer): boolean {
  const commitment = bytes.subarray(INPUT_AT.sessionCommitment, endOf(INPUT_AT.sessionCommitment));
  return commitment.every((byte) => byte === 0);
}

function endOf(offset: number): number {
  return offset + WORD_BYTES;
}

function notANumber(text: string): StatementFault {
  return { code: 'worldid_item.number', detail: `Cannot convert ${cutText(text)} to a BigInt` };
}
