/** Changes of texts of JSON, hex or base64, and of the values in them. */
import { isObject } from '../../../src/json.ts';
import { P, R } from '../crypto/bn254.ts';
import type { Random } from './random.ts';

const CHARACTERS = [
  ...'"[]{},:\\0123456789abcdefxXnE+-./= \t\n_',
  '\ufeff',
  '\0',
  '\ud800',
  '\u2028',
  '\u0660',
  '\uff11',
  'ß',
  '😀',
];
const NUMBERS = [
  0n,
  1n,
  P - 1n,
  P,
  P + 1n,
  R - 1n,
  R,
  2n ** 53n,
  2n ** 53n - 1n,
  2n ** 256n - 1n,
  2n ** 256n,
];
const TEXTS = [
  ...NUMBERS.flatMap((value) => [
    String(value),
    `0x${value.toString(16)}`,
    `0X00${value.toString(16).toUpperCase()}`,
  ]),
  ...[
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '1.0',
    '1e3',
    '0x',
    '0b1',
    'ff',
    '0xg',
    '00',
    '0'.repeat(999),
    '9'.repeat(5000),
  ],
  ...['groth16', 'plonk', 'gm17', 'g16', 'bn128', 'BN254', 'bls12-381', 'alt_bn128', '\u0661', '１'],
];
const NAMES = [
  ...['pi_a', 'pi_b', 'pi_c', 'protocol', 'curve', 'proof', 'publicSignals', 'inputs', 'points', 'scheme'],
  ...[
    'a',
    'b',
    'c',
    'pA',
    'pB',
    'pC',
    'Ar',
    'Bs',
    'Krs',
    'Commitments',
    'X',
    'Y',
    'A0',
    'A1',
    'G1',
    'G2',
    'K',
  ],
  ...['Alpha', 'Beta', 'Gamma', 'Delta', 'alpha', 'gamma_abc', 'IC', 'nPublic', 'vk_alpha_1', 'vk_beta_2'],
  ...['vk_delta_2', '__proto__', 'constructor', 'length', 'toString', '0', '1'],
];

/** A value that may be anywhere in JSON. */
function leaf(random: Random): unknown {
  switch (random.below(9)) {
    case 0:
      return null;
    case 1:
      return random.oneIn(2);
    case 2:
      return random.pick([0, 1, -1, 2, 2 ** 53, 1.5, 1e21, 7]);
    case 3:
      return [];
    case 4:
      return {};
    case 5:
      return Array.from({ length: random.pick([1, 2, 3, 8, 33, 1025, 1026]) }, () => '1');
    default:
      return random.pick(TEXTS);
  }
}

/** A value that JSON has no word for. */
function foreign(random: Random): unknown {
  return random.pick<() => unknown>([
    () => random.pick([...NUMBERS, -1n]),
    () => new Uint8Array(random.pick([0, 31, 32, 33, 64])).fill(random.below(256)),
    () => undefined,
    () => Number.NaN,
    () => Number.POSITIVE_INFINITY,
    () => -0,
    () => Symbol('1'),
    () => () => 1,
    () => new Array(random.pick([1, 2, 3, 8])),
    () => new Date(0),
    () => new Map([['pi_a', 1]]),
    () => Object.create(null) as object,
  ])();
}

/** Changes one place of a value, in it. @returns The value, or another one in its place. */
function mutatedValue(value: unknown, random: Random, isForeign: boolean): unknown {
  const isLeaf = !(Array.isArray(value) || isObject(value)) || value instanceof Uint8Array;
  if (isLeaf || random.oneIn(12)) return changedPlace(value, random, isForeign);
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  if (keys.length === 0) return leaf(random);
  const parent = value as Record<string | number, unknown>;
  const key = random.pick<string | number>(keys);
  switch (random.below(12)) {
    case 0:
      if (Array.isArray(value)) value.splice(Number(key), 1);
      else delete parent[key];
      break;
    case 1:
      if (Array.isArray(value)) value.push(random.oneIn(2) ? value[0] : leaf(random));
      else parent[random.pick(NAMES)] = random.oneIn(2) ? parent[key] : leaf(random);
      break;
    case 2:
      if (Array.isArray(value)) value.reverse();
      else {
        parent[random.pick(NAMES)] = parent[key];
        delete parent[key];
      }
      break;
    case 3:
      [parent[key], parent[random.pick<string | number>(keys)]] = [
        parent[random.pick<string | number>(keys)],
        parent[key],
      ];
      break;
    default:
      parent[key] = mutatedValue(parent[key], random, isForeign);
  }
  return value;
}

function changedPlace(value: unknown, random: Random, isForeign: boolean): unknown {
  if (isForeign && random.oneIn(2)) return foreign(random);
  switch (random.below(5)) {
    case 0:
      return [value];
    case 1:
      return { [random.pick(NAMES)]: value };
    case 2:
      if (typeof value === 'number') return String(value);
      return typeof value === 'string' ? mutatedCharacters(value, random) : leaf(random);
    default:
      return leaf(random);
  }
}

function mutatedCharacters(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const size = random.pick([1, 1, 1, 2, 8, 77]);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (random.below(9)) {
    case 0:
      return before + random.pick(CHARACTERS) + after;
    case 1:
      return before + after.slice(size);
    case 2:
      return before + random.pick(CHARACTERS) + after.slice(1);
    case 3:
      return before + after.slice(0, size) + after;
    case 4:
      return before + random.pick(TEXTS) + after;
    case 5:
      return before;
    case 6:
      return random.pick([
        `[${text}]`,
        `{"proof":${text}}`,
        JSON.stringify(text),
        `\ufeff${text}`,
        ` ${text}\n`,
        `0x${text}`,
      ]);
    case 7: {
      const depth = random.pick([1, 8, 31, 32, 33, 200]);
      return random.oneIn(2)
        ? '['.repeat(depth) + text + ']'.repeat(depth)
        : before + '['.repeat(depth) + after;
    }
    default:
      return random.oneIn(200)
        ? before + random.pick(CHARACTERS).repeat(20_000) + after
        : before + random.pick(CHARACTERS).repeat(random.pick([2, 40, 100])) + after;
  }
}

/** Returns a changed value: a text, or in every third case a value that was never text. */
export function mutatedText(seed: string, random: Random): unknown {
  if (random.oneIn(50)) return seed;
  if (random.oneIn(2)) {
    let text = seed;
    do text = mutatedCharacters(text, random);
    while (random.oneIn(3));
    return text;
  }
  let value = parsed(seed);
  const isText = random.oneIn(3);
  do value = mutatedValue(value, random, !isText);
  while (random.oneIn(3));
  return isText ? JSON.stringify(value) : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
