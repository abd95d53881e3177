/**
 * Schema messages (spec/verification.md#schema-messages) as data: a body that is refused, with the detail and
 * attribute of the answer. Used for the parser and over HTTP.
 */
import { bodyOf, type Fields, itemOf, vector } from './vectors.ts';

export interface SchemaRow {
  readonly name: string;
  readonly body: unknown;
  readonly detail: string;
  readonly attribute: string;
}

const entry = vector(0);
const IDS = 'orb, secure_document, document, device, face, selfie';
const BAD_NULLIFIER = 'Invalid nullifier. Must be a hex string with optional 0x prefix.';
const TOO_YOUNG = 'max_age cannot be less than 3600 seconds (1 hour).';
const TOO_OLD = 'max_age cannot be more than 604800 seconds (7 days).';
const NO_ACTION = 'action is required';
const WRONG = (field: string, type: string, shown: string): string =>
  `${field} must be a \`${type}\` type, but the final value was: \`${shown}\`.`;

const row = (name: string, body: unknown, detail: string, attribute: string): SchemaRow => ({
  name,
  body,
  detail,
  attribute,
});
const field = (name: string, value: unknown, detail: string, attribute = name): SchemaRow =>
  row(`${name} ${JSON.stringify(value)}`, bodyOf(entry, { [name]: value }), detail, attribute);
const item = (changes: Fields, detail: string): SchemaRow =>
  row(
    `item ${JSON.stringify(changes).slice(0, 60)}`,
    bodyOf(entry, { responses: [itemOf(entry, changes)] }),
    detail,
    'responses[0]',
  );
const wholeItem = (value: unknown, detail: string): SchemaRow =>
  row(`whole item ${JSON.stringify(value)}`, bodyOf(entry, { responses: [value] }), detail, 'responses[0]');

export const SCHEMA_ROWS: readonly SchemaRow[] = [
  row('body null', null, 'this cannot be null', ''),
  row('body []', [], WRONG('this', 'object', '[]'), ''),
  row('body "x"', 'x', WRONG('this', 'object', '"x"'), ''),
  row('body 5', 5, WRONG('this', 'object', '5'), ''),
  row('body true', true, WRONG('this', 'object', 'true'), ''),
  row('body {}', {}, NO_ACTION, 'action'),
  field('action', undefined, NO_ACTION),
  field('action', '', NO_ACTION),
  field('action', null, NO_ACTION),
  field('action', 0, NO_ACTION),
  field('session_id', 'x', 'session_id is not supported for protocol_version 3.0'),
  row(
    'session_id without action',
    bodyOf(entry, { session_id: 'x', action: undefined }),
    'session_id is not supported for protocol_version 3.0',
    'session_id',
  ),
  ...[undefined, null, '2.0', '4.0', 3].map((value) =>
    field('protocol_version', value, 'Unknown protocol_version'),
  ),
  ...[undefined, null, ''].map((value) => field('nonce', value, 'nonce is required')),
  ...['dev', '', 5].map((value) =>
    field('environment', value, 'environment must be one of the following values: production, staging'),
  ),
  field('responses', undefined, 'responses array is required'),
  field('responses', null, 'responses array is required'),
  field('responses', [], 'At least one response item is required'),
  field('responses', {}, WRONG('responses', 'array', '{}')),
  field('responses', 5, WRONG('responses', 'array', '5')),
  field('responses', '', WRONG('responses', 'array', '""')),
  row(
    'responses of 65 items',
    bodyOf(entry, { responses: new Array(65).fill(itemOf(entry)) }),
    'responses field must have less than or equal to 64 items',
    'responses',
  ),
  wholeItem(null, 'this cannot be null'),
  wholeItem([], WRONG('this', 'object', '[]')),
  wholeItem(5, WRONG('this', 'object', '5')),
  wholeItem('x', WRONG('this', 'object', '"x"')),
  wholeItem({}, 'identifier is required, merkle_root is required, nullifier is required, proof is required'),
  ...['iris', '', 5].map((identifier) =>
    item({ identifier }, `identifier must be one of the following values: ${IDS}`),
  ),
  item({ identifier: null }, 'identifier is required'),
  item({ merkle_root: '' }, 'merkle_root is required'),
  item({ merkle_root: null }, 'merkle_root is required'),
  item({ proof: '' }, 'proof is required'),
  item({ proof: null }, 'proof is required'),
  item({ nullifier: undefined }, 'nullifier is required'),
  item({ nullifier: null }, 'nullifier is required'),
  ...['0xzz', '0x', '0X12'].map((nullifier) => item({ nullifier }, BAD_NULLIFIER)),
  item({ nullifier: '' }, `${BAD_NULLIFIER}, nullifier is required`),
  ...(
    [
      ['ab', 'it does not begin with 0x'],
      [' 0xab', 'it does not begin with 0x'],
      ['0x', 'no digits follow 0x'],
      ['0X', 'no digits follow 0x'],
      ['0xzz', 'it has characters that are not hex digits'],
      ['0xab ', 'it has characters that are not hex digits'],
      ['', 'it is empty'],
      [5, 'it is not a string'],
    ] as const
  ).map(([signal_hash, fault]) =>
    item({ signal_hash }, `Invalid signal_hash. Must be a hex string with 0x prefix, but ${fault}.`),
  ),
  ...[1, 0, -1].map((max_age) => item({ max_age }, TOO_YOUNG)),
  item({ max_age: 700_000 }, TOO_OLD),
  item({ max_age: 3600.5 }, 'max_age must be an integer'),
  item({ max_age: 1.5 }, `max_age must be an integer, ${TOO_YOUNG}`),
  item({ max_age: '3600' }, WRONG('max_age', 'number', '"3600"')),
  item({ max_age: true }, WRONG('max_age', 'number', 'true')),
  field('action', 5, WRONG('action', 'string', '5')),
  field('nonce', 5, WRONG('nonce', 'string', '5')),
  field('action_description', {}, WRONG('action_description', 'string', '{}')),
  item({ proof: 5 }, WRONG('proof', 'string', '5')),
  item({ proof: ['0x1'] }, WRONG('proof', 'string', '[\n  "\\"0x1\\""\n]')),
  item({ nullifier: 7 }, WRONG('nullifier', 'string', '7')),
  item({ merkle_root: {} }, WRONG('merkle_root', 'string', '{}')),
  field('environment', null, 'environment cannot be null'),
  field('action_description', null, 'action_description cannot be null'),
  field('session_id', null, 'session_id cannot be null'),
  item({ signal_hash: null }, 'signal_hash cannot be null'),
  item({ max_age: null }, 'max_age cannot be null'),
  ...['action', 'action_description', 'nonce'].map((name) =>
    field(name, 'é'.repeat(2049), `${name} must be at most 4096 bytes`),
  ),
  ...['action', 'action_description'].flatMap((name) =>
    ['a\u0000', '\ud800', 'x\udc00y'].map((value) =>
      field(name, value, `${name} must not contain U+0000 or unpaired surrogates`),
    ),
  ),
];
