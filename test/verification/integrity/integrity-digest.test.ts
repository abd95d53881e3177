// Rules: spec/worldid4.md#integrity-bundle
import { describe, expect, it } from 'vitest';
import {
  type AttestedRequest,
  attestedBytes,
  payloadDigest,
  responsesHash,
} from '../../../src/verification/integrity/integrity-digest.ts';
import { sha256 } from './support/device.ts';

const NONCE = '0x0173a589d3c9521737a63bb59a9839d9ff0aaf129b91ce4d6e28077bba919e91';
const SESSION_ACTION = `0x02${'00'.repeat(30)}04`;
const SESSION: AttestedRequest = {
  protocol: '4.0',
  kind: 'session',
  nonce: NONCE,
  responses: [{ issuer_schema_id: 11, session_nullifier: ['3', SESSION_ACTION], sybil_score: 10 }],
};
const VECTOR = '7eb811a459b760caa1896abff47795f995ec0cfb6f8499d2bc91b3e09cbf8698';
const UNIQUENESS: AttestedRequest = {
  ...SESSION,
  kind: 'uniqueness',
  responses: [{ issuer_schema_id: 1, nullifier: '0xab' }],
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const word = (digits: string): Buffer => Buffer.from(digits.padStart(64, '0'), 'hex');
const u32 = (value: number): Buffer => Buffer.of(0, 0, 0, value);

describe('the digest of a payload', () => {
  it('is that of the vector for version 2 and a session item of issuer 11', () => {
    expect(hex(payloadDigest(SESSION, 2))).toBe(VECTOR);
  });

  it.each([
    ['the issuer is a text', { issuer_schema_id: '11' }],
    ['the issuer has leading zeros', { issuer_schema_id: '011' }],
    ['numbers are written in another form', { session_nullifier: ['0X3', SESSION_ACTION.toUpperCase()] }],
  ])('is unchanged if %s', (_, changes) => {
    const responses = [{ ...SESSION.responses[0], ...changes }];
    const nonce = BigInt(NONCE).toString();
    expect(hex(payloadDigest({ ...SESSION, nonce, responses }, 2))).toBe(VECTOR);
  });

  it('binds one word and no score of a uniqueness item of another issuer', () => {
    const expected = sha256(
      'worldcoin/proof-integrity/v4',
      word(NONCE.slice(2)),
      u32(1),
      Buffer.of(0),
      word('ab'),
      u32(0),
    );
    expect(hex(payloadDigest(UNIQUENESS, 2))).toBe(hex(expected));
    const scored = { ...UNIQUENESS, responses: [{ ...UNIQUENESS.responses[0], sybil_score: 5 }] };
    expect(hex(payloadDigest(scored, 2))).toBe(hex(expected));
  });

  it('binds only the nonce in version 1', () => {
    const expected = hex(sha256('worldcoin/proof-integrity/v4', word(NONCE.slice(2))));
    expect(hex(payloadDigest(SESSION, 1))).toBe(expected);
    expect(hex(payloadDigest(UNIQUENESS, 1))).toBe(expected);
  });

  it('binds the proof texts of a 3.0 request, with their lengths in bytes', () => {
    const request: AttestedRequest = {
      protocol: '3.0',
      kind: 'uniqueness',
      nonce: 'no number',
      responses: [{ proof: '0xabc' }, { proof: 'é' }],
    };
    const expected = sha256('worldcoin/proof-integrity/v3', u32(2), u32(5), '0xabc', u32(2), 'é');
    expect(hex(payloadDigest(request, 1))).toBe(hex(expected));
  });

  it.each([
    ['a nonce that is no number', { nonce: 'ab' }],
    ['a nonce of 65 digits', { nonce: `0x${'0'.repeat(65)}` }],
    ['a nonce that is not below 2^256', { nonce: (2n ** 256n).toString() }],
    ['an empty nonce', { nonce: '' }],
    ['a word that is no number', { responses: [{ ...SESSION.responses[0], session_nullifier: ['3', 'x'] }] }],
    [
      'an item of issuer 11 without a score',
      { responses: [{ ...SESSION.responses[0], sybil_score: undefined }] },
    ],
  ])('is refused for %s', (_, changes) => {
    expect(() => payloadDigest({ ...SESSION, ...changes }, 2)).toThrowError(
      expect.objectContaining({ code: 'verify.integrity_failed', details: { rule: 'unreadable_number' } }),
    );
  });
});

describe('the bytes that a device attests to', () => {
  it('are the time as 64 bits, big-endian, and the digest of the payload', () => {
    expect(hex(attestedBytes(SESSION, 2, 1_800_000_000))).toBe(`000000006b49d200${VECTOR}`);
    expect(hex(attestedBytes(SESSION, 2, Number.MAX_SAFE_INTEGER))).toBe(`001fffffffffffff${VECTOR}`);
  });
});

describe('the hash of the responses', () => {
  const item = { identifier: 'orb', issuer_schema_id: 1, nullifier: '0x1', proof: ['1', '2', '3', '4', '5'] };
  const request: AttestedRequest = { ...UNIQUENESS, responses: [item, { ...item, nullifier: '0x2' }] };
  const first = hex(responsesHash(request));

  it('does not depend on the order of members, or on fields that the service does not read', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    const again = Object.fromEntries(
      Object.entries({ ...item, extra: deep, session_nullifier: deep }).reverse(),
    );
    expect(hex(responsesHash({ ...request, responses: [again, { ...item, nullifier: '0x2' }] }))).toBe(first);
  });

  it.each([
    ['nonce', { nonce: '5' }],
    ['version', { protocol: '3.0' as const }],
    ['order of items', { responses: request.responses.toReversed() }],
    ['number of items', { responses: [item] }],
    ['proof', { responses: [{ ...item, proof: ['1', '2', '3', '4', '6'] }, request.responses[1] ?? {}] }],
    ['signal', { responses: [{ ...item, signal_hash: '0x1' }, request.responses[1] ?? {}] }],
    ['bound of time', { responses: [{ ...item, expires_at_min: 1 }, request.responses[1] ?? {}] }],
  ])('changes with the %s', (_, changes) => {
    expect(hex(responsesHash({ ...request, ...changes }))).not.toBe(first);
  });
});
