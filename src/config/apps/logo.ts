import { MAX_LOGO_BYTES } from './app-forms.ts';

/** Media types of a logo. */
export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');
const RIFF = Buffer.from('RIFF', 'latin1');
const WEBP = Buffer.from('WEBP', 'latin1');
const WEBP_OFFSET = 8;

/** Detects the media type from the first bytes, never from a file name; undefined if it is not PNG, JPEG or WebP. */
export function logoType(bytes: Uint8Array): LogoType | undefined {
  const has = (magic: Buffer, offset = 0): boolean =>
    magic.equals(bytes.subarray(offset, offset + magic.length));
  if (has(PNG)) return 'image/png';
  if (has(JPEG)) return 'image/jpeg';
  return has(RIFF) && has(WEBP, WEBP_OFFSET) ? 'image/webp' : undefined;
}

/** Returns a logo of at most 64 KiB, or the reason why the bytes are not one, as text after its name. */
export function readLogo(
  bytes: Uint8Array,
): { readonly contentType: LogoType; readonly bytes: Uint8Array } | { readonly fault: string } {
  if (bytes.length > MAX_LOGO_BYTES) return { fault: `expected at most ${MAX_LOGO_BYTES} bytes` };
  const contentType = logoType(bytes);
  return contentType === undefined
    ? { fault: 'expected a PNG, JPEG or WebP, got other first bytes' }
    : { contentType, bytes };
}
