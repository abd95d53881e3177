import { describe, expect, it } from 'vitest';
import { parseFieldElement } from '../../../src/credential/credential.ts';
import { parseIdComm, parseSub } from '../../../src/refresh/request/parse-fields.ts';
import type { RefreshForm } from '../../../src/refresh/request/parse-form.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { bytesOf } from './support/forms.ts';

/** The scalar order r (spec/credential.md#field-elements), and the element before it. */
const ORDER = '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001';
const LAST = '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000000';

/** Texts of field elements other than 0, and their hex digits without leading zeros. */
const GOOD: readonly (readonly [name: string, text: string, digits: string])[] = [
  ['short', '0x1a2b3c', '1a2b3c'],
  ['one digit', '0x1', '1'],
  ['an odd number of digits', '0xabc', 'abc'],
  ['upper case', '0x1A2B3C', '1a2b3c'],
  ['leading zeros', '0x0001', '1'],
  ['64 digits', `0x${'0'.repeat(58)}1a2b3c`, '1a2b3c'],
  ['the last element', LAST, LAST.slice(2)],
  ['the last element in upper case', `0x${LAST.slice(2).toUpperCase()}`, LAST.slice(2)],
];

const BAD: readonly (readonly [name: string, text: string])[] = [
  ['empty', ''],
  ['a prefix alone', '0x'],
  ['no prefix', '1a2b3c'],
  ['no prefix, 64 digits', '1'.padStart(64, '0')],
  ['an upper-case prefix', '0X1a2b3c'],
  ['two prefixes', '0x0x1a'],
  ['a sign', '-0x1a'],
  ['a sign after the prefix', '0x-1a'],
  ['a plus sign', '+0x1a'],
  ['a space before it', ' 0x1a'],
  ['a space after it', '0x1a '],
  ['a space within', '0x1a 2b'],
  ['a line end after it', '0x1a\r\n'],
  ['a NUL after it', '0x1a\0'],
  ['another letter', '0x1g'],
  ['an underscore', '0x1_a'],
  ['a fraction', '0x1.8'],
  ['65 digits', `0x${'1'.padStart(65, '0')}`],
  ['a thousand digits', `0x${'1'.repeat(1000)}`],
  ['the scalar order', ORDER],
  ['the scalar order in upper case', `0x${ORDER.slice(2).toUpperCase()}`],
  ['the largest of 64 digits', `0x${'f'.repeat(64)}`],
];
const ZEROS = ['0x0', '0x00', `0x${'0'.repeat(64)}`];

const padded = (digits: string): string => `0x${digits.padStart(64, '0')}`;

describe('a field element of a request', () => {
  it.each(GOOD)('is read when it is %s', (_name, text, digits) => {
    const word = parseFieldElement(text);
    expect(word && toHex(word)).toBe(padded(digits));
  });

  it.each(BAD)('is refused when it is %s', (_name, text) => {
    expect(parseFieldElement(text)).toBeUndefined();
  });

  it('may be 0, and has only ASCII digits', () => {
    for (const text of ZEROS) expect(parseFieldElement(text)).toEqual(new Uint8Array(32));
    // full-width and Arabic digits, and a dotted capital I, whose low byte is an ASCII 0
    for (const text of ['0x\uff11', '0x\u0661', '0x\u01301', '\uff10x1'])
      expect(parseFieldElement(text)).toBeUndefined();
  });
});

function formOf(sub: string | Uint8Array | undefined): RefreshForm {
  return { parts: new Map(sub === undefined ? [] : [['sub', bytesOf(sub)]]), hasPackage: false };
}

describe('sub', () => {
  it.each(GOOD)('is read when it is %s', (_name, text, digits) => {
    expect(toHex(parseSub(formOf(text)))).toBe(padded(digits));
  });

  it.each([
    ...BAD,
    ...ZEROS.map((text) => [`zero: ${text}`, text] as const),
    ['a byte order mark', '\xef\xbb\xbf0x1a'] as const,
    ['not UTF-8', '0x1\xff'] as const,
    ['UTF-16', '0\0x\x001\0'] as const,
  ])('is refused when it is %s', (_name, text) => {
    expect(() => parseSub(formOf(text))).toThrow(
      expect.objectContaining({
        code: 'refresh.sub_invalid',
        message: expect.stringMatching(/^sub: expected/),
      }),
    );
  });

  it('is refused when it is missing', () => {
    expect(() => parseSub(formOf(undefined))).toThrow(
      expect.objectContaining({ code: 'refresh.sub_invalid', message: 'sub is missing' }),
    );
  });
});

describe('idComm', () => {
  it.each(GOOD)('is read when it is %s', (_name, text, digits) => {
    expect(toHex(parseIdComm(`idComm=${text}`))).toBe(padded(digits));
  });

  it.each([
    ...BAD.map(([name, text]) => [name, `idComm=${encodeURIComponent(text)}`]),
    ...ZEROS.map((text) => [`zero: ${text}`, `idComm=${text}`]),
    ['missing', ''],
    ['missing among others', 'a=1&sub=0x1'],
    ['of another case', 'idcomm=0x1a'],
    ['without a value', 'idComm'],
    ['repeated', 'idComm=0x1a&idComm=0x1b'],
    ['repeated with the same value', 'idComm=0x1a&a=1&idComm=0x1a'],
    ['repeated, once without a value', 'idComm=0x1a&idComm'],
    ['repeated, once under an escaped name', 'idComm=0x1a&%69dComm=0x1a'],
    ['repeated, once malformed', 'idComm=0x1a&idComm=%'],
    ['with a broken escape', 'idComm=0x1a%'],
    ['with an escape that is not hex', 'idComm=0x1a%zz'],
    ['with bytes that are not UTF-8', 'idComm=0x1a%ff'],
    ['escaped twice', 'idComm=%2530x1a'],
    ['after a plus sign', 'idComm=+0x1a'],
    ['separated by a semicolon', 'a=1;idComm=0x1a'],
    ['in brackets', 'idComm[]=0x1a'],
  ])('is refused when it is %s', (_name, query = '') => {
    expect(() => parseIdComm(query)).toThrow(
      expect.objectContaining({ code: 'refresh.id_comm_invalid', message: expect.stringMatching(/^idComm/) }),
    );
  });

  it.each([
    ['first', 'idComm=0x1a&a=1'],
    ['last', 'a=1&b=2&idComm=0x1a'],
    ['next to broken escapes', '%=1&a=%zz&%ff=%ff&idComm=0x1a'],
    ['next to repeated parameters', 'a=1&a=2&idComm=0x1a&a=3'],
    ['next to empty parameters', '&&=&idComm=0x1a&'],
    ['next to names that begin like it', 'idComm2=0x2&idCom=0x3&idComm=0x1a'],
    ['with escapes', 'idComm=%30%781%61'],
    ['under an escaped name', 'id%43omm=0x1a'],
  ])('is read %s', (_name, query) => {
    expect(toHex(parseIdComm(query))).toBe(padded('1a'));
  });

  it('is never repeated in a message', () => {
    expect(() => parseIdComm('idComm=0x5ec2e7g')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('5ec2e7') }),
    );
    expect(() => parseSub(formOf('0x5ec2e7g'))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('5ec2e7') }),
    );
  });
});
