import { fromBe, P, R } from '../../crypto/bn254.ts';
import { becomes, becomesWithOne, type Mutation, same } from './mutation.ts';
import { type Draw, type JsonMember, pick, type RequestParts, shuffled } from './request-parts.ts';

const ELEMENTS = ['nullifierHash', 'idCommitment', 'sub'];
const NAMES = ['proof', 'nullifierHash', 'externalNullifier', 'idCommitment', 'sub'];
const WORD_DIGITS = 64;

/** Text of a member. */
function textOf({ members }: RequestParts, name: string): string {
  const found = members.find(([key]) => JSON.parse(key) === name)?.[1] ?? '""';
  return JSON.parse(found) as string;
}

/** Replaces the JSON text of a member. */
function withMember(request: RequestParts, name: string, json: string): RequestParts {
  return {
    ...request,
    members: request.members.map((member) => (JSON.parse(member[0]) === name ? [member[0], json] : member)),
  };
}

const withText = (request: RequestParts, name: string, text: string): RequestParts =>
  withMember(request, name, JSON.stringify(text));
const withMembers = (request: RequestParts, members: readonly JsonMember[]): RequestParts => ({
  ...request,
  members,
});
const wordsOf = (request: RequestParts): bigint[] => {
  const bytes = Buffer.from(textOf(request, 'proof').slice(2), 'hex');
  return Array.from({ length: 8 }, (_, index) => fromBe(bytes.subarray(32 * index, 32 * index + 32)));
};
const withWords = (request: RequestParts, words: readonly bigint[]): RequestParts =>
  withText(
    request,
    'proof',
    `0x${words.map((word) => word.toString(16).padStart(WORD_DIGITS, '0')).join('')}`,
  );
const negated = (y: bigint): bigint => (P - y) % P;

/** Changes one or more words of the proof: A.x, A.y, B.x (c1, c0), B.y (c1, c0), C.x, C.y. */
function otherWords(words: readonly bigint[], draw: Draw): readonly bigint[] {
  const chosen = draw(8);
  const one = (change: (word: bigint) => bigint): bigint[] =>
    words.map((word, index) => (index === chosen ? change(word) : word));
  const [ax = 0n, ay = 0n, bx1 = 0n, bx0 = 0n, by1 = 0n, by0 = 0n, cx = 0n, cy = 0n] = words;
  return pick<() => readonly bigint[]>(
    [
      () => one((word) => word ^ (1n << BigInt(draw(254)))),
      () => one((word) => word + P),
      () => one(() => P),
      () => one(() => 0n),
      () => one(() => (1n << 256n) - 1n),
      () => one((word) => word + 1n),
      () => [ax, negated(ay), bx1, bx0, by1, by0, cx, cy],
      () => [ax, ay, bx1, bx0, by1, by0, cx, negated(cy)],
      () => [ax, ay, bx0, bx1, by0, by1, cx, cy],
      () => [cx, cy, bx1, bx0, by1, by0, ax, ay],
      () => [0n, 0n, bx1, bx0, by1, by0, cx, cy],
      () => [ax, ay, 0n, 0n, 0n, 0n, cx, cy],
      () => [ax, ay, bx1, bx0, by1, by0, 0n, 0n],
      () => [ax, ay, bx1, bx0, 0n, 0n, 0n, 0n],
      () => [1n, 2n, bx1, bx0, by1, by0, cx, cy],
      () => words.map(() => 0n),
    ],
    draw,
  )();
}

