// Rules: spec/refresh.md#form-parts and spec/refresh.md#multipart-syntax
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/errors/catalogue.ts';
import { isServiceError } from '../../../src/errors/service-error.ts';
import { encryptedUserId } from '../../../src/refresh/request/parse-fields.ts';
import {
  PACKAGE_PARTS,
  type PartName,
  parseForm,
  type RefreshForm,
  readParts,
} from '../../../src/refresh/request/parse-form.ts';
import { expectRejected } from '../../support/rejects.ts';
import {
  BOUNDARY,
  bytesOf,
  type Form,
  form,
  MALFORMED,
  part,
  raw,
  SUB_PART,
  withHeaderBytes,
} from './support/forms.ts';

const parse = ({ contentType, body }: Form): Promise<RefreshForm> => parseForm(contentType, body);

/** Returns the code and message of a refusal; throws if the form is accepted. */
async function refusalOf(made: Form): Promise<{ readonly code: ErrorCode; readonly message: string }> {
  const fault = await parse(made).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isServiceError(fault)) throw new Error(`expected a refusal, got ${String(fault)}`);
  return { code: fault.code, message: fault.message };
}

async function valueIn(made: Form, name: PartName): Promise<Buffer | undefined> {
  const value = (await parse(made)).parts.get(name);
  return value && Buffer.from(value);
}

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

describe('a malformed form', () => {
  it.each(MALFORMED)('is refused: %s', async (_name, made) => {
    const { code, message } = await refusalOf(made);
    expect(code).toBe('refresh.malformed_body');
    expect(message).not.toContain('0x1a2b3c');
  });

  it('is refused wherever it is cut off', async () => {
    const whole = form([SUB_PART, part('hashes.json', ALL_BYTES), part('signup_id', '')]);
    const end = whole.body.length - '\r\n'.length;
    for (let length = 0; length < end; length++) {
      const { code } = await refusalOf({ ...whole, body: whole.body.subarray(0, length) });
      expect([length, code]).toEqual([length, 'refresh.malformed_body']);
    }
    expect((await parse({ ...whole, body: whole.body.subarray(0, end) })).parts.size).toBe(3);
  });
});

