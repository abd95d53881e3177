import { isObject } from '../../json.ts';
import { IDENTIFIERS } from '../../membership/roots/trees.ts';
import {
  MAX_MAX_AGE_SECONDS,
  MIN_MAX_AGE_SECONDS,
  NULLIFIER_PATTERN,
  PROTOCOL_VERSION,
  SIGNAL_HASH_PATTERN,
} from './request-schema.ts';

type Fields = Readonly<Record<string, unknown>>;

const NULLIFIER = new RegExp(NULLIFIER_PATTERN);
const SIGNAL_HASH = new RegExp(SIGNAL_HASH_PATTERN);
const IDENTIFIER_SET: ReadonlySet<unknown> = new Set(IDENTIFIERS);

/**
 * Whether a parsed body has the shape of nearly all requests, which fits the schema, so that ajv need not
 * check it (test: request-shape.test.ts compares both). Saves 2 µs per request; a false result says nothing
 * about the body.
 */
export function hasUsualShape(body: unknown, maxResponses: number): body is Fields {
  if (!isObject(body)) return false;
  const { action_description: description = '', environment = 'production', session_id: session = '' } = body;
  const { responses } = body;
  return (
    body.protocol_version === PROTOCOL_VERSION &&
    isText(body.nonce) &&
    isText(body.action) &&
    typeof description === 'string' &&
    (environment === 'production' || environment === 'staging') &&
    session === '' &&
    Array.isArray(responses) &&
    responses.length > 0 &&
    responses.length <= maxResponses &&
    responses.every(isUsualItem)
  );
}

function isUsualItem(item: unknown): boolean {
  if (!isObject(item)) return false;
  const { nullifier, signal_hash: signalHash, max_age: maxAge = MAX_MAX_AGE_SECONDS } = item;
  return (
    IDENTIFIER_SET.has(item.identifier) &&
    isText(item.merkle_root) &&
    isText(item.proof) &&
    typeof nullifier === 'string' &&
    NULLIFIER.test(nullifier) &&
    (signalHash === undefined || (typeof signalHash === 'string' && SIGNAL_HASH.test(signalHash))) &&
    Number.isInteger(maxAge) &&
    (maxAge as number) >= MIN_MAX_AGE_SECONDS &&
    (maxAge as number) <= MAX_MAX_AGE_SECONDS
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
