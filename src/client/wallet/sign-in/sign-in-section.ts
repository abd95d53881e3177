import { type Mood, TREE_NAMES, WALLET_ERROR_CODES, type WalletErrorCode } from '../../../pages.ts';
import { button, element, field, type StatusLine, statusLine, whileBusy } from '../../dom.ts';
import { type ConnectRequest, parseConnectLink } from '../calls/bridge-client.ts';
import { messageFor, WalletError } from '../calls/call.ts';
import type { StoredIdentity } from '../identity/identity-book.ts';
import { identityPicker } from '../identity/identity-picker.ts';
import { proveFor } from '../prover/prove-for.ts';
import { progressView } from '../verdict-view.ts';
import { describeCircuitNeed, type WalletParts } from '../wallet-parts.ts';
import { answerRequest4 } from './answer-request4.ts';
import { type ConsentView, consentView } from './consent-view.ts';
import { installationPicker } from './installation-picker.ts';
import type { ProofRequest4 } from './proof-request.ts';
import { openSession, type SignInRequest, type SignInSession } from './sign-in-session.ts';

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
    const approve = button('Approve', () => answer(session, consent), { class: 'primary' });
    let isIdentityChosen = false;
    const updateApprove = (): void => {
      const isWaiting = consent.protocol === '3.0' && !parts.circuit.isReady;
      describeCircuitNeed(approve, isWaiting);
      approve.disabled = !isIdentityChosen || isWaiting;
    };
    const consent = consentView(session, parts, () => {
      installation.hidden = consent.protocol === '3.0';
      updateApprove();
    });
    const installation = installationPicker(parts, session.request4);
    installation.hidden = consent.protocol === '3.0';
    showAndFocus('An app asks for a proof', consent.node);
    const picker = identityPicker(parts, status, (hasIdentity) => {
      isIdentityChosen = hasIdentity;
      updateApprove();
    });
    parts.circuit.whenReady(updateApprove);
    content.append(picker, installation, buttons(approve, declineButton(session)), errorForm(session));
  };

  const answer = async (session: SignInSession, { protocol, lacks }: ConsentView): Promise<void> => {
    const { request, request4 } = session;
    if (protocol === '4.0' && request4) await answerBy4(session, request4, lacks);
    else if (request) await prove(session, request);
  };

  const answerBy4 = async (
    session: SignInSession,
    request: ProofRequest4,
    lacks: readonly string[],
  ): Promise<void> => {
    const identity = parts.book.selected;
    if (!identity) return;
    const run = current;
    showAndFocus('Making the proof');
    progress.show({ share: 0, text: 'The service makes the proof' });
    try {
      const made = await answerRequest4(parts, request, identity, lacks);
      if (run !== current) return;
      progress.show({ share: 1, text: 'Sending the answer' });
      if ('errorCode' in made) await session.sendError(made.errorCode);
      else await session.sendAnswer(made.answer);
      if (run !== current) return;
      if ('errorCode' in made) {
        const reason = `${made.reason.charAt(0).toUpperCase()}${made.reason.slice(1)}`;
        showEnd(session, 'The wallet refused', `${reason}. The app is told “${made.errorCode}”.`, 'bad');
      } else {
        showEnd(session, 'Answer sent', 'The app has your proof of World ID 4.0. It goes on by itself.');
      }
    } catch (error) {
      if (run === current) showFailure(session, error);
    }
  };

  const prove = async (session: SignInSession, request: SignInRequest): Promise<void> => {
    const identity = parts.book.selected;
    if (!identity) return;
    const run = current;
    showAndFocus('Making the proof');
    progress.show({ share: 0, text: 'Looking up the place in the tree' });
    try {
      const proved = await proveFor(parts, identity, request.trees, request, progress.show);
      if (run !== current) return;
      if (!proved) {
        showEnrolment(session, request, identity);
        return;
      }
      progress.show({ share: 1, text: 'Sending the answer' });
      await session.sendProof(proved);
      if (run !== current) return;
      const level = TREE_NAMES[proved.tree];
      showEnd(
        session,
        'Answer sent',
        `The app has your proof (${level}). You can go back to it; it goes on by itself.`,
      );
    } catch (error) {
      if (run === current) showFailure(session, error);
    }
  };

  const showEnrolment = (
    session: SignInSession,
    request: SignInRequest,
    { label, commitment }: StoredIdentity,
  ): void => {
    const enrol = request.trees.map((tree) =>
      button(
        `Enrol in ${TREE_NAMES[tree]} and go on`,
        async () => {
          try {
            await parts.api.enroll(tree, commitment);
            await prove(session, request);
          } catch (error) {
            status.say(messageFor(error), 'bad');
          }
        },
        { class: 'primary' },
      ),
    );
    const trees = request.trees.map((tree) => TREE_NAMES[tree]).join(' or ');
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
    endButton(session, 'Decline', session.request4 ? 'user_rejected' : 'verification_rejected', 'Declined');

  const endButton = (
    session: SignInSession,
    text: string,
    code: WalletErrorCode,
    title: string,
  ): HTMLButtonElement => button(text, () => sendError(session, code, title));

  const sendError = async (session: SignInSession, code: WalletErrorCode, title: string): Promise<void> => {
    const run = current;
    try {
      await session.sendError(code);
      if (run === current) {
        showEnd(session, title, 'The app is told so. It got no proof and nothing about you.');
      }
    } catch (error) {
      if (run === current) showFailure(session, error);
    }
  };

  /** Creates the choice of another error, for tests of apps. */
  const errorForm = (session: SignInSession): HTMLElement => {
    const codes = WALLET_ERROR_CODES.map((code) => element('option', { value: code }, code));
    const select = element('select', {}, ...codes);
    const send = button('Send error', () =>
      sendError(session, select.value as WalletErrorCode, 'Error sent'),
    );
    const summary = element('summary', {}, 'Answer by an error');
    return element(
      'details',
      {},
      summary,
      element('div', { class: 'panel' }, field('Error code', select), buttons(send)),
    );
  };

  const showEnd = (session: SignInSession, title: string, text: string, mood: Mood = 'good'): void => {
    const { returnTo } = session;
    const back =
      returnTo === undefined
        ? []
        : [element('a', { class: 'button primary', href: returnTo, rel: 'noreferrer' }, 'Back to the app')];
    showAndFocus(title, buttons(...back, button('Done', showIdle)));
    status.say(text, mood);
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

function buttons(...children: readonly HTMLElement[]): HTMLElement {
  return element('div', { class: 'buttons' }, ...children);
}
