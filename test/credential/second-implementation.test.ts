// Rules: spec/credential.md#credential-hashes and spec/credential.md#eddsa-poseidon2
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type PlainSigningKey,
  plainSign,
  plainSigningKey,
  plainVerify,
  SUBGROUP_ORDER,
} from '../../bench/contenders/eddsa-poseidon2.ts';
import { credentialJson } from '../../src/credential/credential.ts';
import { hashCredential, verifyCredential } from '../../src/credential/hash.ts';
import { parseCredential } from '../../src/credential/parse.ts';
import { compressKey } from '../../src/credential/public-key.ts';
import { describeEngineInThread } from '../engine/support/describe-engine.ts';
import { bytes, CREDENTIALS, word } from '../engine/support/vectors.ts';
import { casesOf } from '../support/cases.ts';
import { fieldsOf, numbers, plainHash, randomFields, VECTORS } from './support.ts';

const CASES = casesOf(1000, 20);
const next = numbers('credentials of random fields');
const KEYS: readonly PlainSigningKey[] = Array.from({ length: 8 }, (_, index) =>
  plainSigningKey(seedOf(index)),
);
/** Random credentials, each with its hash and signature in plain JavaScript. */
const ROWS = Array.from({ length: CASES }, (_, index) => {
  const fields = randomFields(next);
  const hash = plainHash(fields);
  const key = index % KEYS.length;
  return { fields, hash, key, signature: plainSign(KEYS[key] as PlainSigningKey, hash) };
});

const plainVerdicts = new Map<string, boolean>();
/** Verifies in plain JavaScript, the same signature once for all engines. */
function verifiedOnce(key: Uint8Array, hash: bigint, signature: Uint8Array): boolean {
  const call = [Buffer.from(key).toString('hex'), hash, Buffer.from(signature).toString('hex')].join(' ');
  const verdict = plainVerdicts.get(call) ?? plainVerify(key, hash, signature);
  plainVerdicts.set(call, verdict);
  return verdict;
}

function seedOf(index: number): Uint8Array {
  return bytes(numbers(`seed ${index}`)(256).toString(16).padStart(64, '0'));
}

/** Returns a signature whose s, the last 32 bytes, is changed. */
function withS(signature: Uint8Array, change: (s: bigint) => bigint): Uint8Array {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`);
  return Uint8Array.from([...signature.subarray(0, 32), ...word(String(change(s))).reverse()]);
}

function withBit(signature: Uint8Array, at: number, bit: number): Uint8Array {
  return signature.with(at, (signature[at] ?? 0) ^ bit);
}

describe('the plain JavaScript implementation', () => {
  it('computes the hashes of the vectors', () => {
    expect(VECTORS.credentials.map((row) => plainHash(fieldsOf(row)))).toEqual(
      VECTORS.credentials.map(({ hash }) => BigInt(hash)),
    );
  });
});

describeEngineInThread(`${CASES} credentials of random fields`, (engine) => {
  beforeAll(async () => {
    for (const [index, key] of KEYS.entries()) {
      const registered = await engine().registerSigningKey(`key-${index}`, seedOf(index));
      expect(registered.subarray(64)).toEqual(key.compressed);
    }
  });

  it('have the hash and signature of the second implementation, byte for byte', async () => {
    const made = await Promise.all(
      ROWS.map(async ({ fields, key }) => {
        const hash = await hashCredential(engine(), fields);
        return [hash, await engine().signCredentialHash(`key-${key}`, hash)];
      }),
    );
    for (const [index, { hash, signature }] of ROWS.entries()) {
      expect([index, ...(made[index] ?? [])]).toEqual([index, word(String(hash)), signature]);
    }
  });

  it('are unchanged after a round trip through JSON, and verify', async () => {
    const verdicts = await Promise.all(
      ROWS.map(async ({ fields, key, signature }) => {
        const [x, y] = (KEYS[key] as PlainSigningKey).publicKey;
        const pk = [String(x), String(y)] as const;
        const json = credentialJson(fields, signature, pk);
        const read = parseCredential(Buffer.from(json).toString('base64'));
        const claims = Array.from({ length: 16 }, (_, index) => fields.claims[index] ?? word('0'));
        expect(read.fields).toEqual({ ...fields, claims });
        expect(credentialJson(read.fields, read.signature, read.pk)).toBe(json);
        return await verifyCredential(engine(), read);
      }),
    );
    for (const [index, { hash, isSigned, key }] of verdicts.entries()) {
      const row = ROWS[index];
      expect([index, isSigned, hash, key]).toEqual([
        index,
        true,
        word(String(row?.hash)),
        KEYS[row?.key ?? -1]?.compressed,
      ]);
    }
  });

  it('are refused by both implementations when anything is changed', async () => {
    for (const { hash, key, signature } of ROWS.slice(0, casesOf(12, 6))) {
      const { compressed } = KEYS[key] as PlainSigningKey;
      const { compressed: foreign } = KEYS[(key + 1) % KEYS.length] as PlainSigningKey;
      const identity = bytes(`01${'00'.repeat(31)}`);
      const cases: readonly (readonly [
        what: string,
        key: Uint8Array,
        hash: bigint,
        signature: Uint8Array,
      ])[] = [
        ['another hash', compressed, hash ^ 1n, signature],
        ['another key', foreign, hash, signature],
        ['the identity as key', identity, hash, signature],
        ['-A', withBit(compressed, 31, 0x80), hash, signature],
        ['s + 1', compressed, hash, withS(signature, (s) => s + 1n)],
        ['s + L', compressed, hash, withS(signature, (s) => s + SUBGROUP_ORDER)],
        ['-s', compressed, hash, withS(signature, (s) => SUBGROUP_ORDER - s)],
        ['-R', compressed, hash, withBit(signature, 31, 0x80)],
        ['another R', compressed, hash, withBit(signature, 0, 1)],
        ['a byte less', compressed, hash, signature.subarray(0, 63)],
      ];
      for (const [what, publicKey, message, changed] of cases) {
        const ours = await engine().verifySignature(publicKey, word(String(message)), changed);
        expect([what, ours, verifiedOnce(publicKey, message, changed)]).toEqual([what, false, false]);
      }
    }
  });

  it('agree with the second implementation on the invalid signatures of the vectors', async () => {
    for (const { why, public_key_compressed, message, signature } of CREDENTIALS.eddsa_invalid.rows) {
      const key = bytes(public_key_compressed);
      const ours = await engine().verifySignature(key, word(message), bytes(signature));
      expect([why, ours, verifiedOnce(key, BigInt(message), bytes(signature))]).toEqual([why, false, false]);
    }
  });
});

describe(`${CASES} credentials of random fields, in plain JavaScript`, () => {
  // The test above shows that signatures of the engine have the same bytes.
  it('are verified by the second implementation', { timeout: 300_000 }, () => {
    for (const [index, { hash, key, signature }] of ROWS.entries()) {
      const { compressed, publicKey } = KEYS[key] as PlainSigningKey;
      expect(compressKey(word(String(publicKey[0])), word(String(publicKey[1])))).toEqual(compressed);
      expect([index, plainVerify(compressed, hash, signature)]).toEqual([index, true]);
    }
  });
});
