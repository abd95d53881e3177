// Rules: spec/credential.md#credential-verification
import { expect, it } from 'vitest';
import { plainSigningKey, SUBGROUP_ORDER } from '../../../bench/contenders/eddsa-poseidon2.ts';
import { FIELD_ORDER, poseidon2 } from '../../../bench/contenders/poseidon2.ts';
import { credentialJson } from '../../../src/credential/credential.ts';
import { compressKey } from '../../../src/credential/public-key.ts';
import { fieldsOf, plainHash, VECTORS } from '../../credential/support.ts';
import { bytes, CREDENTIALS, word } from '../../engine/support/vectors.ts';
import { describeVerifier, KEY, KEYS, NOW, pkOf, SAMPLE, signed } from './support.ts';

const SEPARATOR = BigInt(
  VECTORS.domain_separators.find(({ text }) => text === 'EdDSA Signature')?.value ?? 0,
);

function pointBytes(x: bigint, y: bigint): Uint8Array {
  return compressKey(word(String(x)), word(String(y))) as Uint8Array;
}

/** Writes a signature: R, then s little-endian. */
function signatureOf(x: bigint, y: bigint, s: bigint): Uint8Array {
  return Uint8Array.from([...pointBytes(x, y), ...word(String(s)).reverse()]);
}

/** Adds the point (0, -1) of order 2. */
const twisted = ([x, y]: readonly [bigint, bigint]): readonly [bigint, bigint] => [
  FIELD_ORDER - x,
  FIELD_ORDER - y,
];

/** Signs the sample with R = 99·A under any key (x, y), so that the equation with the cofactor holds. */
function forged(isTwisted: { readonly nonce: boolean; readonly key: boolean }): {
  readonly text: string;
  readonly pk: readonly [string, string];
} {
  const fields = fieldsOf(SAMPLE);
  const { x, y } = KEY.point.multiply(99n).toAffine();
  const nonce = isTwisted.nonce ? twisted([x, y]) : ([x, y] as const);
  const key = isTwisted.key ? twisted(KEY.publicKey) : KEY.publicKey;
  const challenge =
    (poseidon2([SEPARATOR, ...nonce, ...key, plainHash(fields), 0n, 0n])[1] ?? 0n) % SUBGROUP_ORDER;
  const s = ((99n + challenge) * KEY.scalar) % SUBGROUP_ORDER;
  const pk = pkOf({ publicKey: key });
  return { text: credentialJson(fields, signatureOf(...nonce, s), pk), pk };
}

await describeVerifier('verifyCredential with the vectors', (verifyCredential) => {
  const check = (text: string, issuerKeys: Parameters<typeof verifyCredential>[1]['issuerKeys'] = KEYS) =>
    verifyCredential(text, { issuerKeys, now: NOW });

  it.each(['json', 'base64'] as const)(
    'accepts the sample as %s and names all that it says',
    async (form) => {
      const [x, y] = SAMPLE.public_key.map(BigInt);
      expect(await check(SAMPLE[form])).toEqual({
        valid: true,
        faults: [],
        hash: SAMPLE.hash,
        key: { x, y, issuerSchemaId: 1n, status: 'active' },
        credential: {
          id: 1_311_768_467_463_790_320n,
          issuerSchemaId: 1n,
          sub: SAMPLE.sub,
          genesisIssuedAt: 1_700_000_000n,
          expiresAt: 1_794_608_000n,
          claims: [VECTORS.package.claim, ...Array.from({ length: 15 }, () => `0x${'0'.repeat(64)}`)],
          associatedDataHash: `0x${'0'.repeat(64)}`,
          signature: SAMPLE.signature,
          issuerKey: { x, y },
        },
      });
    },
  );

  it('accepts the signed credential of upstream and computes the hash of each', async () => {
    for (const row of VECTORS.credentials) {
      const { R, s, public_key: pk = SAMPLE.public_key, signature } = row;
      const made =
        R === undefined || s === undefined
          ? new Uint8Array(64)
          : signatureOf(BigInt(R[0]), BigInt(R[1]), BigInt(s));
      const json = credentialJson(fieldsOf(row), signature === undefined ? made : bytes(signature), pk);
      const { hash, faults } = await verifyCredential(json, { issuerKeys: [pk], now: new Date(-1000) });
      const isSigned = signature !== undefined || R !== undefined;
      expect([row.description, hash]).toEqual([row.description, row.hash]);
      expect(faults.some(({ code }) => code === 'credential.signature')).toBe(!isSigned);
    }
  });

  it('accepts the sample as signed by each key of the vectors', async () => {
    for (const { seed_hex } of CREDENTIALS.eddsa) {
      const key = plainSigningKey(bytes(seed_hex));
      expect(await check(signed({}, key), [pkOf(key)])).toMatchObject({ valid: true });
      expect(await check(signed({}, key))).toMatchObject({ valid: false, code: 'credential.key_unknown' });
    }
  });

  it('accepts a signature with another R, and none with R or key outside the prime subgroup', async () => {
    const good = forged({ nonce: false, key: false });
    expect(await check(good.text, [good.pk])).toMatchObject({ valid: true });
    for (const isTwisted of [
      { nonce: true, key: false },
      { nonce: false, key: true },
      { nonce: true, key: true },
    ]) {
      const { text, pk } = forged(isTwisted);
      const { valid, faults } = await check(text, [pk]);
      expect([isTwisted, valid, faults.map(({ code }) => code)]).toEqual([
        isTwisted,
        false,
        ['credential.signature'],
      ]);
    }
  });

  it('refuses a trusted key that is the identity or no point of the curve', async () => {
    const { x, y } = KEY.point.multiply(99n).toAffine();
    const s = (99n * KEY.scalar) % SUBGROUP_ORDER;
    const refused = { valid: false, code: 'credential.signature', faults: [expect.anything()] };
    for (const pk of [['0', '1'] as const, ['1', '1'] as const]) {
      const text = credentialJson(fieldsOf(SAMPLE), signatureOf(x, y, s), pk);
      expect(await check(text, [pk])).toMatchObject(refused);
    }
  });

  it('refuses signatures of the vectors in other spellings', async () => {
    const [R, s] = [SAMPLE.signature.slice(0, 64), BigInt(SAMPLE.s)];
    const le = (value: bigint): string => Buffer.from(word(String(value)).reverse()).toString('hex');
    const yPlusP = BigInt(`0x${Buffer.from(bytes(R)).reverse().toString('hex')}`) + FIELD_ORDER;
    const flipped = Buffer.from(bytes(R));
    flipped[31] = (flipped[31] ?? 0) ^ 0x80;
    const spellings = [
      `${R}${le(s + 1n)}`,
      `${R}${le(s + SUBGROUP_ORDER)}`,
      `${R}${le(SUBGROUP_ORDER - s)}`,
      `${flipped.toString('hex')}${le(s)}`,
      `${le(yPlusP % (1n << 256n))}${le(s)}`,
      `02${'00'.repeat(31)}${le(s)}`,
      `01${'00'.repeat(30)}80${le(s)}`,
      '0'.repeat(128),
    ];
    for (const signature of spellings) {
      const text = SAMPLE.json.replace(SAMPLE.signature, signature);
      expect([signature, (await check(text)).code]).toEqual([signature, 'credential.signature']);
    }
    const short = await check(SAMPLE.json.replace(SAMPLE.signature, SAMPLE.signature.slice(2)));
    expect(short).toMatchObject({ code: 'credential.invalid', path: 'signature' });
  });
});
