import { Ajv2020, type SchemaObject } from 'ajv/dist/2020.js';
import type { ProofType } from '../../membership/worldid4/proofs4.ts';
import {
  bodySchema,
  NULLIFIER_PATTERN,
  PROTOCOL_VERSION_4,
  type SchemaCheck,
  schemaCheck,
} from '../request/request-schema.ts';

/** Values of `proof_type`. */
export const PROOF_TYPES: readonly ProofType[] = ['uniqueness', 'session'];

/** Words of a `proof`, and of a `session_nullifier`. */
export const PROOF_WORDS = 5;
export const SESSION_NULLIFIER_WORDS = 2;

const MAX_SAFE_TEXT = String(Number.MAX_SAFE_INTEGER);
const MAX_U64_TEXT = '18446744073709551615';
const DECIMAL_PATTERN = '^(?:0|[1-9][0-9]*)$';
const DECIMAL = new RegExp(DECIMAL_PATTERN);
/** Keyword of a schema: the largest number that a decimal text may be. */
const DECIMAL_MAXIMUM = 'x-decimal-maximum';

/** A whole number from 0, as a JSON number up to 2^53 − 1 or as decimal text up to `maxText`. */
function wholeNumber(maxText: string): SchemaObject {
  return {
    type: ['integer', 'string'],
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    pattern: DECIMAL_PATTERN,
    [DECIMAL_MAXIMUM]: maxText,
  };
}

// A tuple, so that the elements of an array that is too long are not all checked.
function texts(count: number): SchemaObject {
  const element = { type: 'string', minLength: 1 };
  return { type: 'array', prefixItems: new Array(count).fill(element), minItems: count, maxItems: count };
}

/** Returns the schema of the top level (spec/worldid4.md#request); items have their own. */
export function body4Schema(maxResponses: number): SchemaObject {
  const { properties, ...rest } = bodySchema(maxResponses);
  return {
    ...rest,
    properties: {
      ...properties,
      protocol_version: { const: PROTOCOL_VERSION_4 },
      proof_type: { enum: [...PROOF_TYPES] },
    },
  };
}

/** Returns the schema of one item of `responses`. */
export function item4Schema(type: ProofType): SchemaObject {
  const nullifier: SchemaObject =
    type === 'session'
      ? { session_nullifier: texts(SESSION_NULLIFIER_WORDS) }
      : { nullifier: { type: 'string', minLength: 1, pattern: NULLIFIER_PATTERN } };
  return {
    type: 'object',
    required: ['identifier', 'issuer_schema_id', ...Object.keys(nullifier), 'expires_at_min', 'proof'],
    properties: {
      identifier: { type: 'string', minLength: 1 },
      signal_hash: { type: 'string', pattern: '^0x[0-9a-f]+$' },
      issuer_schema_id: wholeNumber(MAX_U64_TEXT),
      ...nullifier,
      expires_at_min: wholeNumber(MAX_SAFE_TEXT),
      credential_genesis_issued_at_min: wholeNumber(MAX_SAFE_TEXT),
      proof: texts(PROOF_WORDS),
      sybil_score: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    },
  };
}

/** Compiled schemas of a 4.0 request: its own fields, and one item of each type. */
export interface Request4Checks extends Readonly<Record<ProofType, SchemaCheck>> {
  readonly body: SchemaCheck;
}

/** Creates the checks, which neither coerce values nor change the body. */
export function createRequest4Checks(maxResponses: number): Request4Checks {
  return {
    body: schemaCheck(body4Schema(maxResponses), createAjv4),
    uniqueness: schemaCheck(item4Schema('uniqueness'), createAjv4),
    session: schemaCheck(item4Schema('session'), createAjv4),
  };
}

// The schemas are checked against their dialect by a test, not at each start.
function createAjv4(): Ajv2020 {
  const modes = { allErrors: true, strict: true, strictNumbers: false, strictTuples: false } as const;
  const ajv = new Ajv2020({ ...modes, allowUnionTypes: true, meta: false, validateSchema: false });
  ajv.addKeyword({
    keyword: DECIMAL_MAXIMUM,
    type: 'string',
    validate: (max: string, text: string) => !DECIMAL.test(text) || isAtMost(text, max),
  });
  return ajv;
}

/** Compares decimal texts without leading zeros. */
function isAtMost(text: string, max: string): boolean {
  return text.length < max.length || (text.length === max.length && text <= max);
}
