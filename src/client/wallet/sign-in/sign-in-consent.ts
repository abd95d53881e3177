import { element, facts } from '../../dom.ts';
import type { WalletParts } from '../wallet-parts.ts';
import type { SignInSession } from './sign-in-session.ts';

/** Renders the request of an app and the data that it would receive, for the consent of the person. */
export function consentView({ request, bridgeHost }: SignInSession, { config }: WalletParts): HTMLElement {
  const { appId, action, description, trees } = request;
  const isOrbRequired = !trees.includes('device');
  const rows: (readonly [string, Node | string])[] = [
    ['App id', element('code', {}, appId)],
    ['Asked for', isOrbRequired ? 'Orb' : 'Orb or Device'],
  ];
  if (action !== '') rows.push(['Action', action]);
  const ownHosts = [location.host, new URL(config.bridgeUrl, location.href).host];
  if (!ownHosts.includes(bridgeHost)) rows.push(['Answer goes through', bridgeHost]);
  const words =
    description === '' ? 'The app does not say what this is for.' : `The app says: “${description}”`;
  return element(
    'div',
    { class: 'panel' },
    element('p', { class: 'quote' }, words),
    facts(...rows),
    element(
      'div',
      { class: 'shared' },
      list('The app gets', [
        `a proof that you are one enrolled person (${isOrbRequired ? 'Orb' : 'Orb if you are in it, else Device'})`,
        'an identifier of yours that is good for this app only',
      ]),
      list('The app does not get', [
        'your secret, your label or your commitment',
        'anything that links you to other apps',
      ]),
    ),
  );
}

function list(title: string, items: readonly string[]): HTMLElement {
  return element(
    'div',
    {},
    element('h3', {}, title),
    element('ul', {}, ...items.map((item) => element('li', {}, item))),
  );
}