describe('a well-formed form', () => {
  const values: [string, string | Uint8Array][] = [
    ['no bytes', ''],
    ['all 256 bytes', ALL_BYTES],
    ['zero bytes', '\0\0\0'],
    ['line ends at both ends', '\r\n\r\nvalue\r\n\r\n'],
    ['bare line ends', '\rvalue\n'],
    ['spaces at both ends', '  value\t '],
    ['a byte order mark', '\xef\xbb\xbfvalue'],
    ['bytes that are not UTF-8', '\xff\xfe\xc3'],
    ['percent escapes and plus signs', '%41+%zz'],
    ['the boundary without its line end', `value--${BOUNDARY}--`],
    ['the boundary after a bare LF', `\n--${BOUNDARY}--\n`],
    ['the boundary after a bare CR', `\r--${BOUNDARY}--\r`],
    ['the boundary after one dash', `\r\n-${BOUNDARY}--\r\n`],
    ['all but the last character of the boundary', `\r\n--${BOUNDARY.slice(0, -1)}`],
    [
      'another boundary',
      '\r\n--other\r\nContent-Disposition: form-data; name="sub"\r\n\r\n0x1\r\n--other--\r\n',
    ],
    ['headers', 'Content-Disposition: form-data; name="sub"\r\n\r\n'],
    ['the start of a delimiter at its end', '\r\n--'],
  ];

  it.each(values)('keeps the bytes of a value of %s', async (_name, value) => {
    for (const made of [
      form([part('signup_id', value)]),
      form([SUB_PART, part('signup_id', value), part('orb_id', '0')]),
      form([part('orb_id', value), part('signup_id', value)]),
    ]) {
      expect(await valueIn(made, 'signup_id')).toEqual(bytesOf(value));
    }
  });

  it('returns views of the body', async () => {
    const share = Buffer.alloc(200_000, 'share');
    const made = form([SUB_PART, part('iris_code_shares_0', share)]);
    const value = (await parse(made)).parts.get('iris_code_shares_0');
    expect(value?.buffer).toBe(made.body.buffer);
    expect(value).toHaveLength(share.length);
  });

  it.each([
    ['upper case', 'Multipart/Form-Data; BOUNDARY=b', 'b'],
    ['quotes', 'multipart/form-data; boundary="b"', 'b'],
    ['spaces', 'multipart/form-data \t; \tboundary=b \t', 'b'],
    ['other parameters', 'multipart/form-data; charset="utf-8"; boundary=b; x=y', 'b'],
    ['empty parameters', 'multipart/form-data;; boundary=b;', 'b'],
    ['one character', 'multipart/form-data; boundary=0', '0'],
    ['70 characters', `multipart/form-data; boundary=${'b'.repeat(70)}`, 'b'.repeat(70)],
    ['nothing but dashes', 'multipart/form-data; boundary=----', '----'],
    ['spaces within', 'multipart/form-data; boundary="a b  c"', 'a b  c'],
    [
      'all characters that RFC 2046 allows',
      `multipart/form-data; boundary="0aZ'()+_,-./:=? ?"`,
      "0aZ'()+_,-./:=? ?",
    ],
    ['all characters of a token', "multipart/form-data; boundary=0aZ'+_-.", "0aZ'+_-."],
  ])('may have a boundary with %s', async (_name, contentType, boundary) => {
    const { body } = form([SUB_PART, part('signup_id', `\r\n--${boundary.slice(1)}?`)], boundary);
    expect((await valueIn({ contentType, body }, 'sub'))?.toString()).toBe('0x1a2b3c');
  });

  it.each([
    ['a token as name', 'form-data; name=sub'],
    ['upper case', 'Form-Data; NAME="sub"'],
    ['no spaces', 'form-data;name="sub"'],
    ['many spaces', ' form-data \t ; \t name="sub" \t'],
    ['a file name', 'form-data; name="sub"; filename="a.txt"'],
    ['a file name before the name', 'form-data; filename="a.txt"; name="sub"'],
    ['an empty file name', 'form-data; name="sub"; filename=""'],
    ['a file name with semicolons', 'form-data; name="sub"; filename="a; name=b"'],
    ['a file name in UTF-8', 'form-data; name="sub"; filename="\xc3\xa9"'],
    ['a path with backslashes', 'form-data; name="sub"; filename="C:\\a\\b.txt"'],
    ['two forms of the file name', "form-data; name=sub; filename=a.txt; filename*=utf-8''a.txt"],
    ['a semicolon at the end', 'form-data; name="sub";'],
    ['16 parameters', `form-data; name="sub"${';'.repeat(15)}`],
    ['folded lines', 'form-data;\r\n name="sub";\r\n\tfilename="a"'],
  ])('may have a disposition with %s', async (_name, disposition) => {
    expect((await valueIn(form([part('', '0x1', disposition)]), 'sub'))?.toString()).toBe('0x1');
  });

  it.each([
    ['a content type', 'Content-Type: text/plain; charset=ISO-8859-1\r\n'],
    ['a malformed content type', 'Content-Type: ;;=\r\n'],
    ['UTF-16 as charset', 'Content-Type: text/plain; charset=utf-16le\r\n'],
    ['an identity encoding', 'Content-Transfer-Encoding: Binary\r\n'],
    ['a length of its own', 'Content-Length: 1\r\n'],
    ['unknown headers, even twice', 'X-Own: 1\r\nX-Own: 2\r\n__proto__: 3\r\n'],
    ['an empty header', 'X-Own:\r\n'],
    ['bytes beyond ASCII in a header', 'X-Own: \xe9\xff\r\n'],
  ])('may have a part with %s', async (_name, more) => {
    const made = form([part('sub', '\0\xff0x1', undefined, more)]);
    expect((await valueIn(made, 'sub'))?.toString('latin1')).toBe('\0\xff0x1');
  });

  it.each([
    ['a preamble', (text: string) => `preamble\r\nof lines --${BOUNDARY}\r\n${text}`],
    ['an empty line before', (text: string) => `\r\n${text}`],
    ['an epilogue', (text: string) => `${text}epilogue\r\n\0--${BOUNDARY}`],
    ['no line end at the end', (text: string) => text.slice(0, -2)],
  ])('may have %s', async (_name, change) => {
    const { body } = form([SUB_PART]);
    const made = raw(change(body.toString('latin1')));
    expect((await valueIn(made, 'sub'))?.toString()).toBe('0x1a2b3c');
  });

  it('may have headers of 1,024 bytes', async () => {
    expect((await parse(withHeaderBytes(1024))).parts.size).toBe(1);
  });

  it('may have no parts', async () => {
    const { parts, hasPackage } = await parse(raw(`--${BOUNDARY}--\r\n`));
    expect([parts.size, hasPackage]).toEqual([0, false]);
  });

  it('ignores unknown parts, even repeated ones, and compares names by their bytes', async () => {
    const names = [
      'other',
      'other',
      '',
      'Sub',
      'sub ',
      'sub[]',
      '__proto__',
      'constructor',
      's%75b',
      's\xc1\xb5b',
    ];
    const made = form([SUB_PART, ...names.map((name) => part(name, '0x2'))]);
    const { parts, hasPackage } = await parse(made);
    expect([...parts.keys()]).toEqual(['sub']);
    expect(hasPackage).toBe(false);
  });

  it('has at most 64 parts', async () => {
    const unknown = new Array<Buffer>(63).fill(part('other', 'v'));
    expect((await parse(form([...unknown, SUB_PART]))).parts.size).toBe(1);
    expect((await refusalOf(form([...unknown, SUB_PART, part('x', '')]))).message).toContain('64');
  });
});

