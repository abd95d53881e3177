import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import {
  type Risc0Claim,
  type Risc0Release,
  risc0ClaimDigest,
  risc0Signals,
  taggedStruct,
} from '../../../src/groth16/zkvm/risc0.ts';
import { RISC0_VERSIONS } from '../../../src/groth16/zkvm/versions.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { bytesOf, RISC0, refusalOf, SP1, vectorOf } from './support/vectors.ts';

const V3 = vectorOf(RISC0, 'risc0 v3.0');
const { seal, imageId, journal, claimDigest } = V3;

describe('risc0Signals', () => {
  it.each(RISC0)('of a real seal of $name', (vector) => {
    const claim = { imageId: vector.imageId, journal: vector.journal };
    expect(risc0Signals(claim, { seal: vector.seal }).map(String)).toEqual(vector.publicSignals);
  });

  const row = RISC0_VERSIONS.find(({ name }) => name === 'risc0 v3.0');
  const claims: [string, Risc0Claim][] = [
    ['the claim digest', { claimDigest }],
    ['image id and journal', { imageId, journal }],
    ['image id and journal as bytes', { imageId: bytesOf(imageId), journal: bytesOf(journal) }],
    ['image id and hash of the journal', { imageId, journalDigest: sha256(bytesOf(journal)) }],
  ];
  const releases: [string, Risc0Release][] = [
    ['the seal', { seal }],
    ['the seal as bytes', { seal: bytesOf(seal) }],
    ['the selector', { selector: '0x73C457BA' }],
    ['the selector as bytes', { selector: bytesOf('0x73c457ba') }],
    [
      'root and control id',
      { controlRoot: row?.controlRoot ?? '', bn254ControlId: row?.bn254ControlId ?? '' },
    ],
  ];
  const ways = claims.flatMap(([claim, a]) =>
    releases.map(([release, b]) => [claim, release, a, b] as const),
  );
  it.each(ways)('are the same from %s and %s', (_claim, _release, claim, release) => {
    expect(risc0Signals(claim, release).map(String)).toEqual(V3.publicSignals);
  });

  it('split a digest into little-endian halves', () => {
    const digest = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
    const [, , low, high] = risc0Signals({ claimDigest: digest }, { seal });
    expect([low, high]).toEqual([0x100f0e0d0c0b0a090807060504030201n, 0x201f1e1d1c1b1a191817161514131211n]);
    expect(digest[0]).toBe(1);
  });

  const claim = { imageId, journal };
  const controlRoot = row?.controlRoot;
  const reversed = toHex(bytesOf(row?.bn254ControlId ?? '').reverse());
  it.each<[string, object, object, string, string]>([
    ['a seal without selector', claim, { seal: `0x${seal.slice(10)}` }, 'proof.length', 'it has no selector'],
    ['a short seal', claim, { seal: seal.slice(0, -2) }, 'proof.length', 'got 259'],
    [
      'a fake seal',
      claim,
      { seal: `0xffffffff${claimDigest.slice(2)}` },
      'proof.length',
      'got 36 with the selector of risc0, fake',
    ],
    ['a proof of SP1', claim, { seal: SP1[0]?.proof }, 'proof.form', 'the selector of sp1 v4.0.0'],
    ['a fake receipt', claim, { selector: '0xffffffff' }, 'proof.form', 'fake receipt'],
    ['a set inclusion seal', claim, { selector: '0x242f9d5b' }, 'proof.form', 'set verifier v0.9'],
    ['an unknown selector', claim, { selector: '0x01020304' }, 'proof.form', 'pass controlRoot'],
    ['a selector of 3 bytes', claim, { selector: '0x010203' }, 'proof.length', 'expected 4 bytes'],
    ['a selector without 0x', claim, { selector: '73c457ba' }, 'proof.form', '0x before'],
    ['no release', claim, {}, 'proof.form', 'selector: expected bytes'],
    ['a root alone', claim, { controlRoot }, 'input.form', 'bn254ControlId'],
    [
      'the control id in the order of the crates',
      claim,
      { controlRoot, bn254ControlId: reversed },
      'input.range',
      'the reverse',
    ],
    ['a short root', claim, { controlRoot: '0x00', bn254ControlId: reversed }, 'input.form', 'got 1'],
    ['an image id of 31 bytes', { imageId: imageId.slice(0, -2), journal }, { seal }, 'input.form', 'got 31'],
    ['no object as claim', undefined as never, { seal }, 'input.form', 'got nothing'],
    ['a list as release', claim, [], 'input.form', 'got an array'],
    ['no image id', { journal }, { seal }, 'input.form', 'imageId: expected bytes'],
    ['no journal', { imageId }, { seal }, 'input.form', 'either journal'],
    ['journal and its hash', { imageId, journal, journalDigest: imageId }, { seal }, 'input.form', 'either'],
    ['a journal that is no hex', { imageId, journal: 'I just' }, { seal }, 'input.form', '0x before'],
    ['a long claim digest', { claimDigest: `${claimDigest}00` }, { seal }, 'input.form', 'got 33'],
  ])('refuse %s', (_name, badClaim, release, code, message) => {
    const refusal = refusalOf(() => risc0Signals(badClaim as Risc0Claim, release as Risc0Release));
    expect(refusal?.code).toBe(code);
    expect(refusal?.message).toContain(message);
  });
});

describe('risc0ClaimDigest', () => {
  it.each(RISC0)('of $name', (vector) => {
    expect(toHex(risc0ClaimDigest(vector))).toBe(vector.claimDigest);
  });

  it('depends on an empty journal as SHA-256 of nothing', () => {
    const journalDigest = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect(risc0ClaimDigest({ imageId, journal: '0x' })).toEqual(
      risc0ClaimDigest({ imageId, journalDigest }),
    );
  });
});

describe('taggedStruct', () => {
  it('gives the published digest of the state after the end of a program', () => {
    // SYSTEM_STATE_ZERO_DIGEST (risc0/risc0-ethereum, contracts/src/IRiscZeroVerifier.sol)
    expect(toHex(taggedStruct('risc0.SystemState', [new Uint8Array(32)], new Uint8Array(4)))).toBe(
      '0xa3acc27117418996340b84e5a90f3ef4c49d22c79e44aad822ec9c313e1eb8e2',
    );
  });
});
