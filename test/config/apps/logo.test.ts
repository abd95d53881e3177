import { describe, expect, it } from 'vitest';
import { MAX_LOGO_BYTES } from '../../../src/config/apps/app-forms.ts';
import { logoType, readLogo } from '../../../src/config/apps/logo.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('a logo', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', Buffer.from('ffd8ffe000104a46', 'hex')],
    ['image/webp', Buffer.from('RIFF\u0010\u0000\u0000\u0000WEBPVP8 ', 'latin1')],
  ])('is recognized as %s by its first bytes', (type, bytes) => {
    expect(logoType(bytes)).toBe(type);
    expect(readLogo(bytes)).toEqual({ contentType: type, bytes });
  });

  it.each([
    ['nothing', ''],
    ['an SVG, which could hold a script', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a GIF', 'GIF89a'],
    ['another RIFF file', 'RIFF\u0010\u0000\u0000\u0000WAVEfmt '],
    ['the start of a PNG', '\u0089PNG'],
  ])('is refused when it is %s', (_what, text) => {
    expect(readLogo(Buffer.from(text, 'latin1'))).toEqual({
      fault: 'expected a PNG, JPEG or WebP, got other first bytes',
    });
  });

  it('has at most 64 KiB', () => {
    const largest = Buffer.concat([PNG, Buffer.alloc(MAX_LOGO_BYTES - PNG.length)]);
    expect(readLogo(largest)).toMatchObject({ contentType: 'image/png' });
    expect(readLogo(Buffer.concat([largest, Buffer.alloc(1)]))).toEqual({
      fault: 'expected at most 65536 bytes',
    });
  });
});
