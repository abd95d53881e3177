// Rules: spec/credential.md#credential-verification
import { describe, expect, it } from 'vitest';
import { plainSigningKey } from '../../../bench/contenders/eddsa-poseidon2.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { credentialVerifier } from '../../../src/library/credential/verify-credential.ts';
import { verifyCredential } from '../../../src/library/credential.ts';
import { SCALAR_ORDER } from '../../../src/semaphore/words.ts';
import { VECTORS } from '../../credential/support.ts';
import { bytes, word } from '../../engine/support/vectors.ts';
import { describeVerifier, KEYS, keyList, NOW, pkOf, SAMPLE, signed } from './support.ts';

type Options = Parameters<typeof verifyCredential>[1];

const MANIFEST = Buffer.from(VECTORS.package.hashes_json);
const OTHER = pkOf(plainSigningKey(new Uint8Array(32)));
const [X, Y] = SAMPLE.public_key.map(BigInt) as [bigint, bigint];
const check = (text: string, options: Partial<Options> = {}) =>
  verifyCredential(text, { issuerKeys: KEYS, now: NOW, ...options });

/** Codes of everything that is wrong. */
async function codes(text: string, options: Partial<Options> = {}): Promise<string[]> {
  const verdict = await check(text, options);
  expect(verdict.valid).toBe(verdict.faults.length === 0);
  expect(verdict.code).toBe(verdict.faults[0]?.code);
  expect(verdict.message).toBe(verdict.faults[0]?.message);
  return verdict.faults.map(({ code }) => code);
}

