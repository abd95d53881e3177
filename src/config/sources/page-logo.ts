import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MAX_LOGO_BYTES } from '../apps/app-forms.ts';
import { logoType } from '../apps/logo.ts';
import { findSetting } from '../settings/schema.ts';
import type { Origin } from '../settings/setting.ts';
import type { PageLogo } from '../settings/types.ts';
import { type Fault, settingFault } from './faults.ts';

/** The result of reading `signin.logoFile`. */
export interface PageLogoReading {
  readonly logo: PageLogo | undefined;
  readonly faults: readonly Fault[];
}

/** Key of the setting that names the logo file. */
export const LOGO_FILE = 'signin.logoFile';

// An XML declaration and comments may come before the root.
const SVG_ROOT = /^\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:[^-]|-[^-])*-->\s*)*<svg[\s>]/;
/** Content that a logo does not need and that a browser would run, load or expand when it opens the SVG directly. */
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
 * @param value - As given; a value that is not a string is reported by the schema.
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
  if (!SVG_ROOT.test(text)) return 'expected a PNG, JPEG, WebP or SVG, got other content';
  const danger = SVG_DANGERS.find(([pattern]) => pattern.test(text));
  return danger && `expected an SVG that is only a picture, got one with ${danger[1]}`;
}
