import { readFile } from 'node:fs/promises';
import type { Config } from '../../config/settings/types.ts';
import { accentColors } from '../../config/values/accent-color.ts';
import { type AssetSource, type Assets, clientAsset, createAssets } from './assets.ts';
import { contentSecurityPolicy } from './render-page.ts';

/** File extensions of logos by media type. */
const LOGO_ENDINGS = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
} as const;

type LogoAsset = `logo.${(typeof LOGO_ENDINGS)[keyof typeof LOGO_ENDINGS]}`;

/** Files that the pages of sign-in and the small pages load under names that change with their content. */
export type SiteAsset = 'sign-in-page.js' | 'wait-page.js' | 'sign-in.css' | 'favicon.svg' | LogoAsset;

/** Files of the site, and the name of the logo file, if there is one. */
export interface SiteAssets {
  readonly assets: Assets<SiteAsset>;
  readonly logo: SiteAsset | undefined;
}

// Next to this file, in src and in dist.
const ICONS = new URL('./icons/', import.meta.url);

/**
 * Content-Security-Policy of an image that is opened as a document: nothing in it runs, loads or has this
 * origin. An SVG may have inline style.
 */
const PICTURE_POLICY = {
  'default-src': "'none'",
  'style-src': "'unsafe-inline'",
  'frame-ancestors': "'none'",
  sandbox: '',
};

/**
 * Reads the files. They are served below `/signin`, because nothing below `/authorize` is cached.
 *
 * @throws ServiceError `page.not_built`
 */
export async function loadSiteAssets(basePath: string, signin: Config['signin']): Promise<SiteAssets> {
  const logo: SiteAsset | undefined = signin.logo && `logo.${LOGO_ENDINGS[signin.logo.contentType]}`;
  const style = await clientAsset('sign-in.css');
  const sources: AssetSource<SiteAsset>[] = [
    await clientAsset('sign-in-page.js'),
    await clientAsset('wait-page.js'),
    { ...style, body: Buffer.concat([style.body, Buffer.from(accentStyle(signin))]) },
    await faviconAsset(),
  ];
  if (logo && signin.logo) sources.push(picture(logo, signin.logo.contentType, signin.logo.bytes));
  return { assets: createAssets(`${basePath}/signin`, sources), logo };
}

/** Reads the icon to which pages link. */
export async function faviconAsset(): Promise<AssetSource<'favicon.svg'>> {
  return picture('favicon.svg', 'image/svg+xml', await readIcon('favicon.svg'));
}

function picture<Name extends SiteAsset>(
  name: Name,
  contentType: string,
  body: Uint8Array,
): AssetSource<Name> {
  const headers = { 'Content-Security-Policy': contentSecurityPolicy(PICTURE_POLICY).trim() };
  return { name, contentType, body, headers };
}

/** Reads an icon of the service. */
export async function readIcon(name: 'favicon.svg' | 'favicon.ico'): Promise<Uint8Array> {
  return await readFile(new URL(name, ICONS));
}

/**
 * Returns CSS that overrides the accent of `base.css`. The values were validated as colours with the
 * configuration.
 */
function accentStyle({ accentColor, accentColorDark }: Config['signin']): string {
  const rule = (theme: 'light' | 'dark'): string => {
    const colors = accentColors(theme, accentColor, accentColorDark);
    if (colors === undefined) return '';
    const { accent, strong, onAccent } = colors;
    return `:root{--accent:${accent};--accent-strong:${strong};--on-accent:${onAccent}}`;
  };
  const dark = rule('dark');
  return `${rule('light')}${dark === '' ? '' : `@media (prefers-color-scheme: dark){${dark}}`}`;
}
