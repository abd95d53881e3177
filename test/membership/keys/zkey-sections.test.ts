// Rules: spec/verification.md#contributions
import { describe, expect, it } from 'vitest';
import { keyFromZkey } from '../../../src/membership/keys/key-from-zkey.ts';
import { contributionFault, type ZkeyContributions } from '../../../src/membership/keys/zkey-sections.ts';
import {
  builtInJson,
  type Contribution,
  contributionsSection,
  type Section,
  zkeyFile,
  zkeySections,
} from '../../support/crypto/make-zkey.ts';
import { expectRejected } from '../../support/rejects.ts';

const key = builtInJson('semaphore-depth16');
const read = async (section: Section): Promise<ZkeyContributions | null> =>
  (await keyFromZkey(zkeyFile([...zkeySections(key), section]))).contributions;
const person: Contribution = {};
const beacon: Contribution = { type: 1, parameters: Uint8Array.of(2, 10, 3, 2, 0xab, 0xcd) };
const foreign: Contribution = { delta: new Uint8Array(64).fill(1) };

describe('contributions of a zkey', () => {
  it.each<[string, Contribution[], ZkeyContributions, string | undefined]>([
    ['none', [], { count: 0, beacons: 0, isOfKey: false }, 'has no contribution'],
    ['one of a person', [person], { count: 1, beacons: 0, isOfKey: true }, undefined],
    [
      'one beacon',
      [beacon],
      { count: 1, beacons: 1, isOfKey: true },
      'its only contribution is a public beacon',
    ],
    [
      'two beacons',
      [beacon, beacon],
      { count: 2, beacons: 2, isOfKey: true },
      'all contributions are public beacons',
    ],
    ['a person and a beacon', [person, beacon], { count: 2, beacons: 1, isOfKey: true }, undefined],
    ['a beacon and a person', [beacon, person], { count: 2, beacons: 1, isOfKey: true }, undefined],
    [
      'those of another key',
      [person, foreign],
      { count: 2, beacons: 0, isOfKey: false },
      'contributions to another key',
    ],
    [
      'one with a long name',
      [{ parameters: new Uint8Array(1024) }],
      { count: 1, beacons: 0, isOfKey: true },
      undefined,
    ],
  ])('are counted: %s', async (_, contributions, expected, fault) => {
    const found = (await read(contributionsSection(contributions))) as ZkeyContributions;
    expect(found).toEqual(expected);
    if (fault === undefined) expect(contributionFault(found)).toBeUndefined();
    else expect(contributionFault(found)).toContain(fault);
  });

  it('are unknown where the file has no list', async () => {
    expect((await keyFromZkey(zkeyFile(zkeySections(key)))).contributions).toBeNull();
  });

  const [, whole] = contributionsSection([person, beacon]);
  it.each<[string, Section, string]>([
    ['nothing', [10, new Uint8Array()], 'section 10: expected at least 68 bytes, got 0'],
    ['half a head', [10, whole.subarray(0, 67)], 'section 10: expected at least 68 bytes, got 67'],
    [
      'a list that ends early',
      [10, whole.subarray(0, 68 + 391)],
      'section 10: it ends within contribution 1 of 2',
    ],
    [
      'one that ends in the parameters',
      [10, whole.subarray(0, -1)],
      'contribution 2 of 2: 6 bytes of parameters',
    ],
    [
      'a byte too many',
      [10, Buffer.concat([whole, Buffer.alloc(1)])],
      '1 bytes follow the last contribution',
    ],
    [
      'a count of 2^32 − 1',
      contributionsSection([person], 0xffffffff),
      'ends within contribution 2 of 4294967295',
    ],
    ['a count of 0', contributionsSection([person], 0), '392 bytes follow'],
    ['a type 2', contributionsSection([{ type: 2 }]), 'expected type 0 or 1 (beacon), got 2'],
    [
      'parameters of more than 1,024 bytes',
      contributionsSection([{ parameters: new Uint8Array(1025) }]),
      '1025 bytes of parameters are too many',
    ],
    [
      'more than 8 MiB',
      [10, new Uint8Array(8 * 2 ** 20 + 1)],
      'expected at most 8388608 bytes of contributions',
    ],
  ])('are refused with %s', async (_, section, says) => {
    await expectRejected(read(section), 'key.not_zkey', says);
  });
});
