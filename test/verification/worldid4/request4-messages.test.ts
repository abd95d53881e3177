// Rules: spec/worldid4.md#messages
import { describe, expect, it } from 'vitest';
import { isServiceError } from '../../../src/errors/service-error.ts';
import { createRequestParser } from '../../../src/verification/request/parse-request.ts';
import { RULES4 } from '../support/issuer-lists.ts';
import { bytes, type Fields } from '../support/vectors.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const parse = createRequestParser(64, RULES4);

const ITEM: Fields = {
  identifier: 'proof_of_human',
  issuer_schema_id: 1,
  nullifier: '0x1',
  expires_at_min: 4102444800,
  proof: ['0x1', '0x2', '0x3', '0x4', '0x5'],
};
const SESSION_ITEM: Fields = { ...ITEM, nullifier: undefined, session_nullifier: ['0x1', '0x2'] };
const body = (changes: Fields = {}): Fields => ({
  protocol_version: '4.0',
  nonce: '0x1',
  action: 'vote',
  responses: [ITEM],
  ...changes,
});
const sessionBody = (changes: Fields = {}): Fields => ({
  ...body({ action: undefined, session_id: '5', responses: [SESSION_ITEM] }),
  ...changes,
});
const uniqueness = (changes: Fields): Fields => body({ responses: [{ ...ITEM, ...changes }] });
const session = (changes: Fields): Fields => sessionBody({ responses: [{ ...SESSION_ITEM, ...changes }] });

/** Returns detail and attribute of the refusal, or undefined if the body is accepted. */
function refusal(value: unknown): readonly [string, string | undefined] | undefined {
  try {
    parse(bytes(value));
    return undefined;
  } catch (error) {
    if (!isServiceError(error, 'verify.schema')) throw error;
    return [error.message, error.details.path];
  }
}

const NAN = (field: string, shown: string): string =>
  `${field} must be a \`number\` type, but the final value was: \`NaN\` (cast from the value \`${shown}\`).`;
const WRONG = (field: string, type: string, shown: string): string =>
  `${field} must be a \`${type}\` type, but the final value was: \`${shown}\`.`;
const BAD_NULLIFIER = 'Invalid nullifier. Must be a hex string with optional 0x prefix.';
const NO_NULLIFIER = 'nullifier is required for v4 uniqueness proofs';
const NO_SESSION_NULLIFIER = 'session_nullifier is required for session proofs';
const PROOF_LENGTH = 'proof must have exactly 5 elements';
const PAIR_LENGTH = 'session_nullifier must have exactly 2 elements [nullifier, action]';

