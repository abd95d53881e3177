import type { DemoConfig } from '../../pages.ts';
import { element } from '../dom.ts';

/**
 * Why the demo cannot work where it was opened; undefined when it can. What it remembers of a sign-in belongs to the
 * origin that the answer comes back to, and browsers give cryptography to https and loopback addresses alone.
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
