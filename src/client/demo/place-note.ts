import type { DemoConfig } from '../../pages.ts';
import { element } from '../dom.ts';

/**
 * Returns a note on why the demo cannot work at the address at which it was opened; undefined if it can. Its
 * storage belongs to the origin to which the answer returns, and browsers offer WebCrypto on https and
 * loopback addresses only.
 */
export function placeNote(
  { redirectUri, urls }: Pick<DemoConfig, 'redirectUri' | 'urls'>,
  { origin }: Pick<Location, 'origin'>,
  isSecure: boolean,
): HTMLElement | undefined {
  const home = new URL(redirectUri).origin;
  if (origin !== home) {
    const words = `You opened this page at ${origin}, but the service is set up to answer at ${home}. Go there, or set baseUrl to the address that you use.`;
    return element(
      'div',
      { class: 'panel' },
      element('p', { class: 'note' }, words),
      element('p', {}, element('a', { class: 'button primary', href: urls.demo }, 'Open the demo there')),
    );
  }
  if (isSecure) return undefined;
  return element(
    'p',
    { class: 'note' },
    `Browsers allow a sign-in like this over https, or at localhost; ${origin} is neither.`,
  );
}
