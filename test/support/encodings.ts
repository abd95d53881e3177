/** The encodings of a text file that programs of Windows write; none of UTF-8 without a mark. */
export const ENCODINGS: readonly (readonly [name: string, encode: (text: string) => Buffer])[] = [
  ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16LE without a mark', (text) => Buffer.from(text, 'utf16le')],
  ['UTF-16BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['UTF-16BE without a mark', (text) => Buffer.from(text, 'utf16le').swap16()],
];
