import { describe, expect, it } from 'vitest';
import { toBase64 } from '../../src/bytes.ts';
import { contentOf } from '../../src/groth16/content.ts';
import { FormError } from '../../src/groth16/layout.ts';
import { encoded, hexOf } from '../support/forms/bytes.ts';

const CODES = { form: 'proof.form', length: 'proof.length', what: 'a proof' } as const;
const VALUE = { b: ['1', '2', 'ä'], a: null };
const TEXT = JSON.stringify(VALUE);
const BYTES = Uint8Array.from({ length: 256 }, (_, index) => (index * 7 + 1) & 0xff);
const read = (source: unknown): unknown => contentOf(source, CODES);
const refused = (message: RegExp): unknown =>
  expect.objectContaining({ code: 'proof.form', message: expect.stringMatching(message) });

describe('the content of a text', () => {
  it.each([TEXT, `\ufeff${TEXT}`, ` \n${TEXT}\n`, JSON.stringify(TEXT)])('is JSON: %j', (text) => {
    expect(read(text)).toEqual({ json: VALUE });
  });

  it('is a list of arrays without brackets', () => {
    expect(read('["1"], [["2"]], ["3"]')).toEqual({ json: [['1'], [['2']], ['3']] });
  });

  it.each([
    hexOf(BYTES),
    hexOf(BYTES).slice(2),
    `0X${hexOf(BYTES).slice(2).toUpperCase()}`,
    ` ${hexOf(BYTES)}\n`,
    toBase64(BYTES),
    JSON.stringify(hexOf(BYTES)),
    JSON.stringify(toBase64(BYTES)),
  ])('is bytes: %j', (text) => {
    expect(read(text)).toEqual({ bytes: BYTES });
  });

  it.each([
    ['', /expected a proof as JSON, hex digits or base64, got ""/],
    ['0x', /got "0x"/],
    ['0xabc', /got 3 digits in "0xabc"/],
    ['ä', /got "ä"/],
    ['""', /got ""/],
    ['{"a": ', /which does not parse/],
    [`${'['.repeat(33)}${']'.repeat(33)}`, /which does not parse/],
    ['a'.repeat(524_290), /at most 524288 digits/],
    [' '.repeat(4_194_305), /at most 4194304 characters/],
    ['-'.repeat(100), /got "-{40}…"/],
  ])('is refused: %j', (text, message) => {
    expect(() => read(text)).toThrow(refused(message));
  });
});

describe('the content of bytes', () => {
  it.each(['utf8', 'utf16le', 'utf16be'] as const)('is JSON in %s with or without mark', (encoding) => {
    for (const hasMark of [false, true])
      expect(read(encoded(TEXT, encoding, hasMark))).toEqual({ json: VALUE });
  });

  it('is a copy of them otherwise, whatever length they say that they have', () => {
    const own = Object.defineProperty(BYTES.slice(), 'length', { value: 3 });
    const content = read(own) as { bytes: Uint8Array };
    expect(content).toEqual({ bytes: BYTES });
    own.fill(0);
    expect(content.bytes).toEqual(BYTES);
    expect(read(Uint8Array.of(0x7b, 0, 1, 2))).toEqual({ bytes: Uint8Array.of(0x7b, 0, 1, 2) });
    expect(read(Uint8Array.of(0x22, 0xff))).toEqual({ bytes: Uint8Array.of(0x22, 0xff) });
  });

  it('is refused if there are none, too many, or if they begin JSON that ends early', () => {
    const detached = new Uint8Array(8);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    for (const bytes of [new Uint8Array(), detached])
      expect(() => read(bytes)).toThrow(
        expect.objectContaining({ code: 'proof.length', message: 'expected a proof, got no bytes' }),
      );
    expect(() => read(new Uint8Array(4_194_305))).toThrow(
      expect.objectContaining({
        code: 'proof.length',
        message: expect.stringContaining('at most 4194304 bytes'),
      }),
    );
    expect(() => read(encoded('{"a": [', 'utf8', false))).toThrow(refused(/got "{.*does not parse/));
  });
});

describe('the content of another value', () => {
  it.each([[VALUE], [[1]], [null], [5], [undefined]])('is itself: %j', (value) => {
    expect(read(value)).toEqual({ json: value });
  });

  it('has the code of its reader', () => {
    expect(() => contentOf('ä', { form: 'key.not_json', length: 'key.length', what: 'a key' })).toThrow(
      FormError,
    );
    expect(() => contentOf('ä', { form: 'key.not_json', length: 'key.length', what: 'a key' })).toThrow(
      expect.objectContaining({ code: 'key.not_json' }),
    );
  });
});
