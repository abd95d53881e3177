import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { type Sp1Statement, sp1Signals, splitSp1Proof } from '../../../src/groth16/zkvm/sp1.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { R } from '../../support/crypto/bn254.ts';
import { bytesOf, RISC0, refusalOf, SP1, vectorOf } from './support/vectors.ts';

const V5 = vectorOf(SP1, 'sp1 v5.0.0');
const V6 = vectorOf(SP1, 'sp1 v6.0.0');
const statementOf = ({ vkeyHash, publicValues, proof }: typeof V5) => ({ vkeyHash, publicValues, proof });
/** The v6 proof with another word in its head: 0 exit code, 1 recursion root, 2 nonce. */
const withHead = (index: number, word: string): string => {
  const at = 10 + 64 * index;
  return V6.proof.slice(0, at) + word + V6.proof.slice(at + 64);
};
const ONE = '1'.padStart(64, '0');

describe('sp1Signals', () => {
  it.each(SP1)('of a real proof of $name', (vector) => {
    expect(sp1Signals(statementOf(vector)).map(String)).toEqual(vector.publicSignals);
  });

  it('takes bytes', () => {
    const { vkeyHash, publicValues, proof } = statementOf(V6);
    const signals = sp1Signals({
      vkeyHash: bytesOf(vkeyHash),
      publicValues: bytesOf(publicValues),
      proof: bytesOf(proof),
    });
    expect(signals.map(String)).toEqual(V6.publicSignals);
  });

  it('takes the hash of the public values in place of them, whose top three bits do not count', () => {
    const digest = sha256(bytesOf(V5.publicValues));
    const { vkeyHash, proof } = V5;
    const cleared = digest.slice();
    cleared[0] = (cleared[0] ?? 0) & 0x1f;
    for (const publicValuesDigest of [digest, toHex(digest), cleared]) {
      expect(sp1Signals({ vkeyHash, proof, publicValuesDigest }).map(String)).toEqual(V5.publicSignals);
    }
    expect(digest).toEqual(sha256(bytesOf(V5.publicValues)));
  });

  it('hashes no public values as SHA-256 of nothing', () => {
    const signals = sp1Signals({ ...statementOf(V5), publicValues: '0x' });
    const hash = BigInt('0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(signals[1]).toBe(hash & ((1n << 253n) - 1n));
  });

  it('takes the nonce of the proof, and the recursion root of an unknown release', () => {
    expect(sp1Signals({ ...statementOf(V6), proof: withHead(2, ONE) })[4]).toBe(1n);
    const unknown = V6.proof.replace('0x0e78f4db', '0x01020304');
    const vkRoot = `0x${V6.proof.slice(74, 138)}`;
    expect(sp1Signals({ ...statementOf(V6), proof: unknown, vkRoot }).map(String)).toEqual(V6.publicSignals);
    expect(refusalOf(() => sp1Signals({ ...statementOf(V6), proof: unknown }))).toMatchObject({
      code: 'proof.form',
      message: 'proof: unknown selector 0x01020304: pass vkRoot of that release',
    });
  });

  it('takes an unknown selector of a proof without head: only the key can tell', () => {
    const proof = V5.proof.replace('0xa4594c59', '0x01020304');
    expect(sp1Signals({ ...statementOf(V5), proof }).map(String)).toEqual(V5.publicSignals);
  });

  const v5 = statementOf(V5);
  const v6 = statementOf(V6);
  const { publicValues: _, ...withoutValues } = v5;
  it.each<[string, object, string, string]>([
    ['a failed program', { ...v6, proof: withHead(0, ONE) }, 'proof.form', 'exit code 1'],
    ['another recursion root', { ...v6, proof: withHead(1, ONE) }, 'proof.form', 'not that of sp1 v6.0.0'],
    [
      'another root, though it is passed too',
      { ...v6, proof: withHead(1, ONE), vkRoot: `0x${ONE}` },
      'proof.form',
      'not that of sp1 v6.0.0',
    ],
    [
      'a root that is not the passed one, of an unknown release',
      { ...v6, proof: V6.proof.replace('0x0e78f4db', '0x01020304'), vkRoot: `0x${ONE}` },
      'proof.form',
      'not that of vkRoot',
    ],
    ['nothing', undefined as never, 'input.form', 'got nothing'],
    ['a nonce from r', { ...v6, proof: withHead(2, R.toString(16)) }, 'proof.form', 'word 2'],
    [
      'a v6 selector without head',
      { ...v6, proof: V6.proof.slice(0, 10) + V6.proof.slice(-512) },
      'proof.length',
      '356 bytes of sp1 v6.0.0',
    ],
    [
      'a v5 selector with head',
      { ...v6, proof: V6.proof.replace('0x0e78f4db', '0xa4594c59') },
      'proof.length',
      '260 bytes of sp1 v5.0.0',
    ],
    ['no selector', { ...v5, proof: `0x${V5.proof.slice(-512)}` }, 'proof.length', 'got 256 bytes'],
    ['a short proof', { ...v5, proof: V5.proof.slice(0, -2) }, 'proof.length', 'selector of sp1 v5.0.0'],
    ['a mock proof', { ...v5, proof: '0x' }, 'proof.length', 'got 0 bytes (a mock proof'],
    ['a seal of RISC Zero', { ...v5, proof: RISC0[0]?.seal }, 'proof.form', 'risc0 v3.0'],
    [
      'a PLONK proof',
      { ...v5, proof: `0xd4e8ecd2${'00'.repeat(864)}` },
      'proof.length',
      'selector of sp1 v5.0.0, PLONK',
    ],
    ['hex without 0x', { ...v5, proof: V5.proof.slice(2) }, 'proof.form', '0x before'],
    ['a digit too few', { ...v5, vkeyHash: V5.vkeyHash.slice(0, -1) }, 'input.form', 'odd number'],
    ['31 bytes', { ...v5, vkeyHash: V5.vkeyHash.slice(0, -2) }, 'input.form', '32 bytes, got 31'],
    ['a bad digit', { ...v5, vkeyHash: `${V5.vkeyHash.slice(0, -1)}g` }, 'input.form', 'only hex digits'],
    ['a key hash from r', { ...v5, vkeyHash: `0x${R.toString(16)}` }, 'input.range', 'below the scalar'],
    ['no public values', withoutValues, 'input.form', 'either publicValues'],
    [
      'both values and digest',
      { ...v5, publicValuesDigest: `0x${ONE}` },
      'input.form',
      'either publicValues',
    ],
    ['a short digest', { ...withoutValues, publicValuesDigest: '0x00' }, 'input.form', '32 bytes, got 1'],
    ['a number', { ...v5, vkeyHash: 1n }, 'input.form', 'got a bigint'],
  ])('refuses %s', (_name, statement, code, message) => {
    const refusal = refusalOf(() => sp1Signals(statement as Sp1Statement));
    expect(refusal?.code).toBe(code);
    expect(refusal?.message).toContain(message);
  });
});

describe('splitSp1Proof', () => {
  it('gives selector, 256 bytes, and the head from v6 on', () => {
    expect(splitSp1Proof(V5.proof)).toEqual({
      selector: '0xa4594c59',
      proof: bytesOf(`0x${V5.proof.slice(-512)}`),
    });
    expect(splitSp1Proof(V6.proof)).toEqual({
      selector: '0x0e78f4db',
      proof: bytesOf(`0x${V6.proof.slice(-512)}`),
      head: { exitCode: 0n, vkRoot: BigInt(`0x${V6.proof.slice(74, 138)}`), nonce: 0n },
    });
  });
});
