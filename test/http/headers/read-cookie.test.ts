// Rules: spec/sign-in.md#cookies
import { describe, expect, it } from 'vitest';
import { readCookies } from '../../../src/http/routes/public/signin/cookies.ts';

describe('a cookie of this service', () => {
  it.each([
    ['is alone', '__Host-a=abc'],
    ['is among others of any form', 'a; =b; "c=d"; __Host-a=abc ; __Host-aa=x; =__Host-a=x'],
    ['has spaces and tabs around it', 'x=y;\t __Host-a \t=\t abc\t '],
    ['has no space before it', 'x=y;__Host-a=abc'],
  ])('is read when it %s', (_, header) => {
    expect(readCookies(header).get('__Host-a')).toBe('abc');
  });

  it.each([
    ['there is no header', undefined],
    ['only another name begins with its own', '__Host-aa=abc'],
    ['its name is in other letters', '__host-a=abc; __HOST-a=abc'],
    ['its value is empty', '__Host-a='],
    ['its value has other characters', '__Host-a="abc"'],
    ['its value is too long', `__Host-a=${'a'.repeat(129)}`],
    ['it is there twice', '__Host-a=abc; __Host-a=other'],
    ['it is there twice with one value', '__Host-a=abc; __Host-a=abc'],
    ['a malformed one is there too', '__Host-a=abc; __Host-a='],
    ['a malformed one precedes it', '__Host-a="x"; __Host-a=abc'],
  ])('is missing when %s', (_, header) => {
    expect(readCookies(header).get('__Host-a')).toBeUndefined();
  });

  // Everything that `String.trim` removes and browsers do not, and what decoders make of damaged bytes.
  it.each([
    0x0b, 0x0c, 0x85, 0xa0, 0x1680, 0x180e, 0x2000, 0x200a, 0x200b, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
    0xfeff, 0xfffd,
  ])('is missing when U+%i stands before or behind its name', (code) => {
    const space = String.fromCharCode(code);
    for (const name of [`${space}__Host-a`, `__Host-a${space}`, `${space} __Host-a`, ` ${space}__Host-a`]) {
      expect(readCookies(`x=y; ${name}=abc`).get('__Host-a')).toBeUndefined();
      // It does not count as a second one of the name either.
      expect(readCookies(`${name}=other; __Host-a=abc`).get('__Host-a')).toBe('abc');
    }
  });
});
