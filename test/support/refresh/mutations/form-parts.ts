import { R } from '../../crypto/bn254.ts';
import { REFRESH_VECTORS } from '../vectors.ts';
import { alone, becomes, becomesWithOne, invalidates, type Mutation, same, sameWithOne } from './mutation.ts';
import {
  type Draw,
  formPart,
  partValue,
  pick,
  type RequestParts,
  shuffled,
  withoutParts,
  withValue,
} from './request-parts.ts';

const SUB = REFRESH_VECTORS.x_zkp_proof_header.form_sub.slice(2);
const VALUES = [
  'signup_id',
  'orb_id',
  'operator_id',
  'signup_reason',
  'timestamp',
  'software_version',
  'orb_country',
];
const SALTS = VALUES.map((name) => `${name}_salt`);
const SHARES = ['iris_code_shares_0', 'iris_code_shares_1', 'iris_code_shares_2'];
const TEXTS = [...VALUES, ...SALTS, ...SHARES];
const PACKAGE = [...TEXTS, 'hashes.json', 'hashes.sign'];
const KNOWN = ['sub', ...PACKAGE];
/** Unknown names, some of them similar to known ones. */
const UNKNOWN = [
  '',
  'SUB',
  'Sub',
  'sub ',
  ' sub',
  'sub[]',
  'subs',
  'hashes_json',
  'hashes.JSON',
  'iris_code_shares_3',
  '%73ub',
  'iris_code_shares_',
  '__proto__',
  'constructor',
  'id_comm',
  'idComm',
  'x-zkp-proof',
  'sub\xe9',
  'file',
  'proof',
];
const LIMITS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(VALUES.map((name) => [name, 256])),
  ...Object.fromEntries(SALTS.map((name) => [name, 128])),
  ...Object.fromEntries(SHARES.map((name) => [name, 262_144])),
  'hashes.json': 65_536,
  'hashes.sign': 80,
};
const NOT_UTF8 = ['ff', 'c080', 'eda080', 'f4908080', 'e28282c3', '80', 'c3'].map((hex) =>
  Buffer.from(hex, 'hex'),
);

const withSub = (request: RequestParts, sub: string): RequestParts => withValue(request, 'sub', sub);
const hasLarge = ({ parts }: RequestParts): boolean => parts.some(({ value }) => value.length > 100_000);
const add = (request: RequestParts, name: string, value: string | Uint8Array): RequestParts => ({
  ...request,
  parts: [...request.parts, formPart(name, value)],
});

/** Changes the value of one of the parts with these names. */
const changeOne = (
  request: RequestParts,
  draw: Draw,
  names: readonly string[],
  change: (value: Buffer, name: string) => string | Uint8Array,
): RequestParts => {
  const name = pick(names, draw);
  return withValue(request, name, change(partValue(request, name), name));
};
/** Replaces the part `encrypted_user_id`, or adds it. */
const withUserId = (request: RequestParts, value: string | Uint8Array): RequestParts =>
  add(
    withoutParts(request, (name) => name === 'encrypted_user_id'),
    'encrypted_user_id',
    value,
  );

