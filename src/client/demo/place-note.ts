import { element } from '../dom.ts';
import type { DemoConfig } from './config.ts';

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
    return element(
      'p',
      { class: 'note' },
      `You opened this page at ${origin}, but the service is set up to answer at ${home}. Open `,
      element('a', { href: urls.demo }, urls.demo),
      ', or set baseUrl to the address that you use.',
    );
  }
  if (isSecure) return undefined;
  return element(
    'p',
    { class: 'note' },
    `Browsers allow a sign-in like this over https, or at localhost; ${origin} is neither.`,
  );
}
