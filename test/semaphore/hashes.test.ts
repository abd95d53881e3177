import { describe, expect, it } from 'vitest';
import { externalNullifier, hashSignal, hashToField, rpIdOf } from '../../src/semaphore/hashes.ts';
import { toHex } from '../../src/semaphore/hex.ts';
import { createActionWords } from '../../src/verification/run/verify-item.ts';
import { VECTORS } from '../verification/support/vectors.ts';

const APPS = [
  'app_369183bd38f1641b6964ab51d7a20434',
  'app_staging_45068dca85829d2fd90e2dd6f0bff997',
  'app_10eb12bd96d8f7202892ff25f094c803',
] as const;

describe('hashSignal', () => {
  it.each([
    ['', '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4'],
    ['test_signal', '0x00c1636e0a961a3045054c4d61374422c31a95846b8442f0927ad2ff1d6112ed'],
    [Uint8Array.of(1, 2, 3), '0x00f1885eda54b7a053318cd41e2093220dab15d65381b1157a3633a83bfd5c92'],
    ['0x010203', '0x00f1885eda54b7a053318cd41e2093220dab15d65381b1157a3633a83bfd5c92'],
    ['0x68656c6c6f', '0x001c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36dea'],
    ['hello', '0x001c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36dea'],
    [
      '0x3df41d9d0ba00d8fbe5a9896bb01efc4b3787b7c',
      '0x008c8aee1da6dd63c3fd6c420eab6a55882e7f1a3f97b27853e75eb8ffc8032f',
    ],
  ])('hashes %j', (signal, expected) => {
    expect(toHex(hashSignal(signal))).toBe(expected);
  });

  it.each(['0x', '0xabc', '0xzz', '0X68656c6c6f', '68656c6c6f'])('treats %j as text', (signal) => {
    expect(hashSignal(signal)).toEqual(hashToField(Buffer.from(signal)));
  });

  it('computes the signal_hash of every test vector with a known signal', () => {
    const known = VECTORS.filter(({ signal }) => signal !== undefined);
    expect(known.length).toBeGreaterThanOrEqual(2);
    for (const { signal, signal_hash } of known) expect(toHex(hashSignal(signal ?? ''))).toBe(signal_hash);
  });
});

describe('externalNullifier', () => {
  it.each([
    [APPS[0], undefined, '0x0073e4a6b670e81dc619b1f8703aa7491dc5aaadf75409aba0ac2414014c0227'],
    [APPS[0], 'test-action', '0x00dd12b56cebf29593d6d3208a061bbb19e60152c56045f277a15989d25d5215'],
    [APPS[1], 'test-action-qli8g', '0x00d8b157e767dc59faa533120ed0ce34fc51a71937292ea8baed6ee6f4fda866'],
    [APPS[2], 'test-123123', '0x0065ebab05692ff2e0816cc4c3b83216c33eaa4d906c6495add6323fe0e2dc89'],
  ])('of %s and %s', (appId, action, expected) => {
    expect(toHex(externalNullifier(appId, action))).toBe(expected);
  });

  it('equals that of every test vector with a known app', () => {
    const known = VECTORS.filter(({ app_id }) => app_id !== undefined);
    expect(known.length).toBeGreaterThanOrEqual(3);
    for (const { app_id = '', action, external_nullifier_hash } of known) {
      expect(toHex(externalNullifier(app_id, action))).toBe(external_nullifier_hash);
    }
  });

  it('does not decode an action that looks like hex', () => {
    expect(externalNullifier(APPS[0], '0x61')).not.toEqual(externalNullifier(APPS[0], 'a'));
  });
});

describe('cached external nullifiers', () => {
  it('equal the computed ones, also on repetition and after eviction', () => {
    const of = createActionWords(externalNullifier, 3);
    for (let round = 0; round < 2; round++) {
      for (const appId of APPS) {
        for (const action of ['a', 'b', 'a b', '']) {
          expect(of(appId, action)).toEqual(externalNullifier(appId, action));
          expect(of(appId, action)).toBe(of(appId, action));
        }
      }
    }
  });

  it('are not confused with those of an app with an id and action that concatenate to the same text', () => {
    const of = createActionWords(externalNullifier);
    expect(of('app_1', '2 x')).not.toEqual(of('app_1 2', 'x'));
  });
});

describe('rpIdOf', () => {
  it.each([
    [APPS[0], 'rp_47ac69c81397b357'],
    [APPS[1], 'rp_e2593cdb7fed378e'],
    [APPS[2], 'rp_2d0a1f36a6679f0d'],
  ])('of %s', (appId, expected) => {
    expect(rpIdOf(appId)).toBe(expected);
  });
});
