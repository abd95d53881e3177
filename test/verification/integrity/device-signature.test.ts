// Rules: spec/worldid4.md#integrity-bundle
import { describe, expect, it } from 'vitest';
import { isSignedBy, readSignature } from '../../../src/verification/integrity/device-signature.ts';
import { p256Key } from '../../../src/verification/integrity/p256-key.ts';
import { createDevice, type SignatureFormat, sha256 } from './support/device.ts';

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
