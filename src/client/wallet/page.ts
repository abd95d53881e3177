/**
 * The development wallet (signin.md section 10): identities that stay in this browser, answers to sign-in requests,
 * and proofs of actions. This file puts its sections on the page and opens the request of the address.
 */
import { element } from '../dom.ts';
import { actionSection } from './action-section.ts';
import type { WalletConfig } from './config.ts';
import { parseConnectLink } from './connect-request.ts';
import { openIdentityBook, STORAGE_KEY } from './identity-book.ts';
import { identitySection } from './identity-section.ts';
import { createProver } from './prover.ts';
import { signInSection } from './sign-in-section.ts';
import { createWalletApi } from './wallet-api.ts';
import { CIRCUIT_NOTE_ID, type WalletParts } from './wallet-parts.ts';

function startWallet(main: HTMLElement, config: WalletConfig): void {
  const parts: WalletParts = {
    config,
    book: openIdentityBook(() => localStorage),
    api: createWalletApi(config.basePath),
    prover: createProver(config.urls),
  };
  addEventListener('storage', ({ key }) => {
    if (key === STORAGE_KEY || key === null) parts.book.reload();
  });
  const intro = element('div', { class: 'panel' });
  intro.append(
    element('h1', {}, 'Development wallet'),
    element(
      'p',
      { class: 'intro' },
      'Stands in for the wallet on a person’s phone while you build. Identities live in this browser, and proofs are made here.',
    ),
  );
  if (!config.isCircuitBuilt) intro.append(circuitNote());
  const signIn = signInSection(parts);
  main.replaceChildren(intro, identitySection(parts), actionSection(parts), signIn.node);

  const openAddress = (): void => {
    const address = location.href;
    try {
      const link = parseConnectLink(address);
      if (link === undefined) return;
      intro.after(signIn.node);
      void signIn.open(link);
    } catch (error) {
      intro.after(signIn.node);
      signIn.fail(error);
    }
    // The key of the link must not stay in the address bar and the history.
    history.replaceState(null, '', location.pathname);
  };
  addEventListener('hashchange', openAddress);
  openAddress();
}

function circuitNote(): HTMLElement {
  return element(
    'p',
    { class: 'note', id: CIRCUIT_NOTE_ID },
    'The development circuit is not built, so no proof can be made yet. Run ',
    element('code', {}, 'proofgate circuits setup'),
    ' (once, about three minutes), then reload this page. Identities and enrolment work without it.',
  );
}

const main = document.querySelector<HTMLElement>('#wallet');
if (main) startWallet(main, JSON.parse(main.dataset.config ?? '') as WalletConfig);
