// Rules: spec/worldid4.md#integrity-bundle
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { isServiceError } from '../../../src/errors/service-error.ts';
import {
  BUNDLE_NAMES_SCHEMA,
  BUNDLE_SCHEMA,
  createBundleReader,
} from '../../../src/verification/integrity/integrity-bundle.ts';

const read = createBundleReader();
const BUNDLE = {
  version: 2,
  signature_format: 'android_keystore',
  timestamp: 1_800_000_000,
  signature: '30Ab',
  jwt: 'a.b.c',
};

function refusal(value: unknown): readonly [detail: string, attribute: string | undefined] {
  try {
    read(value);
  } catch (error) {
    if (!isServiceError(error, 'verify.schema')) throw error;
    return [error.message, error.details.path];
  }
  throw new Error('expected a refusal, but the bundle was accepted');
}

describe('the schemas of a bundle', () => {
  it.each([
    ['fields', BUNDLE_SCHEMA],
    ['names', BUNDLE_NAMES_SCHEMA],
  ])('are valid schemas of the dialect of OpenAPI 3.1: %s', (_, schema) => {
    const ajv = new Ajv2020();
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });
});

describe('an integrity bundle', () => {
  it('is returned as it is if it fits the schema', () => {
    expect(read(BUNDLE)).toBe(BUNDLE);
    expect(read({ ...BUNDLE, version: 1, signature_format: 'apple_app_attest', timestamp: 0 })).toBeDefined();
    expect(read(undefined)).toBeUndefined();
  });

  it.each([
    ['null', null, 'integrity_bundle cannot be null'],
    ['a text', 'x', 'integrity_bundle must be a `object` type, but the final value was: `"x"`.'],
    ['an array', [], 'integrity_bundle must be a `object` type, but the final value was: `[]`.'],
    ['an unknown field', { ...BUNDLE, kid: 'a' }, 'Unknown integrity_bundle field.'],
    ['only unknown fields', { a: 1 }, 'Unknown integrity_bundle field.'],
    ['a large token', { ...BUNDLE, jwt: 'a'.repeat(8100) }, 'integrity_bundle is too large.'],
    ['a large signature', { ...BUNDLE, signature: 'ab'.repeat(4097) }, 'integrity_bundle is too large.'],
    ['a large text in UTF-8', { ...BUNDLE, jwt: 'é'.repeat(4050) }, 'integrity_bundle is too large.'],
  ])('is refused as a whole: %s', (_, value, detail) => {
    expect(refusal(value)).toEqual([detail, 'integrity_bundle']);
  });

  it('may have 8192 bytes', () => {
    const free = 8192 - Buffer.byteLength(JSON.stringify({ ...BUNDLE, jwt: '' }));
    expect(read({ ...BUNDLE, jwt: 'a'.repeat(free) })).toBeDefined();
    expect(refusal({ ...BUNDLE, jwt: 'a'.repeat(free + 1) })[0]).toBe('integrity_bundle is too large.');
  });

  it.each([
    ['version', 3, 'integrity_bundle.version must be one of the following values: 1, 2'],
    ['version', '1', 'integrity_bundle.version must be a `number` type, but the final value was: `"1"`.'],
    [
      'signature_format',
      'other',
      'integrity_bundle.signature_format must be one of the following values: apple_app_attest, android_keystore',
    ],
    ['timestamp', -1, 'integrity_bundle.timestamp must be greater than or equal to 0'],
    ['timestamp', 1.5, 'integrity_bundle.timestamp must be an integer'],
    ['timestamp', 2 ** 53, 'integrity_bundle.timestamp must be less than or equal to 9007199254740991'],
    ['timestamp', 1e300 * 1e300, 'integrity_bundle.timestamp must be less than or equal to 9007199254740991'],
    ['timestamp', '5', 'integrity_bundle.timestamp must be a `number` type, but the final value was: `"5"`.'],
    ['signature', '', 'Invalid integrity_bundle.signature.'],
    ['signature', 'abc', 'Invalid integrity_bundle.signature.'],
    ['signature', '0xab', 'Invalid integrity_bundle.signature.'],
    ['signature', 'ab\n', 'Invalid integrity_bundle.signature.'],
    ['signature', 5, 'integrity_bundle.signature must be a `string` type, but the final value was: `5`.'],
    ['jwt', '', 'integrity_bundle.jwt is required'],
    ['jwt', {}, 'integrity_bundle.jwt must be a `string` type, but the final value was: `{}`.'],
  ])('is refused by its %s: %s', (field, value, detail) => {
    expect(refusal({ ...BUNDLE, [field]: value })).toEqual([detail, `integrity_bundle.${field}`]);
  });

  it.each(Object.keys(BUNDLE))('needs %s', (field) => {
    const expected = [`integrity_bundle.${field} is required`, `integrity_bundle.${field}`];
    expect(refusal({ ...BUNDLE, [field]: undefined })).toEqual(expected);
    expect(refusal({ ...BUNDLE, [field]: null })).toEqual(expected);
  });

  it('is refused by its first wrong field, the last in the order of the schema', () => {
    expect(refusal({})).toEqual(['integrity_bundle.jwt is required', 'integrity_bundle.jwt']);
    expect(refusal({ ...BUNDLE, timestamp: -1, version: 7 })[1]).toBe('integrity_bundle.timestamp');
  });

  it('may hold arrays of any depth, and any number of unknown fields', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    expect(refusal({ ...BUNDLE, jwt: deep })[0]).toMatch(/^integrity_bundle.jwt must be a `string` type/);
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`f${index}`, deep]));
    expect(refusal(wide)[0]).toBe('Unknown integrity_bundle field.');
  });
});