describe('messages of an item', () => {
  it.each<readonly [Fields, string]>([
    [{ identifier: '' }, 'identifier is required'],
    [{ identifier: null }, 'identifier is required'],
    [{ identifier: 5 }, WRONG('identifier', 'string', '5')],
    [{ signal_hash: '0xAB' }, 'Invalid signal_hash.'],
    [{ signal_hash: '0x' }, 'Invalid signal_hash.'],
    [{ signal_hash: '0X1' }, 'Invalid signal_hash.'],
    [{ signal_hash: '' }, 'Invalid signal_hash.'],
    [{ signal_hash: 5 }, 'Invalid signal_hash.'],
    [{ signal_hash: null }, 'signal_hash cannot be null'],
    [{ credential_genesis_issued_at_min: null }, 'credential_genesis_issued_at_min cannot be null'],
    [{ issuer_schema_id: null }, 'issuer_schema_id is required for v4'],
    [{ expires_at_min: null }, 'expires_at_min is required for v4'],
    [{ nullifier: null }, NO_NULLIFIER],
    [{ nullifier: 5 }, WRONG('nullifier', 'string', '5')],
    [{ nullifier: '0xzz' }, BAD_NULLIFIER],
    [{ nullifier: '' }, `${BAD_NULLIFIER}, ${NO_NULLIFIER}`],
    [{ proof: null }, 'proof is required for v4'],
    [{ proof: 'x' }, WRONG('proof', 'array', '"x"')],
    [{ proof: [] }, PROOF_LENGTH],
    [{ proof: ['1', '2', '3', '4'] }, PROOF_LENGTH],
    [{ proof: ['1', '2', '3', '4', '5', '6'] }, PROOF_LENGTH],
    [{ proof: ['', '2', '3', '4', '5'] }, 'proof["0"] is a required field'],
    [{ proof: ['1', null, '3'] }, `proof["1"] is a required field, ${PROOF_LENGTH}`],
    [
      { proof: ['1', '2', 3, '4', ''] },
      `${WRONG('proof["2"]', 'string', '3')}, proof["4"] is a required field`,
    ],
    [{ identifier: 'passport' }, 'issuer_schema_id does not match a supported credential identifier'],
    [{ sybil_score: 5 }, 'sybil_score is only supported for Self Check 4.0 responses'],
    [
      { issuer_schema_id: 11, identifier: 'self_check' },
      'sybil_score is required for Self Check 4.0 responses',
    ],
    [
      { issuer_schema_id: '11', identifier: 'self_check', sybil_score: 1.5 },
      'sybil_score must be an integer',
    ],
    [
      { issuer_schema_id: 11, identifier: 'self_check', sybil_score: '5' },
      WRONG('sybil_score', 'number', '"5"'),
    ],
    [{ issuer_schema_id: 11, identifier: 'self_check', sybil_score: null }, 'sybil_score cannot be null'],
    [
      { proof: null, signal_hash: 5, identifier: '' },
      'identifier is required, Invalid signal_hash., proof is required for v4',
    ],
  ])('%j', (changes, detail) => {
    expect(refusal(uniqueness(changes))).toEqual([detail, 'responses[0]']);
  });

  it.each(['issuer_schema_id', 'expires_at_min', 'credential_genesis_issued_at_min'])('%s', (field) => {
    const found = (value: unknown): string | undefined => refusal(uniqueness({ [field]: value }))?.[0];
    expect(found(1.5)).toBe(`${field} must be an integer`);
    expect(found('x')).toBe(NAN(field, '"x"'));
    expect(found('')).toBe(NAN(field, '""'));
    expect(found('01')).toBe(NAN(field, '"01"'));
    expect(found(true)).toBe(NAN(field, 'true'));
    expect(found({})).toBe(NAN(field, '{}'));
    expect(found(-1)).toBe(`${field} must be greater than or equal to 0`);
    const above = `${field} must be less than or equal to ${MAX}`;
    expect(found(MAX + 1)).toBe(above);
    expect(found('18446744073709551616')).toBe(above);
    expect(found('9'.repeat(5000))).toBe(above);
    if (field === 'issuer_schema_id') expect(found('18446744073709551615')).toBeUndefined();
    else expect(found(String(MAX + 1))).toBe(above);
    if (field !== 'issuer_schema_id')
      for (const good of [0, MAX, String(MAX)]) expect(found(good)).toBeUndefined();
  });

  it.each<readonly [Fields, string]>([
    [{ session_nullifier: undefined }, NO_SESSION_NULLIFIER],
    [{ session_nullifier: undefined, nullifier: '0x1' }, NO_SESSION_NULLIFIER],
    [{ session_nullifier: null }, NO_SESSION_NULLIFIER],
    [{ session_nullifier: 'x' }, WRONG('session_nullifier', 'array', '"x"')],
    [{ session_nullifier: ['1'] }, PAIR_LENGTH],
    [{ session_nullifier: ['1', '2', '3'] }, PAIR_LENGTH],
    [{ session_nullifier: ['', '2'] }, 'session_nullifier["0"] is a required field'],
    [{ session_nullifier: ['1', null] }, 'session_nullifier["1"] is a required field'],
    [{ session_nullifier: ['1', ['2']] }, WRONG('session_nullifier["1"]', 'string', '[\n  "\\"2\\""\n]')],
  ])('of a session: %j', (changes, detail) => {
    expect(refusal(session(changes))).toEqual([detail, 'responses[0]']);
  });

  it('of an empty item name every field that is missing', () => {
    const start = 'identifier is required, issuer_schema_id is required for v4';
    const end = 'expires_at_min is required for v4, proof is required for v4';
    expect(refusal(body({ responses: [{}] }))?.[0]).toBe(`${start}, ${NO_NULLIFIER}, ${end}`);
    expect(refusal(sessionBody({ responses: [{}] }))?.[0]).toBe(`${start}, ${NO_SESSION_NULLIFIER}, ${end}`);
  });

  it('are bounded for a huge array', () => {
    const [detail] = refusal(uniqueness({ proof: new Array(50_000).fill('') })) ?? [''];
    expect(detail).toMatch(/^proof\["0"\] is a required field, .*, proof must have exactly 5 elements$/);
    expect(detail.length).toBeLessThan(1000);
  });

  it('follow the list of the environment', () => {
    const changes = { issuer_schema_id: 128 };
    expect(refusal({ ...uniqueness(changes), environment: 'staging' })).toBeUndefined();
    const label = { issuer_schema_id: '9303', identifier: 'epassport' };
    expect(refusal(uniqueness(label))).toBeUndefined();
    // An issuer that is not listed is refused later, with a code of its own.
    expect(refusal({ ...uniqueness(label), environment: 'staging' })).toBeUndefined();
    expect(refusal({ ...uniqueness({ identifier: 'x' }), environment: 'dev' })).toEqual([
      'environment must be one of the following values: production, staging',
      'environment',
    ]);
  });
});

