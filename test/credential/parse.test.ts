// Rules: spec/credential.md#reading-a-credential
import { describe, expect, it } from 'vitest';
import { credentialJson } from '../../src/credential/credential.ts';
import { parseCredential } from '../../src/credential/parse.ts';
import { isServiceError } from '../../src/errors/service-error.ts';
import { word } from '../engine/support/vectors.ts';
import { type CredentialRow, fieldsOf, VECTORS } from './support.ts';

const SAMPLE = VECTORS.credentials.at(-1) as Required<CredentialRow>;
const R = '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001';
// Whole groups of three bytes, so that it has no padding in either alphabet.
const URL_SAFE = Buffer.from(`{"id":"${'?'.repeat(7)}"}`.padEnd(18)).toString('base64url');
const U64_END = '18446744073709551616';

/** Returns the sample with the JSON of one member replaced. */
function withMember(name: string, json: string): string {
  const members = Object.entries(JSON.parse(SAMPLE.json) as Record<string, unknown>).map(
    ([known, value]) =>
      `"${known}":${known === name ? json : known === 'id' ? SAMPLE.id : JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}

function without(name: string): string {
  return withMember(name, 'null')
    .replace(new RegExp(`"${name}":null,?`), '')
    .replace(',}', '}');
}

function refusalOf(text: string): { readonly path: string | undefined; readonly message: string } {
  try {
    parseCredential(text);
  } catch (error) {
    if (isServiceError(error, 'credential.invalid'))
      return { path: error.details.path, message: error.message };
    throw error;
  }
  throw new Error(`expected a refusal, but it was accepted: ${text}`);
}

describe('parseCredential, forms of the text', () => {
  it.each([
    ['JSON', SAMPLE.json],
    ['JSON of a file, with a newline at its end', `${SAMPLE.json}\r\n`],
    [
      'indented JSON',
      JSON.stringify(JSON.parse(SAMPLE.json), null, 2).replace(/"id": \d+/, `"id": ${SAMPLE.id}`),
    ],
    ['base64', SAMPLE.base64],
    ['base64 of a file', ` ${SAMPLE.base64}\n`],
  ])('accepts %s', (_, text) => {
    expect(parseCredential(text).fields).toEqual(fieldsOf(SAMPLE));
  });

  it('accepts members in another order', () => {
    const reversed = Object.entries(JSON.parse(SAMPLE.json) as Record<string, unknown>)
      .reverse()
      .map(([name, value]) => `"${name}":${name === 'id' ? SAMPLE.id : JSON.stringify(value)}`);
    expect(parseCredential(`{${reversed.join(',')}}`)).toEqual(parseCredential(SAMPLE.json));
  });

  it.each([
    ['an empty text', ''],
    ['white space', ' \n'],
    ['base64 in the URL-safe alphabet', URL_SAFE],
    ['base64 without padding', SAMPLE.base64.replace(/=+$/, '')],
    ['base64 in two pieces', `${SAMPLE.base64.slice(0, 64)}\n${SAMPLE.base64.slice(64)}`],
    ['base64 with bits after its end', SAMPLE.base64.replace(/Q==$/, 'R==').replace(/0=$/, '1=')],
    ['base64 of base64', Buffer.from(SAMPLE.base64).toString('base64')],
    ['base64 of bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64')],
    ['base64 of a byte order mark', Buffer.from(`\ufeff${SAMPLE.json}`).toString('base64')],
    ['a byte order mark', `\ufeff${SAMPLE.json}`],
    ['an array', `[${SAMPLE.json}]`],
    ['base64 of an array', Buffer.from('[]').toString('base64')],
    ['JSON with text after it', `${SAMPLE.json}${SAMPLE.json}`],
    ['half of the JSON', SAMPLE.json.slice(0, 400)],
    ['an escaped unpaired surrogate', withMember('version', '"V1\\ud800"')],
    ['an unpaired surrogate', withMember('version', '"V1\ud800"')],
    ['objects nested nine deep', withMember('claims', `${'['.repeat(8)}${']'.repeat(8)}`)],
  ])('refuses %s', (_, text) => {
    expect(refusalOf(text).path).toBeUndefined();
  });

  it('reads the same bytes in the standard alphabet', () => {
    expect(URL_SAFE).toMatch(/^[\w-]*[_-][\w-]*$/);
    expect(refusalOf(Buffer.from(URL_SAFE, 'base64url').toString('base64')).path).toBe('version');
  });
});

describe('parseCredential, members', () => {
  const valid: readonly (readonly [member: string, json: string, field: string, value: unknown])[] = [
    ['id', '0', 'id', 0n],
    ['id', '9007199254740993', 'id', 9_007_199_254_740_993n],
    ['id', '18446744073709551615', 'id', 18_446_744_073_709_551_615n],
    ['issuer_schema_id', '18446744073709551615', 'issuerSchemaId', 18_446_744_073_709_551_615n],
    ['genesis_issued_at', '18446744073709551615', 'genesisIssuedAt', 18_446_744_073_709_551_615n],
    ['expires_at', '0', 'expiresAt', 0n],
    ['sub', '"0x0"', 'sub', word('0')],
    ['sub', '"0x1A2b3C"', 'sub', word('0x1a2b3c')],
    ['associated_data_hash', '"0x7"', 'associatedDataHash', word('7')],
  ];
  it.each(valid)('accepts %s %s', (member, json, field, value) => {
    expect(parseCredential(withMember(member, json)).fields).toMatchObject({ [field]: value });
  });

  it('reads absent claims as zero', () => {
    for (const [json, first] of [
      ['[]', word('0')],
      ['["0x5"]', word('5')],
    ] as const) {
      const { claims } = parseCredential(withMember('claims', json)).fields;
      expect(claims).toEqual([first, ...Array.from({ length: 15 }, () => word('0'))]);
    }
  });

  it('accepts coordinates from zero to one below the order', () => {
    const last = String(BigInt(R) - 1n);
    const { pk, x, y } = parseCredential(withMember('issuer', `{"pk":["0","${last}"]}`));
    expect([pk, x, y]).toEqual([['0', last], word('0'), word(last)]);
  });

  const u64 = ['id', 'issuer_schema_id', 'genesis_issued_at', 'expires_at'].flatMap((name) =>
    [U64_END, '-1', '-0', '1.0', '1e3', '1E0', '"1"', 'null', 'true', '[1]', '9'.repeat(400)].map(
      (json) => [name, json] as const,
    ),
  );
  const elements = ['sub', 'associated_data_hash', 'claims[3]'].flatMap((name) =>
    [
      `"${R}"`,
      '"0x"',
      '"1"',
      '"0X1"',
      '"0xg"',
      '" 0x1"',
      '"0x1 "',
      '"-0x1"',
      '"0x-1"',
      `"0x${'0'.repeat(65)}"`,
      '1',
      'null',
    ].map((json) => [name, json] as const),
  );
  const coordinates = [0, 1].flatMap((index) =>
    [
      `"${BigInt(R)}"`,
      '"01"',
      '"00"',
      '""',
      '"0x1"',
      '"-1"',
      '"1 "',
      '"1e3"',
      '1',
      'null',
      `"${'9'.repeat(400)}"`,
    ].map((json) => [`issuer.pk[${index}]`, json] as const),
  );
  const others = [
    ...['"V2"', '"v1"', '"V1 "', '""', '1', 'null'].map((json) => ['version', json] as const),
    ...[
      SAMPLE.signature.toUpperCase(),
      SAMPLE.signature.slice(1),
      `${SAMPLE.signature}0`,
      `0x${SAMPLE.signature}`,
      '',
      'g'.repeat(128),
    ].map((text) => ['signature', JSON.stringify(text)] as const),
    ['signature', 'null'] as const,
    ...['{}', 'null', '"0x1"', `[${Array.from({ length: 17 }, () => '"0x0"').join(',')}]`].map(
      (json) => ['claims', json] as const,
    ),
    ...['null', '"x"', '["1","2"]'].map((json) => ['issuer', json] as const),
    ...['null', '"x"', '[]', '["1"]', '["1","2","3"]', '{"0":"1","1":"2"}'].map(
      (json) => ['issuer.pk', json] as const,
    ),
    ...['"0x1"', `"${R}"`].map((json) => ['claims[15]', json] as const),
  ];

  it.each([...u64, ...elements, ...coordinates, ...others])('refuses %s: %s', (path, json) => {
    const [member = ''] = path.split(/[.[]/);
    const index = Number(/\d+/.exec(path)?.[0] ?? -1);
    let written = json;
    if (path.startsWith('claims[')) {
      written = `[${Array.from({ length: 16 }, (_, at) => (at === index ? json : '"0x0"')).join(',')}]`;
    } else if (path === 'issuer.pk') {
      written = `{"pk":${json}}`;
    } else if (path.startsWith('issuer.pk[')) {
      written = `{"pk":[${index === 0 ? `${json},"1"` : `"1",${json}`}]}`;
    }
    const refusal = refusalOf(withMember(member, written));
    expect(refusal.path).toBe(path);
    expect(refusal.message.startsWith(`${path}: expected `)).toBe(true);
  });

  it.each(Object.keys(JSON.parse(SAMPLE.json) as object))(
    'refuses a credential without %s, or with two',
    (name) => {
      expect(refusalOf(without(name))).toEqual({ path: name, message: `${name}: the member is missing` });
      const twice = `{"${name}":null,${SAMPLE.json.slice(1)}`;
      expect(refusalOf(twice)).toEqual({ path: name, message: `${name}: the member is repeated` });
      const escaped = `{"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}":null,${SAMPLE.json.slice(1)}`;
      expect(refusalOf(escaped)).toEqual({ path: name, message: `${name}: the member is repeated` });
    },
  );

  it('refuses an unknown member, in the credential and in its issuer', () => {
    for (const [text, path] of [
      [`{"issuer_version":0,${SAMPLE.json.slice(1)}`, 'issuer_version'],
      [`{"Id":0,${SAMPLE.json.slice(1)}`, '"Id"'],
      [`{"__proto__":{},${SAMPLE.json.slice(1)}`, '__proto__'],
      [withMember('issuer', '{"pk":["1","2"],"kid":"x"}'), 'issuer.kid'],
      [withMember('issuer', '{"pk":["1","2"],"pk":["1","2"]}'), 'pk'],
      [withMember('issuer', '{}'), 'issuer.pk'],
      [
        `{${JSON.stringify('\n'.repeat(1000))}:0,${SAMPLE.json.slice(1)}`,
        JSON.stringify(`${'\n'.repeat(64)}…`),
      ],
    ] as const) {
      expect(refusalOf(text)).toMatchObject({ path });
    }
  });

  it('repeats no value in a message', () => {
    const secret = '77777777777777777777';
    for (const name of Object.keys(JSON.parse(SAMPLE.json) as object)) {
      expect(refusalOf(withMember(name, `"${secret}"`)).message).not.toContain(secret);
    }
    expect(refusalOf(`{"id":${secret}${SAMPLE.json.slice(4)}`).message).not.toContain(secret);
    expect(refusalOf(`${secret}=`).message).not.toContain(secret);
  });
});

describe('credentialJson', () => {
  it('writes sixteen claims of 64 digits each, and refuses a seventeenth', () => {
    const fields = { ...fieldsOf(SAMPLE), claims: [word('0xabc')] };
    const json = credentialJson(fields, new Uint8Array(64), ['1', '2']);
    const { claims } = JSON.parse(json) as { readonly claims: readonly string[] };
    expect(claims).toEqual([
      `0x${'abc'.padStart(64, '0')}`,
      ...Array.from({ length: 15 }, () => `0x${'0'.repeat(64)}`),
    ]);
    const many = Array.from({ length: 17 }, () => word('0'));
    expect(() => credentialJson({ ...fields, claims: many }, new Uint8Array(64), ['1', '2'])).toThrow(
      RangeError,
    );
  });
});