/** Mutations of the content of the header `x-zkp-proof`. */
export const PROOF_MEMBER_MUTATIONS: readonly Mutation[] = [
  same('members in another order', (request, draw) => withMembers(request, shuffled(request.members, draw))),
  same('unknown members', (request, draw) =>
    withMembers(request, [
      ...request.members,
      ...shuffled<JsonMember>(
        [
          ['"a"', 'null'],
          ['"__proto__"', '{"sub":"0x1"}'],
          ['"Sub"', '"0x1"'],
          ['"root"', '[1,[2]]'],
          ['""', '1e999'],
        ],
        draw,
      ).slice(0, 1 + draw(5)),
    ]),
  ),
  same('hex in another letter case', (request, draw) => {
    const name = pick(['proof', ...ELEMENTS], draw);
    const digits = textOf(request, name).slice(2);
    const mixed = [...digits].map((c) => (draw(2) ? c.toUpperCase() : c.toLowerCase())).join('');
    return withText(request, name, `0x${mixed}`);
  }),
  same('short field elements', (request) =>
    ELEMENTS.reduce(
      (changed, name) => withText(changed, name, textOf(changed, name).replace(/^0x0+/, '0x')),
      request,
    ),
  ),
  same('the external nullifier in hex', (request, draw) => {
    const hex = Buffer.from('proofgate-refresh').toString('hex');
    return withText(request, 'externalNullifier', `0x${draw(2) ? hex : hex.toUpperCase()}`);
  }),
  same('negated points A and B', (request) => {
    const [ax = 0n, ay = 0n, bx1 = 0n, bx0 = 0n, by1 = 0n, by0 = 0n, ...c] = wordsOf(request);
    return withWords(request, [ax, negated(ay), bx1, bx0, negated(by1), negated(by0), ...c]);
  }),
  becomes('401 UNAUTHORIZED', 'a repeated member', (request, draw) => {
    const [name = '', value = ''] = pick(request.members, draw);
    const escaped = `"\\u${name.charCodeAt(1).toString(16).padStart(4, '0')}${name.slice(2)}`;
    const second: JsonMember = [pick([name, escaped], draw), pick([value, '""', 'null'], draw)];
    return withMembers(request, shuffled([...request.members, second], draw));
  }),
  becomes('401 UNAUTHORIZED', 'a missing or renamed member', (request, draw) => {
    const chosen = JSON.stringify(pick(NAMES, draw));
    const other = pick([chosen.toUpperCase(), chosen.replace('"', '" '), '"other"', undefined], draw);
    return withMembers(
      request,
      request.members.flatMap(([name, value]): JsonMember[] => {
        if (name !== chosen) return [[name, value]];
        return other === undefined ? [] : [[other, value]];
      }),
    );
  }),
  becomes('401 UNAUTHORIZED', 'a member of another type', (request, draw) =>
    withMember(
      request,
      pick(NAMES, draw),
      pick(['null', 'true', '1', '0', '[]', '{}', '["0x1"]', '{"a":"0x1"}'], draw),
    ),
  ),
  becomes('401 UNAUTHORIZED', 'a malformed field element', (request, draw) => {
    const name = pick(ELEMENTS, draw);
    const digits = textOf(request, name).slice(2);
    const value = fromBe(Buffer.from(digits.padStart(WORD_DIGITS, '0'), 'hex'));
    const texts = [
      '',
      '0x',
      digits,
      `0X${digits}`,
      `0x${digits.padStart(65, '0')}`,
      ` 0x${digits}`,
      `0x${digits}\n`,
      `0x${digits}\0`,
      `0x${R.toString(16)}`,
      `0x${(R + value).toString(16)}`,
      `0x${'f'.repeat(64)}`,
      `0x${digits.slice(1)}g`,
      '-0x1',
      value.toString(),
    ];
    // neither a decimal text without 0x nor the empty text is a field element
    return withText(request, name, pick(texts, draw));
  }),
  becomes('401 INVALID_PROOF', 'another field element', (request, draw) =>
    withText(
      request,
      pick(ELEMENTS, draw),
      pick(['0x0', '0x1', `0x${(R - 1n).toString(16)}`, `0x${(1 + draw(0xffff_ffff)).toString(16)}`], draw),
    ),
  ),
  becomes('401 UNAUTHORIZED', 'a malformed proof', (request, draw) => {
    const digits = textOf(request, 'proof').slice(2);
    const texts = [
      '',
      '0x',
      digits,
      `0X${digits}`,
      `0x${digits}0`,
      `0x${digits.slice(1)}`,
      `0x${digits}00`,
      `0x${digits.slice(2)}`,
      `0x${digits.slice(0, 256)}`,
      `0x${digits.slice(0, -1)}g`,
      ` 0x${digits}`,
      `0x${digits} `,
      'proof',
    ];
    return withText(request, 'proof', pick(texts, draw));
  }),
  becomes('401 INVALID_PROOF', 'another proof', (request, draw) =>
    withWords(request, otherWords(wordsOf(request), draw)),
  ),
  becomesWithOne(
    '401 UNAUTHORIZED',
    'a malformed external nullifier',
    (request, value: string) => withText(request, 'externalNullifier', value),
    ['0x0', '0xg0', '0x 0', 'x'.repeat(129), 'é'.repeat(65), `0x${'00'.repeat(129)}`, '0x0g'],
  ),
  becomesWithOne(
    '401 INVALID_PROOF',
    'another external nullifier',
    (request, value: string) => withText(request, 'externalNullifier', value),
    [
      '',
      '0x',
      '0X70',
      'proofgate-refresh ',
      'Proofgate-refresh',
      'proofgate-refresh\0',
      ' proofgate-refresh',
      '0x00',
      'x'.repeat(128),
      `0x${'00'.repeat(128)}`,
      'é',
      '\u{1f600}',
    ],
  ),
];
