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
const BAD_SESSION_ID = 'Invalid session ID: expected format session_<128 hex characters>';

/** Texts of a request that enter the statements of all its items. */
export interface SharedTexts {
  readonly nonce: string;
  /** Undefined for uniqueness proofs. */
  readonly sessionId: string | undefined;
}

/** Texts and numbers of an item. */
export interface Item4Values {
  readonly nullifier: string;
  /** The second word of a `session_nullifier`; not used for uniqueness proofs. */
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
  const { nonce, sessionId } = shared;
  const isSession = sessionId !== undefined;

  return (item) => {
    const bytes = Buffer.alloc(STATEMENT4_BYTES);
    const write = (text: string, offset: number): StatementFault | undefined =>
      writeNumber(text, bytes, offset) ? undefined : notANumber(text);
    const fault =
      (isSession ? undefined : write(item.nullifier, INPUT_AT.nullifier)) ??
      write(nonce, INPUT_AT.nonce) ??
      write(item.signalHash, INPUT_AT.signalHash) ??
      (isSession ? writeSession(sessionId, item, bytes) : undefined) ??
      writeProofWords(item.proof, write);
    if (fault !== undefined) return fault;
    bytes.writeBigUInt64BE(BigInt(item.issuerSchemaId), endOf(INPUT_AT.issuerSchemaId) - 8);
    bytes.writeBigUInt64BE(BigInt(item.expiresAtMin), endOf(INPUT_AT.expiresAtMin) - 8);
    bytes.writeBigUInt64BE(BigInt(item.genesisIssuedAtMin), endOf(INPUT_AT.genesisIssuedAtMin) - 8);
    bytes[endOf(INPUT_AT.depth) - 1] = TREE_DEPTH;
    return (isSession ? sessionFault(bytes) : undefined) ?? { bytes };
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

/** Writes the commitment of a session, and nullifier and action of the item; their order is that of the checks. */
function writeSession(
  sessionId: string,
  { nullifier, sessionAction }: Item4Values,
  bytes: Buffer,
): StatementFault | undefined {
  if (sessionId.startsWith(SESSION_PREFIX)) {
    if (!writeCommitment(sessionId.slice(SESSION_PREFIX.length), bytes)) {
      return { code: 'worldid_item.number', detail: BAD_SESSION_ID };
    }
  } else if (!writeNumber(sessionId, bytes, INPUT_AT.sessionCommitment)) {
    return notANumber(sessionId);
  }
  if (!writeNumber(nullifier, bytes, INPUT_AT.nullifier)) return notANumber(nullifier);
  if (!writeNumber(sessionAction, bytes, INPUT_AT.action)) return notANumber(sessionAction);
  return undefined;
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
function sessionFault(bytes: Buffer): StatementFault | undefined {
  if (bytes[INPUT_AT.action] !== SESSION_ACTION) return { code: 'worldid_item.action_domain' };
  const commitment = bytes.subarray(INPUT_AT.sessionCommitment, endOf(INPUT_AT.sessionCommitment));
  return commitment.some((byte) => byte !== 0) ? undefined : { code: 'worldid_item.commitment_zero' };
}

function endOf(offset: number): number {
  return offset + WORD_BYTES;
}

function notANumber(text: string): StatementFault {
  return { code: 'worldid_item.number', detail: `Cannot convert ${cutText(text)} to a BigInt` };
}
