import { TREE_NAMES } from '../../../pages.ts';
import { button, element, facts, field, type StatusLine, statusLine, whileBusy } from '../../dom.ts';
import { type ConnectRequest, parseConnectLink } from '../calls/bridge-client.ts';
import { messageFor, WalletError } from '../calls/call.ts';
import type { StoredIdentity } from '../identity/identity-book.ts';
import { identityPicker } from '../identity/identity-picker.ts';
import { proveFor } from '../prover/prove-for.ts';
import { progressView } from '../verdict-view.ts';
import { needCircuit, type WalletParts } from '../wallet-parts.ts';
import { openSession, type SignInSession, type WalletErrorCode } from './sign-in-session.ts';

/** The section of the page that answers apps. */
export interface SignInSection {
  readonly node: HTMLElement;
  /** Opens the request of a link. It replaces a pending one, which stays unanswered and expires. */
  open(link: ConnectRequest): Promise<void>;
  /** Shows the reason why a link cannot be opened. */
  fail(error: unknown): void;
}

/** Creates the section, which initially shows the form for a pasted link. */
export function signInSection(parts: WalletParts): SignInSection {
  const heading = element('h2', { id: 'sign-in', tabindex: '-1' });
  const status = statusLine();
  const progress = progressView();
  const content = element('div', { class: 'panel' });
  const node = element(
    'section',
    { 'aria-labelledby': heading.id },
    heading,
    status.node,
    progress.node,
    content,
  );
  /** Number of the current request, so that a late answer to an earlier one does not change the page. */
  let current = 0;

  const show = (title: string, ...children: readonly (Node | string)[]): void => {
    heading.textContent = title;
    content.replaceChildren(...children);
    progress.hide();
    status.clear();
  };
  const showAndFocus: typeof show = (title, ...children) => {
    show(title, ...children);
    heading.focus();
  };
  const showIdle = (): void => show('Sign in to an app', linkForm(open, status));

  const fail = (error: unknown): void => {
    current++;
    showAndFocus('This sign-in cannot go on', linkForm(open, status));
    status.say(messageFor(error), 'bad');
  };

  const open = async (link: ConnectRequest): Promise<void> => {
    const run = ++current;
    showAndFocus('Opening the request');
    status.say('Fetching the request from the bridge…', 'busy');
    try {
      const session = await openSession(link);
      if (run === current) showConsent(session);
    } catch (error) {
      if (run === current) fail(error);
    }
  };

  const showConsent = (session: SignInSession): void => {
    const approve = button('Approve', () => prove(session), { class: 'primary' });
    const consent = consentView(session, parts);
    showAndFocus('An app asks for a proof', consent);
    let isIdentityChosen = false;
    const updateApprove = (): void => {
      approve.disabled = !isIdentityChosen || !parts.circuit.isReady;
    };
    needCircuit(approve, parts, updateApprove);
    const picker = identityPicker(parts, status, (hasIdentity) => {
      isIdentityChosen = hasIdentity;
      updateApprove();
    });
    content.append(picker, buttons(approve, declineButton(session)));
  };

  const prove = async (session: SignInSession): Promise<void> => {
    const identity = parts.book.selected;
    if (!identity) return;
    const run = current;
    showAndFocus('Making the proof');
    progress.show({ share: 0, text: 'Looking up the place in the tree' });
    try {
      const { request } = session;
      const proved = await proveFor(parts, identity, request.trees, request, progress.show);
      if (run !== current) return;
      if (!proved) {
        showEnrolment(session, identity);
        return;
      }
      progress.show({ share: 1, text: 'Sending the answer' });
      await session.sendProof(proved);
      if (run !== current) return;
      const level = TREE_NAMES[proved.tree];
      showEnd(
        'Answer sent',
        `The app has your proof (${level}). You can go back to it; it goes on by itself.`,
      );
    } catch (error) {
      if (run === current) showFailure(session, error);
    }
  };

  const showEnrolment = (session: SignInSession, { label, commitment }: StoredIdentity): void => {
    const enrol = session.request.trees.map((tree) =>
      button(
        `Enrol in ${TREE_NAMES[tree]} and go on`,
        async () => {
          try {
            await parts.api.enroll(tree, commitment);
            await prove(session);
          } catch (error) {
            status.say(messageFor(error), 'bad');
          }
        },
        { class: 'primary' },
      ),
    );
    const trees = session.request.trees.map((tree) => TREE_NAMES[tree]).join(' or ');
    showAndFocus(
      'Not enrolled yet',
      element('p', {}, `“${label}” must be enrolled in ${trees} before it can prove anything here.`),
      buttons(
        ...enrol,
        button('Choose another identity', () => showConsent(session)),
        endButton(session, 'Answer without a proof', 'credential_unavailable', 'Answered without a proof'),
      ),
    );
  };

  const showFailure = (session: SignInSession, error: unknown): void => {
    if (error instanceof WalletError && error.fault === 'over') {
      fail(error);
      return;
    }
    const again = button('Try again', () => showConsent(session), { class: 'primary' });
    showAndFocus('The answer was not sent', buttons(again, declineButton(session)));
    status.say(messageFor(error), 'bad');
  };

  const declineButton = (session: SignInSession): HTMLButtonElement =>
    endButton(session, 'Decline', 'verification_rejected', 'Declined');

  const endButton = (
    session: SignInSession,
    text: string,
    code: WalletErrorCode,
    title: string,
  ): HTMLButtonElement =>
    button(text, async () => {
      const run = current;
      try {
        await session.sendError(code);
        if (run === current) showEnd(title, 'The app is told so. It got no proof and nothing about you.');
      } catch (error) {
        if (run === current) showFailure(session, error);
      }
    });

  const showEnd = (title: string, text: string): void => {
    showAndFocus(title, buttons(button('Done', showIdle)));
    status.say(text, 'good');
  };

  showIdle();
  return { node, open, fail };
}

/** Creates the form for a pasted link. */
function linkForm(open: (link: ConnectRequest) => Promise<void>, status: StatusLine): HTMLElement {
  const link = element('input', {
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
    inputmode: 'url',
  });
  const submit = element('button', { type: 'submit' }, 'Open request');
  const hint = 'The link that the sign-in page of an app shows. Opening it in this browser does the same.';
  const form = element('form', { autocomplete: 'off' }, field('Sign-in link', link, hint), buttons(submit));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void whileBusy(submit, async () => {
      try {
        const request = parseConnectLink(link.value);
        if (!request)
          throw new WalletError('link', 'This is not a sign-in link: it has none of its members.');
        await open(request);
      } catch (error) {
        status.say(messageFor(error), 'bad');
      }
    });
  });
  return form;
}

function buttons(...children: readonly HTMLButtonElement[]): HTMLElement {
  return element('div', { class: 'buttons' }, ...children);
}

/** Renders the request of an app and the data that it would receive, for the consent of the person. */
function consentView({ request, bridgeHost }: SignInSession, { config }: WalletParts): HTMLElement {
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
