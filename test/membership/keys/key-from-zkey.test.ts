import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isServiceError } from '../../../src/errors/service-error.ts';
import { fingerprint, keyFrom } from '../../../src/membership/keys/built-in-keys.ts';
import { keyFromZkey } from '../../../src/membership/keys/key-from-zkey.ts';
import { casesOf } from '../../support/cases.ts';
import { P, R } from '../../support/crypto/bn254.ts';
import {
  builtInJson,
  contributionsSection,
  littleEndian,
  makeZkey,
  type Section,
  type SnarkjsKey,
  zkeyFile,
  zkeySections,
} from '../../support/crypto/make-zkey.ts';
import { expectRejected } from '../../support/rejects.ts';

const KEYS = ['semaphore-depth16', 'semaphore-depth20', 'semaphore-depth30', 'dev-depth30', 'trapdoor-4'];
const key: SnarkjsKey = builtInJson('semaphore-depth16');
const [protocol, header, ic] = zkeySections(key);
/** Offset of the points in section 2. */
const POINTS_AT = 84;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofgate-zkey-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Section 2 with a word written at an offset. */
function headerWith(at: number, word: Uint8Array): Section {
  const bytes = Uint8Array.from(header[1]);
  bytes.set(word, at);
  return [2, bytes];
}

function withWord(sections: readonly Section[], text: string): readonly [Buffer, string] {
  return [zkeyFile(sections), text];
}

