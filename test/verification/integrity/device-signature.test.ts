// Rules: spec/worldid4.md#integrity-bundle
import { describe, expect, it } from 'vitest';
import { p256Key } from '../../../src/verification/integrity/attestation-keys.ts';
import {
  isSignedBy,
  parseAssertion,
  readSignature,
} from '../../../src/verification/integrity/device-signature.ts';
import { cborAssertion, cborString, createDevice, type SignatureFormat, sha256 } from './support/device.ts';

const SIGNATURE = Buffer.alloc(71, 1);
const DATA = Buffer.alloc(37, 2);
const GOOD = cborAssertion(['signature', SIGNATURE], ['authenticatorData', DATA]);
const TWICE = Array<['signature', Uint8Array]>(2).fill(['signature', SIGNATURE]);
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
    const other = cborAssertion(['authenticatorData', DATA], ['signature', SIGNATURE]);
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
    ['one entry', cborAssertion(['signature', SIGNATURE])],
    ['three entries', cborAssertion(...TWICE, ['authenticatorData', DATA])],
    ['one name twice', cborAssertion(...TWICE)],
    ['another name', cborAssertion(['signature', SIGNATURE], ['authenticatordata', DATA])],
    ['an empty signature', cborAssertion(['signature', Buffer.alloc(0)], ['authenticatorData', DATA])],
    ['empty data', cborAssertion(['signature', SIGNATURE], ['authenticatorData', Buffer.alloc(0)])],
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

const FORMATS: readonly SignatureFormat[] = ['android_keystore', 'apple_app_attest'];
const ATTESTED = Buffer.alloc(40, 3);
const DIGEST = sha256(ATTESTED);
const device = createDevice();
const key = keyOf(device.jwk);

function keyOf(jwk: unknown): NonNullable<ReturnType<typeof p256Key>> {
  const key = p256Key(jwk);
  if (key === undefined) throw new Error('expected a key');
  return key;
}

describe.each(FORMATS)('a signature of %s', (signature_format) => {
  const isValid = (bytes: Uint8Array, attested: Uint8Array = ATTESTED, by = key): Promise<boolean> => {
    const signature = Buffer.from(bytes).toString('hex');
    return isSignedBy(by, readSignature({ signature_format, signature }), attested);
  };

  it.each([
    ['low', false],
    ['high', true],
  ])('is valid over the digest of the attested bytes, with a %s s', async (_, isHigh) => {
    expect(await isValid(device.sign(signature_format, DIGEST, isHigh))).toBe(true);
  });

  it('is invalid for other bytes and for another key', async () => {
    const signature = device.sign(signature_format, DIGEST);
    expect(await isValid(signature, Buffer.alloc(40, 4))).toBe(false);
    expect(await isValid(signature, ATTESTED, keyOf(createDevice().jwk))).toBe(false);
  });

  it('is invalid if the digest is hashed once more', async () => {
    expect(await isValid(device.sign(signature_format, sha256(DIGEST)))).toBe(false);
  });

  it('is not one of the other format', async () => {
    const [other = signature_format] = FORMATS.filter((format) => format !== signature_format);
    const outcome = (async () => isValid(device.sign(other, DIGEST)))();
    const isValidAnyway = await outcome.catch(() => false);
    expect(isValidAnyway).toBe(false);
  });
});

describe('a signature of android_keystore', () => {
  const good = device.sign('android_keystore', DIGEST);

  it.each([
    ['is cut', good.subarray(0, -1)],
    ['has bytes after it', Buffer.concat([good, Buffer.of(0)])],
    ['is two plain numbers', Buffer.alloc(64, 1)],
    ['has r = s = 0', Buffer.of(0x30, 6, 2, 1, 0, 2, 1, 0)],
  ])('is invalid if it %s', async (_, bytes) => {
    const signature = { signature_format: 'android_keystore', signature: bytes.toString('hex') } as const;
    expect(await isSignedBy(key, readSignature(signature), ATTESTED)).toBe(false);
  });
});

describe('the key of a device', () => {
  it.each([
    ['no key', undefined],
    ['a text', 'key'],
    ['another curve', { ...device.jwk, crv: 'P-384' }],
    ['another type', { ...device.jwk, kty: 'OKP' }],
    ['a point that is not on the curve', { ...device.jwk, y: device.jwk.x }],
    ['no coordinate', { ...device.jwk, y: undefined }],
    ['an empty coordinate', { ...device.jwk, x: '' }],
    ['a coordinate that is too long', { ...device.jwk, x: `${device.jwk.x}AAAA` }],
  ])('is not read from %s', (_, jwk) => {
    expect(p256Key(jwk)).toBeUndefined();
  });

  it('is public, whatever else the JWK has', () => {
    expect(p256Key({ ...device.jwk, d: device.jwk.x })?.type).toBe('public');
  });
});
