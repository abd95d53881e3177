import { orbKeyPair, signManifest } from '../custody-package.ts';
import { flipBit } from './form-parts.ts';
import { invalidates, type Mutation, same } from './mutation.ts';
import {
  type Draw,
  type JsonMember,
  partValue,
  pick,
  type RequestParts,
  shuffled,
  withValue,
} from './request-parts.ts';

const MANIFEST = 'hashes.json';
const SIGNATURE = 'hashes.sign';
/** Orb key of the vectors. */
const ORB_KEY = orbKeyPair('test orb key');

/** Replaces the manifest and signs it with the orb key. */
function signed(request: RequestParts, manifest: string | Uint8Array): RequestParts {
  const bytes = Buffer.from(manifest);
  return withValue(withValue(request, MANIFEST, bytes), SIGNATURE, signManifest(bytes, ORB_KEY));
}

/** Members of the manifest as JSON texts. */
function membersOf(request: RequestParts): JsonMember[] {
  const object = JSON.parse(partValue(request, MANIFEST).toString()) as Record<string, unknown>;
  return Object.entries(object).map(([name, value]) => [JSON.stringify(name), JSON.stringify(value)]);
}

const write = (members: readonly JsonMember[]): string =>
  `{${members.map((member) => member.join(':')).join(',')}}`;
const textOf = (request: RequestParts): string => partValue(request, MANIFEST).toString();
/** Matches names of members that the service compares with the request. */
const COMPARED =
  /"(?:signup_id|orb_id|operator_id|signup_reason|timestamp|software_version|orb_country|iris_code_shares_[012]\.json)"/;

/** Rewrites a JSON string with random escapes. */
function escaped(text: string, draw: Draw): string {
  // the version may be a JSON number
  if (!text.startsWith('"')) return text;
  const units = (JSON.parse(text) as string).split('').map((unit) => {
    const isEscaped = draw(4) === 0 || unit > '~';
    return isEscaped ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit;
  });
  return `"${units.join('')}"`;
}

/** Bytes that are not a valid manifest, whatever their signature. */
function brokenManifest(request: RequestParts, draw: Draw): string | Uint8Array {
  const text = textOf(request);
  const members = membersOf(request);
  const [name = '""', value = '""'] = pick(members, draw);
  const chosen = draw(members.length);
  const withMember = (change: (member: JsonMember) => JsonMember): string =>
    write(members.map((member, index) => (index === chosen ? change(member) : member)));
  return pick<() => string | Uint8Array>(
    [
      () => write([...members, [name, value]]),
      () => write([[escaped(name, draw), '""'], ...members]),
      () => write([['"a"', '"1"'], ['"\\u0061"', '"1"'], ...members]),
      () => withMember(([key]) => [key, pick(['null', 'true', '{}', '[]', '["a"]', '{"a":"b"}'], draw)]),
      () =>
        withMember(([key, old]) => [
          key === '"version"' ? '"a"' : key,
          key === '"version"' ? '1' : old.replaceAll('"', ''),
        ]),
      () => write([...members, ['"a"', '1']]),
      () => write([...members, ['"a"', `"${'c'.repeat(129)}"`]]),
      () => write([...members, [`"${'n'.repeat(129)}"`, '""']]),
      () => write([...members, ...Array.from({ length: 129 }, (_, i): JsonMember => [`"m${i}"`, '""'])]),
      () => write([...members, ['"a"', '"\\ud800"']]),
      () => write([...members, ['"a"', '"\\x"']]),
      () => write([...members, ['"a"', '"\u0001"']]),
      () =>
        Buffer.concat([
          Buffer.from(text.slice(0, -1)),
          Buffer.from(',"a":"'),
          Buffer.of(0xff),
          Buffer.from('"}'),
        ]),
      () => `[${text}]`,
      () => JSON.stringify(text),
      () => `{"a":${text}}`,
      () => `\ufeff${text}`,
      () => `${text}${text}`,
      () => `${text},`,
      () => `${text}\0`,
      () => text.slice(0, -1),
      () => text.slice(0, 1 + draw(text.length - 1)),
      () => text.slice(1),
      () => text.replace('}', ',}'),
      () => text.replace('{', '{,'),
      () => text.replaceAll('"', "'"),
      () => text.replace(':', '='),
      () => text.replace(',', ',,'),
      () => `/**/${text}`,
      () => '['.repeat(60_000),
      () => '{"a":'.repeat(13_000),
      () => 'null',
      () => '{}',
      () => ' ',
      () => Buffer.from(text, 'utf16le'),
    ],
    draw,
  )();
}

