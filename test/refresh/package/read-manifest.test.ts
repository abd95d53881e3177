// Rules: spec/refresh.md#manifest
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { readManifest } from '../../../src/refresh/package/read-package.ts';
import { makePackage, type PackageOptions } from '../../support/refresh/custody-package.ts';
import { judge } from './support/check.ts';

const utf8 = new TextEncoder();
const read = (text: string): ReadonlyMap<string, string> => readManifest(utf8.encode(text));

function faultOf(bytes: Uint8Array): string {
  try {
    readManifest(bytes);
    return 'none';
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'refresh.package_invalid') throw error;
    expect(error.details).toEqual({ check: 13, rule: 'manifest', path: 'hashes.json' });
    return error.message;
  }
}

/** Returns JSON of an object of `count` members whose names and values are filled to `length` characters. */
function wide(count: number, length: number, fill = 'x'): string {
  const name = (index: number): string => `${index}`.padEnd(length, fill);
  return JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), fill.repeat(length)])),
  );
}

describe('reading a manifest', () => {
  it('returns the members of a flat object with their escapes decoded', () => {
    expect([...read(' {"a" : "1",\r\n\t"b\\u002ec":"\\"\\\\\\/\\n", "":"", "é":"😀"} ')]).toEqual([
      ['a', '1'],
      ['b.c', '"\\/\n'],
      ['', ''],
      ['é', '😀'],
    ]);
    expect(read('{}').size).toBe(0);
  });

  it('treats names with a meaning in JavaScript like any other', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const members = read(`{${names.map((name) => `"${name}":"x"`).join(',')}}`);
    expect([...members.keys()]).toEqual(names);
    expect(read('{"a":"x"}').get('__proto__')).toBeUndefined();
    expect(read('{"a":"x"}').get('constructor')).toBeUndefined();
  });

  it('accepts a number only as version, and keeps its digits', () => {
    expect(read('{"version":2.30}').get('version')).toBe('2.30');
    expect(read('{"version":"2.30"}').get('version')).toBe('2.30');
    expect(faultOf(utf8.encode('{"signup_id":2.3}'))).toBe('manifest: a member is not a text');
  });

  it.each([
    'null',
    '{"a":null}',
    '{"a":true}',
    '{"a":[]}',
    '{"a":["x"]}',
    '{"a":{}}',
    '{"version":null}',
    '{"version":{"a":"x"}}',
    '{"version":["2.3"]}',
    '[]',
    '"{}"',
    '1',
    '',
    ' ',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":"x",}',
    '{,}',
    '{"a":"x" "b":"y"}',
    '{"a":"x"}}',
    '{"a":"x"}\0',
    '{"a":"x"} x',
    '{"a":"x"}{}',
    "{'a':'x'}",
    '{a:"x"}',
    '{"a":"x"}//',
    '{"a":"\\x41"}',
    '{"a":"\\u00g0"}',
    '{"a":"line\nbreak"}',
    '{"a":"\\ud800"}',
    '{"version":02.3}',
    '{"version":+2.3}',
    '{"version":2.}',
    '{"version":.3}',
    '{"version":NaN}',
    '{"version":0x2}',
    '\uFEFF{"a":"x"}',
    '{"a":"x"}\uFEFF',
    '\u00a0{}',
  ])('refuses %j', (text) => {
    expect(faultOf(utf8.encode(text))).toMatch(/^manifest: /);
  });

  it.each([
    '{"a":"x","a":"x"}',
    '{"a":"x","b":"y","a":"z"}',
    '{"a":"x","\\u0061":"y"}',
    '{"version":2.3,"version":"2.3"}',
    '{"__proto__":"x","__proto__":"y"}',
  ])('refuses %s, with a repeated name', (text) => {
    expect(faultOf(utf8.encode(text))).toMatch(/^manifest: second member of a name at offset \d+$/);
  });

  it.each([[[0xff]], [[0xc0, 0xaf]], [[0xed, 0xa0, 0x80]], [[0xf4, 0x90, 0x80, 0x80]], [[0xe2, 0x82]]])(
    'refuses the bytes %j, which are not UTF-8',
    (bytes) => {
      const text = [...utf8.encode('{"a":"'), ...bytes, ...utf8.encode('"}')];
      expect(faultOf(Uint8Array.from(text))).toBe('manifest: not UTF-8');
    },
  );

  it('refuses UTF-16, and UTF-8 with a byte order mark', () => {
    expect(faultOf(Buffer.from('{"a":"x"}', 'utf16le'))).toMatch(/^manifest: /);
    expect(faultOf(Uint8Array.from([0xef, 0xbb, 0xbf, ...utf8.encode('{}')]))).toMatch(/^manifest: expected/);
  });

  it('accepts up to 128 members of up to 128 characters', () => {
    expect(read(wide(128, 128)).size).toBe(128);
    expect(faultOf(utf8.encode(wide(129, 128)))).toBe('manifest: more than 128 members');
    const tooLong = 'manifest: a name or value of more than 128 characters';
    expect(faultOf(utf8.encode(`{"${'n'.repeat(129)}":""}`))).toBe(tooLong);
    expect(faultOf(utf8.encode(`{"":"${'v'.repeat(129)}"}`))).toBe(tooLong);
    expect(faultOf(utf8.encode(`{"version":2.${'3'.repeat(127)}}`))).toBe(tooLong);
    expect(read(`{"version":2.${'3'.repeat(126)}}`).size).toBe(1);
  });

  it('counts characters and not their bytes, escapes or UTF-16 units', () => {
    expect(read(`{"${'é'.repeat(128)}":"${'😀'.repeat(128)}"}`).size).toBe(1);
    expect(read(`{"":"${'\\u0041'.repeat(128)}"}`).size).toBe(1);
    expect(faultOf(utf8.encode(`{"":"${'😀'.repeat(129)}"}`))).toMatch(/128 characters$/);
  });

  it('reads the largest manifests within both limits: 33,537 bytes in ASCII, more than 64 KiB with escapes', () => {
    expect(utf8.encode(wide(128, 128))).toHaveLength(33_537);
    const escaped = `{${Array.from({ length: 128 }, (_, i) => `"${i}":"${'\\u0041'.repeat(128)}"`).join(',')}}`;
    expect(utf8.encode(escaped).length).toBeGreaterThan(65_536);
    expect(read(escaped).get('127')).toBe('A'.repeat(128));
  });

  it('refuses adversarial manifests of 64 KiB', () => {
    const texts = [
      '{"'.repeat(32_768),
      '['.repeat(65_536),
      '{"a":'.repeat(13_107),
      `{"a":"${'\\'.repeat(65_500)}`,
      `{"a":"${'\\\\'.repeat(32_700)}`,
      `{"version":${'1'.repeat(65_500)}`,
      `{"version":1e${'1'.repeat(65_500)}}`,
      ' '.repeat(65_536),
      `{${Array.from({ length: 9_000 }, (_, index) => `"":${index}`).join(',')}}`,
      `{${Array.from({ length: 7_000 }, (_, index) => `"${index}":""`).join(',')}}`,
    ];
    for (const text of texts) expect(faultOf(utf8.encode(text))).toMatch(/^manifest: /);
  });
});

