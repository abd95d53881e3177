import { describe, expect, it } from 'vitest';
import { parseAssertion } from '../../../src/verification/integrity/parse-assertion.ts';
import { cborAssertion, cborString } from './support/device.ts';

const SIGNATURE = Buffer.alloc(71, 1);
const DATA = Buffer.alloc(37, 2);
const GOOD = cborAssertion([
  ['signature', SIGNATURE],
  ['authenticatorData', DATA],
]);
const ASSERTION = { signature: new Uint8Array(SIGNATURE), authenticatorData: new Uint8Array(DATA) };

function parse(bytes: Uint8Array): unknown {
  const assertion = parseAssertion(bytes);
  return (
    assertion && {
      signature: new Uint8Array(assertion.signature),
      authenticatorData: new Uint8Array(assertion.authenticatorData),
    }
  );
}

describe('an assertion', () => {
  it('is read with its entries in either order', () => {
    expect(parse(GOOD)).toEqual(ASSERTION);
    const other = cborAssertion([
      ['authenticatorData', DATA],
      ['signature', SIGNATURE],
    ]);
    expect(parse(other)).toEqual(ASSERTION);
  });

  it('may state lengths in two bytes, and be short', () => {
    const name = cborString(3, 'signature');
    const long = Buffer.concat([Buffer.of(0x59, 0x01, 0x00), Buffer.alloc(256, 1)]);
    const data = Buffer.concat([cborString(3, 'authenticatorData'), Buffer.of(0x41, 9)]);
    expect(parse(Buffer.concat([Buffer.of(0xa2), name, long, data]))).toEqual({
      signature: new Uint8Array(256).fill(1),
      authenticatorData: Uint8Array.of(9),
    });
  });

  it.each([
    ['no bytes', Buffer.alloc(0)],
    ['another type', Buffer.of(0x82, 0x00, 0x00)],
    ['bytes after it', Buffer.concat([GOOD, Buffer.of(0)])],
    ['one entry', cborAssertion([['signature', SIGNATURE]])],
    [
      'three entries',
      cborAssertion([...Array(2).fill(['signature', SIGNATURE]), ['authenticatorData', DATA]]),
    ],
    ['one name twice', cborAssertion(Array(2).fill(['signature', SIGNATURE]))],
    [
      'another name',
      cborAssertion([
        ['signature', SIGNATURE],
        ['authenticatordata', DATA],
      ]),
    ],
    [
      'an empty signature',
      cborAssertion([
        ['signature', Buffer.alloc(0)],
        ['authenticatorData', DATA],
      ]),
    ],
    [
      'empty data',
      cborAssertion([
        ['signature', SIGNATURE],
        ['authenticatorData', Buffer.alloc(0)],
      ]),
    ],
    [
      'a text in place of bytes',
      Buffer.concat([
        Buffer.of(0xa2),
        cborString(3, 'signature'),
        cborString(3, 'x'),
        cborString(3, 'authenticatorData'),
        cborString(2, DATA),
      ]),
    ],
    [
      'a length of four bytes',
      Buffer.concat([Buffer.of(0xa2), cborString(3, 'signature'), Buffer.of(0x5a, 0xff, 0xff, 0xff, 0xff)]),
    ],
    [
      'an indefinite length',
      Buffer.concat([Buffer.of(0xa2), cborString(3, 'signature'), Buffer.of(0x5f, 0x41, 0x01, 0xff)]),
    ],
    ['an indefinite map', Buffer.concat([Buffer.of(0xbf), GOOD.subarray(1), Buffer.of(0xff)])],
  ])('is not read from %s', (_, bytes) => {
    expect(parseAssertion(bytes)).toBeUndefined();
  });

  it('is not read from its beginning', () => {
    for (let length = 0; length < GOOD.length; length++) {
      expect(parseAssertion(GOOD.subarray(0, length))).toBeUndefined();
    }
  });
});