describe('verifying key of a zkey', () => {
  it.each(KEYS)('%s has the same bytes from JSON and from a zkey', async (name) => {
    const json = builtInJson(name);
    const expected = keyFrom(JSON.stringify(json));
    const found = await keyFromZkey(makeZkey(json));
    expect(found.inputCount).toBe(expected.inputCount);
    expect(fingerprint(found.key)).toBe(fingerprint(expected.key));
  });

  it('accepts the sections in any order, with other sections between them', async () => {
    const file = zkeyFile([[9, new Uint8Array(7)], ic, [4, new Uint8Array(40)], header, protocol]);
    const { form: _, ...decoded } = keyFrom(JSON.stringify(key));
    expect(await keyFromZkey(file)).toEqual({ ...decoded, contributions: null });
  });

  it('accepts an IC point at infinity, like the JSON form', async () => {
    const changed = { ...key, IC: [...key.IC.slice(0, 4), ['0', '1', '0']] };
    const found = await keyFromZkey(makeZkey(changed));
    expect(found.key.subarray(-64)).toEqual(new Uint8Array(64));
  });

  it('reads only the header of a file of 16 GiB', async () => {
    const path = join(folder, 'large');
    const bytes = 16 * 2 ** 30;
    const head = zkeyFile([...zkeySections(key), [4, new Uint8Array(0)]]);
    head.writeBigUInt64LE(BigInt(bytes), head.length - 8);
    const file = await open(path, 'w');
    await file.write(head);
    await file.truncate(head.length + bytes);
    await file.close();
    const { form: _, ...decoded } = keyFrom(JSON.stringify(key));
    expect(await keyFromZkey(path)).toEqual({ ...decoded, contributions: null });
  });

  it.each<[string, Buffer, string, string]>([
    ['PLONK', makeZkey(key, { protocol: 2 }), 'key.protocol', 'expected protocol 1 (groth16), got 2'],
    ['a curve of 48 bytes', makeZkey(key, { q: new Uint8Array(48) }), 'key.protocol', 'q: expected 32 bytes'],
    ['q = r', makeZkey(key, { q: littleEndian(R) }), 'key.protocol', 'q: expected that of bn128'],
    ['r = p', makeZkey(key, { r: littleEndian(P) }), 'key.protocol', 'r: expected that of bn128'],
    ['one IC point too few', makeZkey({ ...key, IC: key.IC.slice(1) }), 'key.input_count', '= 5 points'],
    [
      'one IC point too many',
      makeZkey({ ...key, IC: [...key.IC, ['1', '2', '1']] }),
      'key.input_count',
      '= 5 points',
    ],
    ['half an IC point', zkeyFile([protocol, header, [3, new Uint8Array(288)]]), 'key.input_count', '4.5'],
    ['4294967295 inputs', makeZkey(key, { nPublic: 0xffffffff }), 'key.input_count', 'nPublic 0 to 1024'],
    [
      '1025 inputs with their IC points',
      makeZkey({ ...key, nPublic: 1025, IC: Array(1026).fill(['1', '2', '1']) }),
      'key.input_count',
      'nPublic 0 to 1024',
    ],
    ['α at infinity', makeZkey({ ...key, vk_alpha_1: ['0', '1', '0'] }), 'key.point_at_infinity', 'alpha'],
    [
      'γ at infinity',
      makeZkey({ ...key, vk_gamma_2: [['0'], ['1'], ['0']] }),
      'key.point_at_infinity',
      'vk_gamma_2: gamma',
    ],
    ['no section 1', zkeyFile([header, ic]), 'key.not_zkey', 'section 1 is missing'],
    ['no section 2', zkeyFile([protocol, ic]), 'key.not_zkey', 'section 2 is missing'],
    ['no section 3', zkeyFile([protocol, header]), 'key.not_zkey', 'section 3 is missing'],
    ['no sections at all', zkeyFile([]), 'key.not_zkey', 'section 1 is missing'],
    ['a duplicate section', zkeyFile([protocol, header, ic, ic]), 'key.not_zkey', 'section 3 occurs twice'],
    [
      'section 1 of 8 bytes',
      zkeyFile([[1, new Uint8Array(8)], header, ic]),
      'key.not_zkey',
      'section 1: expected 4 bytes, got 8',
    ],
    [
      'section 2 without δ',
      zkeyFile([protocol, [2, header[1].subarray(0, -128)], ic]),
      'key.not_zkey',
      'section 2: expected 660 bytes, got 532',
    ],
    ['section 2 of 3 bytes', zkeyFile([protocol, [2, new Uint8Array(3)], ic]), 'key.not_zkey', 'got 3'],
    [
      'section 2 of 5000 bytes',
      zkeyFile([protocol, [2, new Uint8Array(5000)], ic]),
      'key.not_zkey',
      'section 2: expected 660 bytes, got 5000',
    ],
    ['another version', zkeyFile([protocol, header, ic], 2), 'key.not_zkey', 'expected version 1, got 2'],
    ['bytes at its end', Buffer.concat([makeZkey(key), Buffer.alloc(3)]), 'key.not_zkey', '3 bytes follow'],
  ])('refuses %s', async (_, file, code, text) => {
    await expect(keyFromZkey(file)).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
  });

  it.each([
    [...withWord([protocol, headerWith(POINTS_AT, littleEndian(P)), ic], 'vk_alpha_1: word 0')],
    [...withWord([protocol, headerWith(POINTS_AT + 128, littleEndian(P + 1n)), ic], 'vk_beta_2: word 0')],
    [...withWord([protocol, headerWith(628, littleEndian(2n ** 256n - 1n)), ic], 'vk_delta_2: word 3')],
    [
      ...withWord(
        [protocol, header, [3, Buffer.concat([ic[1].subarray(0, 288), littleEndian(P)])]],
        'IC[4]: word 1',
      ),
    ],
  ])('refuses a Montgomery word that is not below p (%#)', async (file, text) => {
    await expectRejected(keyFromZkey(file), 'key.coordinate_range', text);
  });

  it.each([
    ['4294967295 sections', 8, 4, 0xffffffffn],
    ['a section of 2^64 - 1 bytes', 16, 8, 2n ** 64n - 1n],
    ['a section of 2^53 bytes', 16, 8, 2n ** 53n],
    ['a section that ends one byte after the file', 16, 8, BigInt(makeZkey(key).length - 24 + 1)],
  ])('refuses %s without iterating over or reading them', async (_, at, bytes, value) => {
    const file = makeZkey(key);
    file.set(littleEndian(value, bytes), at);
    await expect(keyFromZkey(file)).rejects.toMatchObject({ code: 'key.not_zkey' });
    const path = join(folder, 'absurd');
    await writeFile(path, file);
    await expect(keyFromZkey(path)).rejects.toMatchObject({ code: 'key.not_zkey' });
  });

  const whole = zkeyFile([...zkeySections(key), contributionsSection([{}, { type: 1 }])]);

  it('refuses the file truncated after any byte', async () => {
    const file = whole;
    for (let length = 0; length < file.length; length++) {
      await expect(keyFromZkey(file.subarray(0, length)), `${length} bytes`).rejects.toMatchObject({
        code: 'key.not_zkey',
      });
    }
    const path = join(folder, 'cut');
    for (const length of [3, 11, 20, 300, file.length - 1]) {
      await writeFile(path, file.subarray(0, length));
      await expect(keyFromZkey(path)).rejects.toMatchObject({ code: 'key.not_zkey' });
    }
  });

  it('reports a key error for any changed bytes, and no other error', async () => {
    const file = whole;
    const change = fc.tuple(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = Buffer.from(file);
        for (const [at, difference] of changes) changed[at] = (changed[at] ?? 0) ^ difference;
        try {
          const { key: bytes, inputCount } = await keyFromZkey(changed);
          expect(bytes.length).toBe(448 + 64 * (inputCount + 1));
        } catch (error) {
          expect(isServiceError(error) && error.code.startsWith('key.')).toBe(true);
        }
      }),
      { numRuns: casesOf(500, 100) },
    );
  });
});