describe('a signed manifest in another form', () => {
  const reordered: PackageOptions = { editMembers: (members) => [...members].reverse() };
  const padding = (bytes: number): PackageOptions => ({
    editManifest: (text) => `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`,
  });

  it('is accepted with its members in another order', async () => {
    const made = makePackage(reordered);
    expect(made.manifest).not.toEqual(makePackage().manifest);
    expect((await judge(made)).text).toBe('passed');
  });

  it.each([65_535, 65_536])('is accepted with white space up to %d bytes', async (bytes) => {
    const made = makePackage(padding(bytes));
    expect(made.manifest).toHaveLength(bytes);
    const { passed } = await judge(made);
    expect(Buffer.from(made.manifest).equals(passed?.manifest ?? Buffer.alloc(0))).toBe(true);
  });

  it('is accepted with escapes, with more members, and without members that are not compared', async () => {
    const escaped = makePackage({ editManifest: (text) => text.replace('"signup_id"', '"signup\\u005fid"') });
    expect((await judge(escaped)).text).toBe('passed');
    const more = makePackage({ editMembers: (all) => [...all, ['"__proto__"', '"x"'], ['"tier_1"', '"y"']] });
    expect((await judge(more)).text).toBe('passed');
    const fewer = makePackage({
      editMembers: (all) => all.filter(([name]) => !/bin|png|backend/.test(name)),
    });
    expect((await judge(fewer)).text).toBe('passed');
  });

  it('is refused if the orb signed another form', async () => {
    const { manifest } = makePackage(reordered);
    expect((await judge(makePackage(), { 'hashes.json': manifest })).text).toBe('signature hashes.sign');
    const line = Buffer.concat([makePackage().manifest, Buffer.from('\n')]);
    expect((await judge(makePackage(), { 'hashes.json': line })).text).toBe('signature hashes.sign');
  });
});