describe('the package of a form', () => {
  it('has 19 parts, any of which makes a package, even if empty', async () => {
    expect(new Set(PACKAGE_PARTS).size).toBe(19);
    for (const name of PACKAGE_PARTS) {
      const { parts, hasPackage } = await parse(form([SUB_PART, part(name, '')]));
      expect([name, hasPackage, parts.get(name)?.length]).toEqual([name, true, 0]);
    }
    expect((await parse(form([SUB_PART, part('encrypted_user_id', 'u')]))).hasPackage).toBe(false);
  });
});

describe('a part of any length', () => {
  it('is left to the check that reads it', async () => {
    for (const name of ['sub', 'encrypted_user_id', ...PACKAGE_PARTS] as const) {
      const long = form([part(name, Buffer.alloc(300_000))]);
      expect((await valueIn(long, name))?.length).toBe(300_000);
    }
  });
});

describe('a part with a known name', () => {
  it('is refused when it is repeated, however it is written', async () => {
    for (const name of ['sub', 'encrypted_user_id', ...PACKAGE_PARTS]) {
      for (const second of [
        part(name, 'v'),
        part(name, ''),
        part(name, 'v', `form-data; filename="a"; name=${name}`, 'Content-Type: text/html\r\n'),
      ]) {
        const { code, message } = await refusalOf(form([part(name, 'v'), part('x', ''), second]));
        expect([name, code]).toEqual([name, 'refresh.duplicate_part']);
        expect(message).toContain(name);
      }
    }
  });
});

describe('encrypted_user_id', () => {
  const read = async (value: string | Uint8Array): Promise<string | undefined> =>
    encryptedUserId(await parse(form([part('encrypted_user_id', value)])));

  it('is the exact text', async () => {
    expect(await read('')).toBe('');
    expect(await read(Buffer.from(' é\ufeff\r\n'))).toBe(' é\ufeff\r\n');
    expect(await read(Buffer.from('\ufeffu'))).toBe('\ufeffu');
    expect(encryptedUserId(await parse(form([SUB_PART])))).toBeUndefined();
  });

  it('is refused when it is longer than 4,096 bytes, UTF-8 or not', async () => {
    expect(await read(Buffer.from('é'.repeat(2048)))).toHaveLength(2048);
    for (const value of ['u'.repeat(4097), Buffer.from('é'.repeat(2049)), Buffer.alloc(4097, 0xff)]) {
      await expect(read(value)).rejects.toMatchObject({
        code: 'refresh.user_id_too_long',
        message: `encrypted_user_id: expected at most 4096 bytes, got ${Buffer.byteLength(value)}`,
      });
    }
  });

  it.each(['\xff', 'a\xc3', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80'])(
    'is refused when it is not UTF-8',
    async (bytes) => {
      await expectRejected(read(bytes), 'refresh.malformed_body', 'encrypted_user_id');
    },
  );
});

/** Reads the parts of a body that no other check has seen. */
const read = ({ body }: Form, partCount: number) => readParts(BOUNDARY, { bytes: body, partCount });

// `frameBody` refuses all such bodies that are known; these are the guards against a library that reads a body
// differently.
describe('a body that the library reads differently from its frame', () => {
  it('is read when both find the same parts', async () => {
    const parts = await read(form([SUB_PART, part('orb_id', '0')]), 2);
    expect(parts.map(({ name, value }) => [name, value.toString()])).toEqual([
      ['sub', '0x1a2b3c'],
      ['orb_id', '0'],
    ]);
  });

  it.each([1, 3])('is refused when the library reports 2 parts of %i', async (partCount) => {
    await expectRejected(
      read(form([SUB_PART, part('orb_id', '0')]), partCount),
      'refresh.malformed_body',
      'a part cannot be read',
    );
  });

  it('is refused when a part breaks off', async () => {
    const body = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="sub"\r\n\r\n0x1a`;
    await expectRejected(read(raw(body), 1), 'refresh.malformed_body', 'a part breaks off');
  });
});
