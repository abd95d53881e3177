import type { WalletKind } from '../../../pages.ts';
import { type GuardVerdict, REMEMBER_MS, REPEAT_MS } from '../../../semaphore/replay-guard.ts';
import { confirmDialog } from '../../confirm-dialog.ts';
import { button, element, field, radio, type StatusLine, statusLine } from '../../dom.ts';
import { messageFor } from '../calls/call.ts';
import type { WalletParts } from '../wallet-parts.ts';
import { type Installation, type InstallationBook, NAME_CHARACTERS } from './installation-book.ts';

/** Names of the kinds of wallets on the page, and what they differ in. */
export const WALLET_WORDS: Readonly<Record<WalletKind, readonly [name: string, detail: string]>> = {
  new: ['New', 'Since August 2026: binds uniqueness to a session, ignores members that it does not know.'],
  old: ['Old', 'From before: cannot bind, creates sessions by the older form, refuses unknown members.'],
};

/** Returns what the replay guard of the installation in use says to a request, in words. */
export function guardHint(name: string, { state, firstMadeAt = 0, until = 0 }: GuardVerdict): string {
  if (state === 'new') return `“${name}” has not proved this yet.`;
  const first = `“${name}” first proved this on ${shownTime(firstMadeAt)}`;
  if (state === 'repeatable') return `${first} and proves it again until ${shownTime(until)}.`;
  return `${first} and refuses it until ${shownTime(until)}.`;
}

function shownTime(time: number): string {
  return new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** Creates the section "This wallet": the installation in use, its kind, and what its replay guard knows. */
export function installationSection({ installations }: Pick<WalletParts, 'installations'>): HTMLElement {
  const heading = element('h2', { id: 'installation', tabindex: '-1' }, 'This wallet');
  const status = statusLine();
  const recover = button('Install anew (recover)…', async () => {
    const { name } = installations.selected;
    const isSure = await confirmDialog({
      title: `Install “${name}” anew?`,
      text: 'It forgets what it has proved, as after a recovery on a new device. Identities, nullifiers and sessions stay the same.',
      action: 'Install anew',
    });
    if (isSure) change(status, () => installations.recover(), `“${name}” knows nothing of earlier proofs.`);
  });
  return element(
    'section',
    { 'aria-labelledby': heading.id },
    heading,
    element(
      'p',
      {},
      'For World ID 4.0. An installation proves the same uniqueness again for ten minutes, in case the answer was lost, then refuses it for a year. It knows only what it has made itself.',
    ),
    choices(installations, status),
    guardList(installations),
    element('div', { class: 'buttons' }, recover),
    status.node,
    newInstallation(installations, status),
  );
}

/** Creates the choices of installation and kind; a single installation needs no choice. */
function choices(installations: InstallationBook, status: StatusLine): HTMLElement {
  const inUse = element('fieldset', {}, element('legend', {}, 'Installation in use'));
  const kind = element('fieldset', {}, element('legend', {}, 'Kind of wallet'));
  for (const [wallet, [name, detail]] of Object.entries(WALLET_WORDS)) {
    kind.append(radio('wallet', wallet, name, detail));
  }
  let shown = '';
  const show = (): void => {
    const names = installations.installations.map(({ name }) => name);
    // Rebuilt only if the names changed, so that the focus stays where the arrow keys put it.
    if (JSON.stringify(names) !== shown) {
      shown = JSON.stringify(names);
      for (const choice of inUse.querySelectorAll('.choice')) choice.remove();
      inUse.append(...names.map((name) => radio('installation', name, name)));
    }
    inUse.hidden = names.length === 1;
    const { name, wallet } = installations.selected;
    for (const input of inUse.querySelectorAll('input')) input.checked = input.value === name;
    for (const input of kind.querySelectorAll('input')) input.checked = input.value === wallet;
  };
  const onChange = (node: HTMLElement, use: (value: string) => void): void =>
    node.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement) change(status, () => use(target.value));
    });
  onChange(inUse, (name) => installations.select(name));
  onChange(kind, (wallet) => installations.setWallet(wallet as WalletKind));
  installations.subscribe(show);
  show();
  return element('div', { class: 'panel' }, inUse, kind);
}

/** Creates the list of the nullifiers that the guard of the installation in use knows. */
function guardList(installations: InstallationBook): HTMLElement {
  const node = element('ul', { 'aria-label': 'Proved by this installation' });
  const none = element('p', { class: 'hint' }, 'It has proved no uniqueness yet.');
  const show = (): void => {
    const rows = rowsOf(installations.selected);
    node.replaceChildren(...rows.map((row) => element('li', {}, ...row)));
    node.hidden = rows.length === 0;
    none.hidden = rows.length > 0;
  };
  installations.subscribe(show);
  show();
  return element('div', {}, node, none);
}

/** Returns both ends of each nullifier, so that a row stays true while it is shown. */
function rowsOf({ made }: Installation): (readonly (Node | string)[])[] {
  return Object.entries(made).map(([nullifier, firstMadeAt]) => {
    const again = shownTime(firstMadeAt + REPEAT_MS);
    const end = shownTime(firstMadeAt + REMEMBER_MS);
    const name = element('code', {}, `${nullifier.slice(0, 16)}…`);
    return [name, ` proved again until ${again}, then refused until ${end}`];
  });
}

function newInstallation(installations: InstallationBook, status: StatusLine): HTMLElement {
  const name = element('input', {
    required: true,
    maxlength: String(NAME_CHARACTERS),
    autocomplete: 'off',
  });
  const summary = element('summary', {}, 'Another installation');
  const form = element(
    'form',
    { autocomplete: 'off' },
    field('Name', name, 'Such as “Second phone”. The same persons, but it knows nothing of earlier proofs.'),
    element('div', { class: 'buttons' }, element('button', { type: 'submit' }, 'Add installation')),
  );
  const node = element('details', {}, summary, form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = name.value.trim();
    if (text === '') return;
    const { wallet } = installations.selected;
    change(status, () => installations.add(text, wallet), `“${text}” is in use.`);
    form.reset();
    node.open = false;
    summary.focus();
  });
  return node;
}

/** Changes the book and says the outcome. */
function change(status: StatusLine, make: () => void, done?: string): void {
  try {
    make();
    if (done === undefined) status.clear();
    else status.say(done, 'good');
  } catch (error) {
    status.say(messageFor(error), 'bad');
  }
}