await describeVerifier('verifyCredential of a changed credential', (verify) => {
  const digits = '0x0000000000000000000000000000000000000000000000000000000000000000';
  const changes: readonly (readonly [member: string, from: string, to: string])[] = [
    ['id', '"id":1311768467463790320', '"id":1311768467463790321'],
    ['issuer_schema_id', '"issuer_schema_id":1', '"issuer_schema_id":2'],
    ['sub', SAMPLE.sub, SAMPLE.sub.replace(/a$/, 'b')],
    ['genesis_issued_at', '"genesis_issued_at":1700000000', '"genesis_issued_at":1700000001'],
    ['expires_at', '"expires_at":1794608000', '"expires_at":1894608000'],
    ['claims[0]', VECTORS.package.claim, VECTORS.package.claim.replace(/7$/, '6')],
    ['claims[1]', `7","${digits}"`, `7","${digits.replace(/0$/, '1')}"`],
    ['claims[14]', `${digits}","${digits}"],`, `${digits.replace(/0$/, '1')}","${digits}"],`],
    ['associated_data_hash', `_hash":"${digits}"`, `_hash":"${digits.replace(/0$/, '1')}"`],
    ['signature, R', '"signature":"3a', '"signature":"3b'],
    ['signature, s', '9705"', '9704"'],
    ['issuer.pk', JSON.stringify(SAMPLE.public_key), JSON.stringify(OTHER)],
  ];

  it.each(changes)('refuses another %s', async (_, from, to) => {
    const text = SAMPLE.json.replace(from, to);
    expect(text).not.toBe(SAMPLE.json);
    const issuerKeys = [SAMPLE.public_key, OTHER] as unknown as Options['issuerKeys'];
    const verdict = await verify(text, { issuerKeys, now: NOW });
    expect(verdict.faults.map(({ code }) => code)).toEqual(['credential.signature']);
    expect(verdict).toMatchObject({ valid: false, hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(verdict.credential?.claims).toHaveLength(16);
  });

  it('compares claims[0] with the bytes of hashes.json, or with the data of the refresh', async () => {
    const { id_comm: idComm, sub, unix_seconds: issuedAt, claim } = VECTORS.claim_without_package;
    const options = { issuerKeys: KEYS, now: NOW };
    const withPackage = { ...options, claim: { hashesJson: MANIFEST } };
    expect(await verify(SAMPLE.json, withPackage)).toMatchObject({ valid: true });
    const refreshed = signed({ claims: [word(claim)], sub: word(sub) });
    const refresh = { idComm, issuedAt: BigInt(issuedAt) };
    expect(await verify(refreshed, { ...options, claim: refresh })).toMatchObject({ valid: true });
    expect(await verify(refreshed, withPackage)).toMatchObject({ code: 'credential.claim_differs' });
    expect(await verify(SAMPLE.json, { ...options, claim: refresh })).toMatchObject({
      code: 'credential.claim_differs',
    });
  });
});

describe('verifyCredential of a text that is not a credential', () => {
  it.each([
    ['id', SAMPLE.json.replace('1311768467463790320', '18446744073709551616')],
    ['version', SAMPLE.json.replace('"V1"', '"V2"')],
    ['claims[15]', SAMPLE.json.replace('0"],', '1"],')],
    ['sub', SAMPLE.json.replace(SAMPLE.sub, '0xg')],
    ['genesis_issued_at', SAMPLE.json.replace('{', '{"genesis_issued_at":1,')],
    ['issuer.kid', SAMPLE.json.replace('"issuer":{', '"issuer":{"kid":1,')],
    [undefined, ''],
    [undefined, '{'],
    [undefined, SAMPLE.base64.slice(1)],
    [undefined, `${SAMPLE.json}${' '.repeat(65_536)}`],
  ])('names the member %s', async (path, text) => {
    const verdict = await check(text);
    expect(verdict).toMatchObject({ valid: false, code: 'credential.invalid' });
    expect('path' in verdict ? verdict.path : undefined).toBe(path);
    if (path !== undefined)
      expect(verdict.message).toMatch(new RegExp(`^${path.replace(/[[\]]/g, '\\$&')}: `));
    expect(Object.keys(verdict)).not.toContain('credential');
    expect(verdict.faults).toHaveLength(1);
  });
});

describe('verifyCredential, what the options ask for', () => {
  it('refuses from the second of expiry on', async () => {
    const at = (now: number) => codes(SAMPLE.json, { now: new Date(now) });
    expect(await at(1_794_607_999_999)).toEqual([]);
    expect(await at(1_794_608_000_000)).toEqual(['credential.expired']);
    const endless = signed({ expiresAt: 0xffff_ffff_ffff_ffffn });
    expect(await check(endless, { now: new Date(8.64e15) })).toMatchObject({
      valid: true,
      credential: { expiresAt: 18_446_744_073_709_551_615n },
    });
  });

  it('takes the time of this machine unless another is given', async () => {
    const now = BigInt(Math.floor(Date.now() / 1000));
    const at = (expiresAt: bigint) => verifyCredential(signed({ expiresAt }), { issuerKeys: KEYS });
    expect(await at(now + 1000n)).toMatchObject({ valid: true });
    expect(await at(now - 1000n)).toMatchObject({ code: 'credential.expired' });
  });

  it('refuses a first issuance before the minimum', async () => {
    for (const [minimum, expected] of [
      [1_700_000_000, []],
      [1_700_000_000n, []],
      [1_700_000_001, ['credential.genesis_too_early']],
    ] as const)
      expect(await codes(SAMPLE.json, { minGenesisIssuedAt: minimum })).toEqual(expected);
  });

  it('refuses another kind of credential', async () => {
    expect(await codes(SAMPLE.json, { issuerSchemaId: 1 })).toEqual([]);
    expect(await codes(SAMPLE.json, { issuerSchemaId: 2n })).toEqual(['credential.schema_differs']);
  });

  it('refuses a claim over other bytes, another holder or another time', async () => {
    const { id_comm: idComm, sub, unix_seconds, claim } = VECTORS.claim_without_package;
    const issuedAt = Number(unix_seconds);
    const text = signed({ claims: [word(claim)], sub: word(sub) });
    const differs = ['credential.claim_differs'];
    expect(await codes(text, { claim: { idComm: BigInt(idComm), issuedAt, sub } })).toEqual([]);
    expect(await codes(text, { claim: { idComm, issuedAt: issuedAt + 1 } })).toEqual(differs);
    expect(await codes(text, { claim: { idComm: sub, issuedAt } })).toEqual(differs);
    expect(await codes(text, { claim: { idComm, issuedAt, sub: idComm } })).toEqual(differs);
    const spaced = Buffer.concat([MANIFEST, Buffer.from('\n')]);
    expect(await codes(SAMPLE.json, { claim: { hashesJson: spaced } })).toEqual(differs);
    // The claim is that of another holder, although it is the hash of the data that is given.
    const stolen = signed({ claims: [word(claim)], sub: word('5') });
    expect(await codes(stolen, { claim: { idComm, issuedAt, sub } })).toEqual(differs);
  });

  it('reports everything that is wrong and what the credential says', async () => {
    const text = SAMPLE.json.replace('1700000000', '1600000000');
    const verdict = await check(text, {
      issuerKeys: keyList({ status: 'revoked' }),
      now: new Date(1_794_608_000_000),
      issuerSchemaId: 3,
      minGenesisIssuedAt: 1_700_000_000,
      claim: { hashesJson: Buffer.from('{}') },
    });
    expect(verdict.faults.map(({ code }) => code)).toEqual([
      'credential.signature',
      'credential.key_revoked',
      'credential.schema_differs',
      'credential.expired',
      'credential.genesis_too_early',
      'credential.claim_differs',
    ]);
    expect(verdict).toMatchObject({
      credential: { genesisIssuedAt: 1_600_000_000n },
      key: { x: X, y: Y, status: 'revoked' },
    });
  });
});

describe('verifyCredential, issuer keys', () => {
  const forms: readonly (readonly [what: string, issuerKeys: Options['issuerKeys']])[] = [
    ['the text of the answer', KEYS],
    ['the parsed answer', JSON.parse(KEYS)],
    ['its members', JSON.parse(KEYS).keys],
    ['a retired key', keyList({ status: 'retired' })],
    ['several keys', keyList({ pk: OTHER }, { schema: '2' }, {})],
    [
      'text with members that it does not know',
      KEYS.replace('"status"', '"kid":[null,true,1.5,{}],"status"'),
    ],
    ['pairs', [[SAMPLE.public_key[0], Y]]],
    ['points', [{ x: X, y: SAMPLE.public_key[1] }]],
    ['a point of the kind', [{ x: X, y: Y, issuerSchemaId: 1n, status: 'active' }]],
  ];
  it.each(forms)('accepts %s', async (_, issuerKeys) => {
    expect(await check(SAMPLE.json, { issuerKeys })).toMatchObject({ valid: true, key: { x: X, y: Y } });
  });

  const refused: readonly (readonly [what: string, issuerKeys: Options['issuerKeys'], code: string])[] = [
    ['no key', [], 'credential.key_unknown'],
    ['an empty list', '{"keys":[]}', 'credential.key_unknown'],
    ['another key', keyList({ pk: OTHER }), 'credential.key_unknown'],
    ['the key with x and y exchanged', [[Y, X]], 'credential.key_unknown'],
    ['the key with another y', [[X, SCALAR_ORDER - Y]], 'credential.key_unknown'],
    ['the key of another kind', keyList({ schema: '2' }), 'credential.key_unknown'],
    ['a point of another kind', [{ x: X, y: Y, issuerSchemaId: 2 }], 'credential.key_unknown'],
    ['a revoked key', keyList({ status: 'revoked' }), 'credential.key_revoked'],
    ['a revoked point', [{ x: X, y: Y, status: 'revoked' }], 'credential.key_revoked'],
    [
      'a key that is listed twice and once revoked',
      keyList({}, { status: 'revoked' }),
      'credential.key_revoked',
    ],
    [
      'a key that is revoked for another kind',
      keyList({}, { schema: '2', status: 'revoked' }),
      'credential.key_revoked',
    ],
  ];
  it.each(refused)('refuses a credential with %s', async (_, issuerKeys, code) => {
    expect(await codes(SAMPLE.json, { issuerKeys })).toEqual([code]);
  });

  it('compares an issuer_schema_id beyond 2^53 exactly', async () => {
    const text = signed({ issuerSchemaId: 9_007_199_254_740_993n });
    const list = keyList({ schema: '9007199254740993' });
    expect(await codes(text, { issuerKeys: list })).toEqual([]);
    expect(await codes(text, { issuerKeys: keyList({ schema: '9007199254740992' }) })).toEqual([
      'credential.key_unknown',
    ]);
    await expect(check(text, { issuerKeys: JSON.parse(list) })).rejects.toMatchObject({
      code: 'credential.issuer_keys',
      message: expect.stringContaining('pass the text'),
    });
  });
});

describe('verifyCredential called wrongly', () => {
  const key = { issuer_schema_id: 1, pk: SAMPLE.public_key, status: 'active' };
  const wrong: readonly (readonly [what: string, options: unknown, code: string])[] = [
    ['no options', undefined, 'credential.option'],
    ['no keys', {}, 'credential.issuer_keys'],
    ['null as keys', { issuerKeys: null }, 'credential.issuer_keys'],
    ['a text that is not JSON', { issuerKeys: '<html>' }, 'credential.issuer_keys'],
    ['a repeated member', { issuerKeys: KEYS.replace('{', '{"keys":[],') }, 'credential.issuer_keys'],
    ['one key instead of a list', { issuerKeys: SAMPLE.public_key }, 'credential.issuer_keys'],
    ['a key without status', { issuerKeys: [{ ...key, status: undefined }] }, 'credential.issuer_keys'],
    ['an unknown status', { issuerKeys: [{ ...key, status: 'suspended' }] }, 'credential.issuer_keys'],
    [
      'a kind that is no number',
      { issuerKeys: [{ ...key, issuer_schema_id: '1' }] },
      'credential.issuer_keys',
    ],
    ['a negative kind', { issuerKeys: [{ ...key, issuer_schema_id: -1 }] }, 'credential.issuer_keys'],
    ['a fractional kind', { issuerKeys: keyList({ schema: '1.5' }) }, 'credential.issuer_keys'],
    ['one coordinate', { issuerKeys: [[X]] }, 'credential.issuer_keys'],
    ['three coordinates', { issuerKeys: [[X, Y, 1n]] }, 'credential.issuer_keys'],
    ['a coordinate with a leading zero', { issuerKeys: [[`0${X}`, Y]] }, 'credential.issuer_keys'],
    ['a coordinate that is a double', { issuerKeys: [{ x: 1, y: 2 }] }, 'credential.issuer_keys'],
    ['a coordinate not below the order', { issuerKeys: [[X, Y + (1n << 254n)]] }, 'credential.issuer_keys'],
    ['a time in milliseconds', { issuerKeys: KEYS, now: 1_700_000_000_000 }, 'credential.option'],
    ['an invalid Date', { issuerKeys: KEYS, now: new Date('x') }, 'credential.option'],
    ['a fractional minimum', { issuerKeys: KEYS, minGenesisIssuedAt: 1.5 }, 'credential.option'],
    ['a negative minimum', { issuerKeys: KEYS, minGenesisIssuedAt: -1n }, 'credential.option'],
    ['a kind as text', { issuerKeys: KEYS, issuerSchemaId: '1' }, 'credential.option'],
    ['a kind above a u64', { issuerKeys: KEYS, issuerSchemaId: 1n << 64n }, 'credential.option'],
    ['an empty claim', { issuerKeys: KEYS, claim: {} }, 'credential.option'],
    ['a claim over text', { issuerKeys: KEYS, claim: { hashesJson: '{}' } }, 'credential.option'],
    ['a claim over no bytes', { issuerKeys: KEYS, claim: { hashesJson: bytes('') } }, 'credential.option'],
    ['an idComm without 0x', { issuerKeys: KEYS, claim: { idComm: '12', issuedAt: 1 } }, 'credential.option'],
    ['a claim without time', { issuerKeys: KEYS, claim: { idComm: '0x12' } }, 'credential.option'],
    [
      'a sub above the field',
      { issuerKeys: KEYS, claim: { idComm: 1n, issuedAt: 1, sub: 1n << 255n } },
      'credential.option',
    ],
  ];
  it.each(wrong)('rejects %s', async (_, options, code) => {
    await expect(verifyCredential(SAMPLE.json, options as Options)).rejects.toMatchObject({
      name: 'ProofgateError',
      code,
    });
  });

  it('rejects if there is no crypto core', async () => {
    const verify = credentialVerifier(() => Promise.reject(new ServiceError('engine.backend_unavailable')));
    await expect(verify(SAMPLE.json, { issuerKeys: KEYS })).rejects.toMatchObject({
      name: 'ProofgateError',
      code: 'engine.backend_unavailable',
    });
  });

  it('rejects a credential that is no string', async () => {
    for (const text of [undefined, null, JSON.parse(SAMPLE.json), Buffer.from(SAMPLE.json)]) {
      const answer = verifyCredential(text as string, { issuerKeys: KEYS });
      await expect(answer).rejects.toMatchObject({ name: 'ProofgateError', code: 'credential.text' });
    }
  });
});
