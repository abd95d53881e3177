import { describe, expect, it } from 'vitest';
import { readCookie } from '../../../src/http/headers/read-cookie.ts';

describe('a cookie of this service', () => {
  it.each([
    ['is alone', 'txn=abc'],
    ['is among others of any form', 'a; =b; "c=d"; txn=abc ; txnn=x'],
    ['stands first of two', 'txn=abc; txn=other'],
  ])('is read when it %s', (_, header) => {
    expect(readCookie(header, 'txn')).toBe('abc');
  });

  it.each([
    ['there is no header', undefined],
    ['only another name begins with its own', 'txnn=abc'],
    ['its value is empty', 'txn='],
    ['its value has other characters', 'txn="abc"'],
    ['its value is too long', `txn=${'a'.repeat(129)}`],
  ])('is missing when %s', (_, header) => {
    expect(readCookie(header, 'txn')).toBeUndefined();
  });
});
