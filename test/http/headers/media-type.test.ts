import { describe, expect, it } from 'vitest';
import { mediaTypeOf, requireForm, requireJson } from '../../../src/http/headers/media-type.ts';

const typed = (value: string): ReadonlyMap<string, string> => new Map([['content-type', value]]);
const NONE: ReadonlyMap<string, string> = new Map();

describe('the media type of a request', () => {
  it.each([
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    [' application/json ;charset=utf-8', 'application/json'],
    ['application/json;', 'application/json'],
    ['application/problem+json', 'application/problem+json'],
    ['', ''],
  ])('of Content-Type %j is %j', (value, expected) => {
    expect(mediaTypeOf(typed(value))).toBe(expected);
  });

  it('is undefined without the header', () => {
    expect(mediaTypeOf(NONE)).toBeUndefined();
  });
});

describe('a route that takes one media type', () => {
  it.each(['application/json', 'APPLICATION/JSON;charset=utf-8'])('of JSON accepts %j', (value) => {
    expect(() => requireJson(typed(value))).not.toThrow();
  });

  it.each([
    'text/plain',
    'application/json-seq',
    'application/x-www-form-urlencoded',
    'text/application/json',
    '',
  ])('of JSON refuses %j', (value) => {
    expect(() => requireJson(typed(value))).toThrow(expect.objectContaining({ code: 'http.not_json' }));
  });

  it.each(['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=UTF-8'])(
    'of forms accepts %j',
    (value) => {
      expect(() => requireForm(typed(value))).not.toThrow();
    },
  );

  it.each(['multipart/form-data; boundary=x', 'application/json', ''])('of forms refuses %j', (value) => {
    expect(() => requireForm(typed(value))).toThrow(expect.objectContaining({ code: 'signin.not_a_form' }));
  });

  it('refuses a request without the header', () => {
    expect(() => requireJson(NONE)).toThrow(expect.objectContaining({ code: 'http.not_json' }));
    expect(() => requireForm(NONE)).toThrow(expect.objectContaining({ code: 'signin.not_a_form' }));
  });
});
