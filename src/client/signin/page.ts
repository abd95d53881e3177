/**
 * Script of the sign-in page (spec/sign-in.md#sign-in-page): polls the status, counts down the time and continues once
 * the sign-in is confirmed. The server renders the whole page, which reloads without this script. On the sign-out page
 * it only guards the button.
 */

import type { SignInConfig } from '../../pages.ts';
import { startPasskeyButtons } from './passkey.ts';
import { type Poller, type SignInStatus, startPoller } from './poller.ts';
import {
  guardControls,
  type StatusLines,
  signInView,
  startAgreeForm,
  startCountdown,
} from './sign-in-view.ts';

/** If the time left grew by more than this, another tab has begun a new attempt. */
const NEW_ATTEMPT_SECONDS = 5;

/** Time after which a page that is still there was probably not left. */
const STAYED_MS = 5000;
/** State of an entry of the history whose page has gone on by itself, which it does once, also if it is loaded again. */
const GONE_ON = 'gone-on';

function followSignIn(
  main: HTMLElement,
  lines: StatusLines,
  timer: HTMLElement,
  config: SignInConfig,
  isStored: () => Promise<void>,
): Poller {
  const view = signInView(main, lines, config);
  const isUndecided = ['waiting', 'connected', 'verifying'].includes(config.state);

  const onStatus = (status: SignInStatus): boolean => {
    const { state, expiresInSeconds, attempt } = status;
    const isOpen = state === 'waiting' || state === 'connected';
    const isNext = attempt !== config.attempt || (isOpen && !isUndecided);
    if (isNext || (isOpen && expiresInSeconds > countdown.left() + NEW_ATTEMPT_SECONDS)) {
      location.reload();
      return false;
    }
    if (isOpen) countdown.set(expiresInSeconds);
    if (state === 'completed') return goOn(status);
    view.show(status);
    // After a refusal the person continues by the link.
    return isOpen || state === 'verifying';
  };
  /** Goes to the app, once; after that the person does, by the link. Returns whether the status can change yet. */
  const goOn = (status: SignInStatus): boolean => {
    const stay = (): void => view.show({ ...status, code: 'stays' });
    if (config.opensApp || history.state === GONE_ON) stay();
    else view.show(status);
    // Choices made at the last moment are stored first.
    if (history.state !== GONE_ON) void isStored().then(() => leave(stay));
    return config.opensApp;
  };
  const leave = (stay: () => void): void => {
    if (history.state === GONE_ON) return;
    // The service redirects the page to what the person asked to see first, unless they have seen it.
    const seesMore = isUndecided && main.querySelector('#agree [name="known"]:checked') !== null;
    if (seesMore) location.reload();
    else {
      history.replaceState(GONE_ON, '');
      if (config.opensApp) location.assign(config.continueUrl);
      else location.replace(config.continueUrl);
      setTimeout(stay, STAYED_MS);
    }
  };
  const countdown = startCountdown(timer, config.expiresInSeconds, () => poller.askNow());
  const poller = startPoller(
    config.statusUrl,
    {
      onStatus,
      onOver: () => location.reload(),
      onUnreachable: () => view.showUnreachable(),
      onWait: () => view.showBusy(),
    },
    !isUndecided && config.state !== 'completed',
  );
  // Asks first: the page may be an old one.
  if (config.state === 'completed') poller.askNow();
  return poller;
}

const main = document.querySelector<HTMLElement>('#sign-in');
const line = document.querySelector<HTMLElement>('#status');
const alert = document.querySelector<HTMLElement>('#alert');
const timer = document.querySelector<HTMLElement>('#time-left');
const agreeForm = document.querySelector<HTMLFormElement>('#agree');
const agreeSaid = document.querySelector<HTMLElement>('#agree-said');
let poller: Poller | undefined;
if (main && line && alert && timer) {
  const config = JSON.parse(main.dataset.config ?? '') as SignInConfig;
  const isStored =
    agreeForm && agreeSaid ? startAgreeForm(agreeForm, agreeSaid, config) : () => Promise.resolve();
  poller = followSignIn(main, { line, alert }, timer, config, isStored);
}
startPasskeyButtons((until) => poller?.hold(until));
const button = document.querySelector<HTMLButtonElement>('button[data-guarded]');
if (button) button.hidden = false;
guardControls([...(agreeForm?.querySelectorAll('input') ?? []), ...(button ? [button] : [])]);
const copyButton = document.querySelector<HTMLButtonElement>('#copy-simulator-link');
const copyField = document.querySelector<HTMLInputElement>('#simulator-link');
const copySaid = document.querySelector<HTMLElement>('#copy-said');
if (copyButton && copyField && copySaid) enableCopy(copyButton, copyField, copySaid);

/**
 * Makes a button copy the read-only field next to it. The server renders the button hidden, because it needs
 * a script, and puts the messages into its `data-copied` and `data-by-hand`.
 */
function enableCopy(button: HTMLButtonElement, field: HTMLInputElement, said: HTMLElement): void {
  button.hidden = false;
  button.addEventListener('click', async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = button.dataset.copied ?? '';
    } catch {
      // Not allowed, or not a secure context: the selected text can be copied manually.
      said.textContent = button.dataset.byHand ?? '';
    }
  });
}