/** Mutations of names and values of parts in a well-formed body. */
export const PART_MUTATIONS: readonly Mutation[] = [
  same('parts in another order', (request, draw) => ({ ...request, parts: shuffled(request.parts, draw) })),
  same('unknown parts', (request, draw) =>
    Array.from({ length: 1 + draw(8) }).reduce<RequestParts>(
      (changed) => add(changed, pick(UNKNOWN, draw), Buffer.alloc(draw(300), draw(256))),
      request,
    ),
  ),
  same('a repeated unknown part', (request) => add(add(request, 'other', 'a'), 'other', 'b')),
  same('sub in upper case', (request) => withValue(request, 'sub', `0x${SUB.toUpperCase()}`)),
  invalidates('a missing package part', (request, draw) => {
    const name = pick(PACKAGE, draw);
    return withoutParts(request, (found) => found === name);
  }),
  invalidates('all but a few package parts missing', (request, draw) => {
    const kept = [pick(PACKAGE, draw), pick(PACKAGE, draw)];
    return withoutParts(request, (name) => PACKAGE.includes(name) && !kept.includes(name));
  }),
  alone(same('no package', (request) => withoutParts(request, (name) => PACKAGE.includes(name)))),
  becomes('400 INVALID_SUB', 'no sub', (request) => withoutParts(request, (name) => name === 'sub')),
  becomes('400 INVALID_SUB', 'only unknown parts', (request, draw) => ({
    ...request,
    parts: [formPart(pick(UNKNOWN, draw), 'v')],
  })),
  becomes('400 INVALID_REQUEST', 'a repeated known part', (request, draw) => {
    const name = pick([...KNOWN, 'encrypted_user_id'], draw);
    const value = pick<string | Uint8Array>(
      ['', 'other', request.parts.find((p) => p.name === name)?.value ?? 'v'],
      draw,
    );
    const twice = add(
      add(
        withoutParts(request, (found) => found === name),
        name,
        'first',
      ),
      name,
      value,
    );
    return { ...twice, parts: shuffled(twice.parts, draw) };
  }),
  invalidates('a package part with another name', (request, draw) => {
    const name = pick(PACKAGE, draw);
    const other = formPart(pick(UNKNOWN, draw), '');
    return {
      ...request,
      parts: request.parts.map((part) => (part.name === name ? { ...other, value: part.value } : part)),
    };
  }),
  invalidates('two package parts swapped', (request, draw) => {
    const [one = '', two = ''] = shuffled(
      ['signup_id', 'operator_id', 'timestamp', 'signup_id_salt', 'hashes.json'],
      draw,
    );
    const first = partValue(request, one).subarray(0, 128);
    return withValue(withValue(request, one, partValue(request, two).subarray(0, 128)), two, first);
  }),
  invalidates('an empty package part', (request, draw) => changeOne(request, draw, PACKAGE, () => '')),
  invalidates('an empty package part and no other one', (request, draw) => {
    const name = pick(PACKAGE, draw);
    return add(
      withoutParts(request, (found) => PACKAGE.includes(found)),
      name,
      '',
    );
  }),
  invalidates('a package text with an additional character', (request, draw) =>
    changeOne(request, draw, TEXTS, (text) => {
      const extra = Buffer.from(pick([' ', '\n', '\r\n', '\0', '0', '\ufeff'], draw));
      return Buffer.concat(draw(2) ? [text, extra] : [extra, text]);
    }),
  ),
  invalidates('a package text with a bit flipped', (request, draw) =>
    changeOne(request, draw, TEXTS, (text) => flipBit(text, draw)),
  ),
  invalidates('a package text that is not UTF-8', (request, draw) =>
    changeOne(request, draw, TEXTS, (text) => Buffer.concat([text.subarray(0, 64), pick(NOT_UTF8, draw)])),
  ),
  invalidates('a package part of random bytes', (request, draw) =>
    changeOne(request, draw, PACKAGE, () =>
      Buffer.from(Array.from({ length: 1 + draw(80) }, () => draw(256))),
    ),
  ),
  invalidates('a package part that fills its limit', (request, draw) =>
    changeOne(request, draw, PACKAGE, (_, name) =>
      Buffer.alloc(LIMITS[name] ?? 0, pick(['a', '{', '"', '0', '\0'], draw)),
    ),
  ),
  invalidates('a package part one byte above its limit', (request, draw) =>
    changeOne(request, draw, Object.keys(LIMITS), (_, name) => Buffer.alloc((LIMITS[name] ?? 0) + 1, 'a')),
  ),
  becomes('400 INVALID_REQUEST', 'encrypted_user_id above its limit', (request, draw) =>
    withUserId(request, Buffer.alloc(4097 + draw(10_000), 'a')),
  ),
  invalidates('a package part far above its limit', (request, draw) =>
    changeOne(request, draw, [...VALUES, ...SALTS, 'hashes.sign'], () =>
      Buffer.alloc(hasLarge(request) ? 100_000 : 10_000 + draw(400_000), 'a'),
    ),
  ),
  sameWithOne('encrypted_user_id', withUserId, [
    '',
    'opaque',
    '\0\r\n',
    'é\ufeff\u{1f600}',
    'u'.repeat(4096),
  ]),
  becomes('400 INVALID_REQUEST', 'encrypted_user_id that is not UTF-8', (request, draw) =>
    withUserId(request, Buffer.concat([Buffer.from('user'), pick(NOT_UTF8, draw)])),
  ),
  becomesWithOne('400 INVALID_SUB', 'malformed sub', withSub, [
    '',
    '0x',
    SUB,
    `0X${SUB}`,
    `0x0${SUB}`,
    `0x${SUB} `,
    ` 0x${SUB}`,
    `0x${SUB}\n`,
    `0x${SUB}\0`,
    `\ufeff0x${SUB}`,
    `0x${SUB.slice(1)}g`,
    '0x0',
    `0x${'0'.repeat(64)}`,
    '-0x1',
    `0x${R.toString(16)}`,
    `0x${(R + BigInt(`0x${SUB}`)).toString(16)}`,
    `0x${'f'.repeat(64)}`,
    '0x１',
    '0x'.repeat(40),
    'a'.repeat(10_000),
    'null',
    '{}',
  ]),
  becomesWithOne('401 INVALID_PROOF', 'another sub', withSub, [
    '0x1',
    '0x1a2b3c',
    `0x${(R - 1n).toString(16)}`,
    `0x${SUB.slice(0, -1)}`,
  ]),
  alone(same('64 parts', (request) => fill(request, 64))),
  becomes('400 INVALID_REQUEST', 'more than 64 parts', (request, draw) =>
    fill(request, pick([65, 66, 100, 1000], draw)),
  ),
];

function fill(request: RequestParts, count: number): RequestParts {
  const missing = Math.max(count - request.parts.length, 0);
  return {
    ...request,
    parts: [...request.parts, ...Array.from({ length: missing }, () => formPart('other', 'v'))],
  };
}

/** Returns a copy with one bit flipped. */
export function flipBit(bytes: Uint8Array, draw: Draw): Buffer {
  const flipped = Buffer.from(bytes);
  const at = draw(flipped.length);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << draw(8));
  return flipped;
}
