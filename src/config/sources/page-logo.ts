import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { logoType, MAX_LOGO_BYTES } from '../apps/logo.ts';
import { findSetting } from '../settings/schema.ts';
import type { Origin } from '../settings/setting.ts';
import type { PageLogo } from '../settings/types.ts';
import { type Fault, settingFault } from './faults.ts';

/** What `signin.logoFile` came to. */
export interface PageLogoReading {
  readonly logo: PageLogo | undefined;
  readonly faults: readonly Fault[];
}

/** Key of the setting. */
export const LOGO_FILE = 'signin.logoFile';

// An XML declaration and comments may come before the root.
const SVG_ROOT = /^\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:[^-]|-[^-])*-->\s*)*<svg[\s>]/;
/** What an SVG of a logo has no use for, and a browser that opens the picture itself would run, load or expand. */
const SVG_DANGERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/<!(?:DOCTYPE|ENTITY)/i, 'a document type or an entity'],
  [/<(?:\w+:)?script/i, 'a script'],
  [/<(?:\w+:)?foreignObject/i, 'a foreignObject'],
  [/\son\w+\s*=/i, 'an event handler'],
  [/javascript:/i, 'a javascript: address'],
  [/(?:href|src)\s*=\s*["']\s*(?:https?:)?\/\//i, 'an address of another server'],
];

/**
 * Reads the file of `signin.logoFile`.
 *
 * @param value - As it was given; what is no text is left to the schema.
 * @param cwd - Folder that a relative path starts from.
 */
export async function readPageLogo(value: unknown, cwd: string, origin: Origin): Promise<PageLogoReading> {
  const setting = findSetting(LOGO_FILE);
  if (typeof value !== 'string' || value === '' || setting === undefined)
    return { logo: undefined, faults: [] };
  const fault = (text: string): PageLogoReading => ({
    logo: undefined,
    faults: [settingFault(setting, `${JSON.stringify(value)}: ${text}`, origin)],
  });
  try {
    const bytes = await readFile(resolve(cwd, value));
    if (bytes.length > MAX_LOGO_BYTES)
      return fault(`expected at most ${MAX_LOGO_BYTES} bytes, got ${bytes.length}`);
    const contentType = logoType(bytes) ?? 'image/svg+xml';
    const danger = contentType === 'image/svg+xml' ? svgFault(new TextDecoder().decode(bytes)) : undefined;
    return danger === undefined ? { logo: { contentType, bytes }, faults: [] } : fault(danger);
  } catch (error) {
    return fault(`cannot be read: ${(error as Error).message}`);
  }
}

function svgFault(text: string): string | undefined {
  if (!SVG_ROOT.test(text)) return 'expected a PNG, JPEG, WebP or SVG, and its content is none of them';
  const danger = SVG_DANGERS.find(([pattern]) => pattern.test(text));
  return danger && `expected an SVG that is a picture alone, and it has ${danger[1]}`;
}