/** Mutations of the manifest, with the old signature and with a new one. */
export const MANIFEST_MUTATIONS: readonly Mutation[] = [
  invalidates('a flipped bit of the manifest', (request, draw) =>
    withValue(request, MANIFEST, flipBit(partValue(request, MANIFEST), draw)),
  ),
  invalidates('a rewritten manifest with the old signature', (request, draw) => {
    const members = membersOf(request);
    const texts = [
      `${textOf(request)}\n`,
      ` ${textOf(request)}`,
      write(members.toReversed()),
      `{\n${members.map((member) => member.join(': ')).join(',\n')}\n}`,
      write([...members, ['"added"', '""']]),
      write(
        members.map(([name, value]) => [
          name,
          value.replace(/^"./, (start) => `"\\u${start.charCodeAt(1).toString(16).padStart(4, '0')}`),
        ]),
      ),
    ];
    return withValue(request, MANIFEST, pick(texts, draw));
  }),
  invalidates('broken JSON as the manifest', (request, draw) =>
    withValue(request, MANIFEST, brokenManifest(request, draw)),
  ),
  invalidates('broken JSON, signed', (request, draw) => signed(request, brokenManifest(request, draw))),
  invalidates('a changed digit of a compared digest, signed', (request, draw) => {
    const members = membersOf(request);
    const name = pick(
      members.filter(([found]) => COMPARED.test(found)),
      draw,
    )[0];
    const other = (value: string): string => {
      const at = 1 + draw(64);
      const digit = (Number.parseInt(value[at] ?? '0', 16) ^ (1 + draw(15))).toString(16);
      return value.slice(0, at) + digit + value.slice(at + 1);
    };
    return signed(request, write(members.map(([key, value]) => [key, key === name ? other(value) : value])));
  }),
  invalidates('a malformed compared digest, signed', (request, draw) => {
    const members = membersOf(request);
    const name = pick(
      members.filter(([found]) => COMPARED.test(found)),
      draw,
    )[0];
    const other = (value: string): string =>
      pick(
        [
          value.toUpperCase().replace(/^"[0-9]*"$/, '"A"'),
          value.slice(0, -2).concat('"'),
          value.replace('"', '"0'),
          `" ${value.slice(1)}`,
          '""',
          `"0x${value.slice(1)}`,
        ],
        draw,
      );
    return signed(request, write(members.map(([key, value]) => [key, key === name ? other(value) : value])));
  }),
  invalidates('a missing compared member, signed', (request, draw) => {
    const members = membersOf(request);
    const name = pick(
      members.filter(([found]) => COMPARED.test(found) || found === '"version"'),
      draw,
    )[0];
    return signed(request, write(members.filter(([found]) => found !== name)));
  }),
  invalidates('another version, signed', (request, draw) => {
    const version = pick(
      ['"2.2"', '"2.30"', '2.30', '23e-1', '"2.3 "', '""', '"02.3"', '"3.0"', '-2.3', '"2,3"'],
      draw,
    );
    const members = membersOf(request).map(
      ([name, value]): JsonMember => [name, name === '"version"' ? version : value],
    );
    return signed(request, write(members));
  }),
  same('members in another order, signed', (request, draw) =>
    signed(request, write(shuffled(membersOf(request), draw))),
  ),
  same('white space, signed', (request, draw) => {
    const space = (): string =>
      Array.from({ length: draw(3) }, () => pick([' ', '\n', '\t', '\r'], draw)).join('');
    const members = membersOf(request).map(
      (member) => `${space()}${member.join(`${space()}:${space()}`)}${space()}`,
    );
    return signed(request, `${space()}{${members.join(',')}}${space()}`);
  }),
  same('escapes, signed', (request, draw) =>
    signed(
      request,
      write(membersOf(request).map(([name, value]) => [escaped(name, draw), escaped(value, draw)])),
    ),
  ),
  same('additional members, signed', (request, draw) => {
    const members = membersOf(request);
    const names = ['__proto__', 'constructor', 'toString', 'é', '\u{1f600}', 'n'.repeat(128), ''];
    const value = pick(['""', '"\\ud83d\\ude00"', `"${'v'.repeat(128)}"`], draw);
    const known = new Set(members.map(([name]) => name));
    const added = shuffled(names, draw)
      .slice(0, 1 + draw(7))
      .map((name): JsonMember => [JSON.stringify(name), value]);
    return signed(request, write([...members, ...added.filter(([name]) => !known.has(name))]));
  }),
  same('the version as a number, signed', (request) =>
    signed(
      request,
      write(membersOf(request).map(([name, value]) => [name, name === '"version"' ? '2.3' : value])),
    ),
  ),
  same('missing members that are not compared, signed', (request, draw) =>
    signed(
      request,
      write(
        membersOf(request).filter(([name]) => COMPARED.test(name) || name === '"version"' || draw(3) > 0),
      ),
    ),
  ),
];
