/**
 * The development wallet (spec/sign-in.md#development-wallet): identities that stay in this browser, answers
 * to sign-in requests, and proofs of actions. This file puts the sections on the page and opens the request
 * in the page's address.
 */

import type { WalletConfig } from '../../pages.ts';
import { watchCircuit } from '../circuit-watch.ts';
import { element } from '../dom.ts';
import { actionSection } from './action-section.ts';
import { parseConnectLink } from './calls/bridge-client.ts';
import { createWalletApi } from './calls/wallet-api.ts';
import { openIdentityBook, STORAGE_KEY } from './identity/identity-book.ts';
import { identitySection } from './identity/identity-section.ts';
import { INSTALLATIONS_KEY, openInstallationBook } from './installation/installation-book.ts';
import { installationSection } from './installation/installation-section.ts';
import { createProver } from './prover/prover.ts';
import { signInSection } from './sign-in/sign-in-section.ts';
import type { WalletParts } from './wallet-parts.ts';

function startWallet(main: HTMLElement, config: WalletConfig): void {
  const parts: WalletParts = {
    config,
    book: openIdentityBook(() => localStorage),
    installations: openInstallationBook(() => localStorage),
    api: createWalletApi(config.basePath),
    prover: createProver(config.urls),
    circuit: watchCircuit(
      config.circuit,
      config.circuitUrl,
      `No ${config.hasWorldId4 ? 'World ID 3.0 proof' : 'proof'} can be made until then; identities and enrolment work without it.`,
    ),
  };
  addEventListener('storage', ({ key }) => {
    if (key === STORAGE_KEY || key === null) parts.book.reload();
    if (key === INSTALLATIONS_KEY || key === null) parts.installations.reload();
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
  intro.append(parts.circuit.node);
  const signIn = signInSection(parts);
  const installation = config.hasWorldId4 ? [installationSection(parts)] : [];
  main.replaceChildren(intro, identitySection(parts), ...installation, actionSection(parts), signIn.node);

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

const main = document.querySelector<HTMLElement>('#wallet');
if (main) startWallet(main, JSON.parse(main.dataset.config ?? '') as WalletConfig);
