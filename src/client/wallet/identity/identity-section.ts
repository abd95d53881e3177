import { confirmDialog } from '../../confirm-dialog.ts';
import { button, element, radio, statusLine } from '../../dom.ts';
import { messageFor } from '../calls/call.ts';
import type { WalletParts } from '../wallet-parts.ts';
import type { IdentityBook } from './identity-book.ts';
import { identityForm } from './identity-form.ts';
import { identityPanel } from './identity-panel.ts';

/** Creates the section "Your identities": the list, the one in use, and the form for a new one. */
export function identitySection(parts: WalletParts): HTMLElement {
  const { book } = parts;
  const heading = element('h2', { id: 'identities', tabindex: '-1' }, 'Your identities');
  const status = statusLine();
  const none = element(
    'p',
    {},
    'No identity yet. An identity is a secret that stays in this browser; it stands for one person. Create one, then enrol it.',
  );
  const reset = button('Delete what is stored…', async () => {
    const isSure = await confirmDialog({
      title: 'Delete everything that is stored?',
      text: 'It cannot be read here. If another version of this page wrote it, that one may still read it.',
      action: 'Delete',
    });
    if (!isSure) return;
    try {
      book.clear();
      heading.focus();
    } catch (error) {
      status.say(messageFor(error), 'bad');
    }
  });
  const resetRow = element('div', { class: 'buttons' }, reset);
  const summary = element('summary', {}, 'New identity');
  const form = element('details', {}, summary);
  form.append(
    identityForm(parts, status, () => {
      form.open = false;
      summary.focus();
    }),
  );
  let hadFault = false;
  const show = (): void => {
    const { fault } = book;
    if (fault) status.say(fault.message, 'bad');
    else if (hadFault) status.clear();
    hadFault = fault !== undefined;
    resetRow.hidden = fault === undefined;
    none.hidden = fault !== undefined || book.identities.length > 0;
    form.hidden = fault !== undefined;
    if (book.identities.length === 0) form.open = true;
  };
  book.subscribe(show);
  show();
  return element(
    'section',
    { 'aria-labelledby': heading.id },
    heading,
    none,
    identityList(book),
    identityPanel(parts, status, heading),
    status.node,
    resetRow,
    form,
  );
}

/** Creates the list of identities as radio buttons; the checked one is in use. */
function identityList(book: IdentityBook): HTMLElement {
  const node = element('fieldset', {}, element('legend', {}, 'In use'));
  let shown = '';
  const show = (): void => {
    // Rebuilt only if the identities changed, so that the focus stays where the arrow keys put it.
    const now = book.identities.map(({ commitment }) => commitment).join();
    node.hidden = book.identities.length === 0;
    if (now !== shown) {
      shown = now;
      for (const choice of node.querySelectorAll('.choice')) choice.remove();
      for (const { label, commitment } of book.identities) {
        node.append(
          radio('identity', commitment, label, `${commitment.slice(0, 10)}…${commitment.slice(-4)}`),
        );
      }
    }
    for (const input of node.querySelectorAll('input')) {
      input.checked = input.value === book.selected?.commitment;
    }
  };
  node.addEventListener('change', (event) => {
    if (event.target instanceof HTMLInputElement) book.select(event.target.value);
  });
  book.subscribe(show);
  show();
  return node;
}
