import type { DemoConfig } from '../../pages.ts';
import { element } from '../dom.ts';
import type { Call } from './calls.ts';
import type { Check, CheckedToken } from './check-tokens.ts';

/** Renders checks as a list; the words repeat the meaning of the marks for screen readers. */
export function checksView(checks: readonly Check[]): HTMLElement {
  return element(
    'ul',
    { class: 'checks' },
    ...checks.map(({ name, isOk, detail }) =>
      element(
        'li',
        { 'data-ok': String(isOk) },
        element('span', { class: 'mark', 'aria-hidden': 'true' }, isOk ? '✓' : '✗'),
        element(
          'span',
          {},
          element('b', {}, `${name} ${isOk ? 'is right' : 'is wrong'}`),
          element('small', {}, detail),
        ),
      ),
    ),
  );
}

/** Renders a token: its checks and claims, with header and raw text folded. */
export function tokenView({ token, header, claims, checks }: CheckedToken): HTMLElement {
  return element(
    'div',
    { class: 'panel' },
    checksView(checks),
    folded('Header', json(header)),
    element('h3', {}, 'Claims'),
    element('pre', {}, json(claims)),
    folded('The token as it came', token),
  );
}

/** Renders a call: its request and its answer. */
export function callView({ method, url, sent, status, challenge, text, body }: Call): HTMLElement {
  const head = challenge === undefined ? [] : [`WWW-Authenticate: ${challenge}`, ''];
  const answer = Object.keys(body).length > 0 ? json(body) : text;
  return element(
    'div',
    { class: 'call' },
    element('p', {}, `${method} ${url} → ${status}`),
    ...(sent.length === 0 ? [] : [folded('Request', sent.join('\n'))]),
    folded('Answer', [...head, answer === '' ? '(no body)' : answer].join('\n')),
  );
}

/** Creates a section with a heading. */
export function section(title: string, ...children: readonly (Node | string)[]): HTMLElement {
  const id = `part-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
  return element('section', { 'aria-labelledby': id }, element('h2', { id }, title), ...children);
}

/** Creates a collapsed `details` element with preformatted text. */
export function folded(title: string, text: string): HTMLElement {
  return element('details', {}, element('summary', {}, title), element('pre', {}, text));
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/**
 * Returns a note why the demo cannot work at its present address; undefined if it can. Its storage belongs to the
 * origin to which the answer returns, and browsers offer WebCrypto on https and loopback addresses only.
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