describe('messages of the body', () => {
  it.each<readonly [string, unknown, string, string]>([
    [
      'neither action nor session',
      body({ action: undefined }),
      'action is required for uniqueness proofs',
      'action',
    ],
    ['empty action', body({ action: '' }), 'action is required for uniqueness proofs', 'action'],
    [
      'empty session_id',
      sessionBody({ session_id: '' }),
      'action is required for uniqueness proofs',
      'action',
    ],
    [
      'action with session',
      sessionBody({ action: 'x' }),
      'action field must not be present for session proofs',
      'action',
    ],
    ['action null with session', sessionBody({ action: null }), 'action cannot be null', 'action'],
    ['session_id 5', sessionBody({ session_id: 5 }), WRONG('session_id', 'string', '5'), 'session_id'],
    ['session_id null', body({ session_id: null }), 'session_id cannot be null', 'session_id'],
    ['no nonce', body({ nonce: '' }), 'nonce is required', 'nonce'],
    ['no items', body({ responses: [] }), 'At least one response item is required', 'responses'],
    [
      'too many items',
      body({ responses: new Array(65).fill({}) }),
      'responses field must have less than or equal to 64 items',
      'responses',
    ],
    ['item null', body({ responses: [ITEM, null] }), 'this cannot be null', 'responses[1]'],
    [
      'min_protocol_version "2.0"',
      body({ min_protocol_version: '2.0' }),
      'min_protocol_version must be one of the following values: 3.0, 4.0',
      'min_protocol_version',
    ],
    ['long action', body({ action: 'x'.repeat(4097) }), 'action must be at most 4096 bytes', 'action'],
    [
      'unpaired surrogate',
      body({ action: '\ud800' }),
      'action must not contain U+0000 or unpaired surrogates',
      'action',
    ],
  ])('%s', (_name, value, detail, attribute) => {
    expect(refusal(value)).toEqual([detail, attribute]);
  });

  it.each([
    body(),
    body({ min_protocol_version: '3.0', integrity_bundle: 5, user_presence_completed: true, session_id: '' }),
    body({ min_protocol_version: '4.0' }),
    sessionBody(),
    sessionBody({ action: '' }),
  ])('accept %j', (value) => {
    expect(refusal(value)).toBeUndefined();
  });
});
