import { isObject } from '../../json.ts';
import { writeProof } from '../../membership/decode-proof.ts';
import { IDENTIFIERS, type Identifier, TREE_OF } from '../../membership/roots/trees.ts';
import { writeHex } from '../../semaphore/hex.ts';
import {
  DEFAULT_SIGNAL_HASH_TEXT,
  MAX_MAX_AGE_SECONDS,
  MIN_MAX_AGE_SECONDS,
  PROTOCOL_VERSION,
} from './request-schema.ts';
import { type RequestItem, STATEMENT_BYTES, type VerifyRequest3, WORD_AT } from './request-types.ts';

const IDENTIFIER_SET: ReadonlySet<unknown> = new Set(IDENTIFIERS);
const WORD_BYTES = 32;
const WORD_TEXT_LENGTH = 2 + WORD_BYTES * 2;

/**
 * Reads a parsed body of the shape of nearly all requests: it fits the schema, and its words are `0x` and 64
 * digits. Checks and decodes in one pass, which saves 4 µs per request over ajv and then decoding (test:
 * read-usual-request.test.ts compares both).
 *
 * @returns Undefined for any other body, valid or not.
 */
export function readUsualRequest(body: unknown, maxResponses: number): VerifyRequest3 | undefined {
  if (!isObject(body)) return undefined;
  const { action, action_description: actionDescription = '', environment = 'production' } = body;
  const { responses, session_id: session = '', min_protocol_version: floor } = body;
  const isUsual =
    body.protocol_version === PROTOCOL_VERSION &&
    isText(body.nonce) &&
    isText(action) &&
    typeof actionDescription === 'string' &&
    (environment === 'production' || environment === 'staging') &&
    session === '' &&
    (floor === undefined || floor === PROTOCOL_VERSION) &&
    Array.isArray(responses) &&
    responses.length > 0 &&
    responses.length <= maxResponses;
  if (!isUsual) return undefined;
  const items = responses.map(readUsualItem);
  if (!items.every((item) => item !== undefined)) return undefined;
  const bundledBody = body.integrity_bundle === undefined ? undefined : body;
  return {
    protocol: PROTOCOL_VERSION,
    kind: 'uniqueness',
    action,
    actionDescription,
    environment,
    items,
    bundledBody,
  };
}

function readUsualItem(item: unknown): RequestItem | undefined {
  if (!isObject(item)) return undefined;
  const { identifier, nullifier, proof, max_age: maxAgeSeconds = MAX_MAX_AGE_SECONDS } = item;
  const { merkle_root: merkleRoot, signal_hash: signalHash = DEFAULT_SIGNAL_HASH_TEXT } = item;
  const bytes = Buffer.allocUnsafe(STATEMENT_BYTES);
  const isUsual =
    IDENTIFIER_SET.has(identifier) &&
    isAge(maxAgeSeconds) &&
    isWordAt(nullifier, bytes, WORD_AT.nullifier) &&
    isWordAt(merkleRoot, bytes, WORD_AT.root) &&
    isWordAt(signalHash, bytes, WORD_AT.signalHash) &&
    typeof proof === 'string' &&
    writeProof(proof, bytes);
  if (!isUsual) return undefined;
  const tree = TREE_OF[identifier as Identifier];
  return { identifier: identifier as Identifier, tree, nullifier, maxAgeSeconds, statement: { bytes } };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isAge(value: unknown): value is number {
  return (
    Number.isInteger(value) && Number(value) >= MIN_MAX_AGE_SECONDS && Number(value) <= MAX_MAX_AGE_SECONDS
  );
}

/** Whether a value is a word of full length, which is then at the offset of the target. */
function isWordAt(value: unknown, target: Uint8Array, offset: number): value is string {
  return (
    typeof value === 'string' &&
    value.length === WORD_TEXT_LENGTH &&
    value.startsWith('0x') &&
    writeHex(value, 2, WORD_TEXT_LENGTH, target, offset + WORD_BYTES)
  );
}
