import { Ajv2020, type ErrorObject, type SchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { ENVIRONMENTS, IDENTIFIERS } from '../../membership/roots/trees.ts';
import { hashSignal } from '../../semaphore/hashes.ts';
import { toHex } from '../../semaphore/hex.ts';

/** The protocol version of Semaphore proofs (spec/verification.md#request-fields). */
export const PROTOCOL_VERSION = '3.0';
/** The protocol version of World ID 4.0 proofs (spec/worldid4.md#request). */
export const PROTOCOL_VERSION_4 = '4.0';
/** The protocol versions of requests, each higher than the one before. */
export const PROTOCOL_VERSIONS: readonly string[] = [PROTOCOL_VERSION, PROTOCOL_VERSION_4];
/** Bounds of `max_age`, seconds; the upper one is also its default. */
export const MIN_MAX_AGE_SECONDS = 3600;
export const MAX_MAX_AGE_SECONDS = 604_800;

/** The `signal_hash` of an item without one: hash_signal of the empty text. */
export const DEFAULT_SIGNAL_HASH_TEXT: string = toHex(hashSignal(''));
/** Patterns of a `nullifier` and of a `signal_hash`. */
export const NULLIFIER_PATTERN = '^(?:0x)?[0-9a-fA-F]+$';
export const SIGNAL_HASH_PATTERN = '^0[xX][0-9a-fA-F]+$';
/** Maximum UTF-8 bytes of `action`, `action_description` and `nonce` each. */
export const TEXT_LIMIT_BYTES = 4096;

/** Checks a value and returns all errors; empty if the value fits. */
export type SchemaCheck = (value: unknown) => readonly ErrorObject[];

/** The two compiled schemas of a request: its own fields, and one item of `responses`. */
export interface RequestChecks {
  readonly body: SchemaCheck;
  readonly item: SchemaCheck;
}

/**
 * Returns the schema of the top level. Items have their own, so that only the first failing item is checked
 * completely.
 */
export function bodySchema(maxResponses: number): SchemaObject {
  return {
    type: 'object',
    required: ['protocol_version', 'nonce', 'responses'],
    properties: {
      protocol_version: { const: PROTOCOL_VERSION },
      nonce: { type: 'string', minLength: 1 },
      action: { type: 'string' },
      action_description: { type: ['string', 'number', 'boolean'] },
      min_protocol_version: { enum: [...PROTOCOL_VERSIONS] },
      environment: { enum: [...ENVIRONMENTS] },
      session_id: { type: 'string' },
      responses: { type: 'array', minItems: 1, maxItems: maxResponses },
    },
  };
}

/** Schema of one item of `responses`. */
export const ITEM_SCHEMA: SchemaObject = {
  type: 'object',
  required: ['identifier', 'merkle_root', 'nullifier', 'proof'],
  properties: {
    identifier: { enum: [...IDENTIFIERS] },
    merkle_root: { type: 'string', minLength: 1 },
    nullifier: { type: 'string', minLength: 1, pattern: NULLIFIER_PATTERN },
    proof: { type: 'string', minLength: 1 },
    signal_hash: { type: 'string', pattern: SIGNAL_HASH_PATTERN },
    max_age: { type: 'integer', minimum: MIN_MAX_AGE_SECONDS, maximum: MAX_MAX_AGE_SECONDS },
  },
};

/** Creates the check of a schema. The schema is compiled at first use, which shortens the start. */
export function schemaCheck(schema: SchemaObject, createAjv: () => Ajv2020): SchemaCheck {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= createAjv().compile(schema);
    return compiled(value) ? [] : (compiled.errors ?? []);
  };
}

/** Creates the checks, which neither coerce values nor change the body. */
export function createRequestChecks(maxResponses: number): RequestChecks {
  // strictNumbers is off: 1e400 parses to Infinity, which must count as a number over the maximum, not as
  // another type
  const modes = { allErrors: true, strict: true, strictNumbers: false, allowUnionTypes: true } as const;
  // Every length is 1, which units of UTF-16 show as well. With `unicode`, ajv counts the characters of each proof one by
  // one, which takes a quarter of the time to read a request. It calls the option deprecated, hence no logger.
  const lengths = { unicode: false, logger: false } as const;
  // The schemas are checked against their dialect by a test, not at each start.
  const createAjv = (): Ajv2020 => new Ajv2020({ ...modes, ...lengths, meta: false, validateSchema: false });
  return {
    body: schemaCheck(bodySchema(maxResponses), createAjv),
    item: schemaCheck(ITEM_SCHEMA, createAjv),
  };
}
