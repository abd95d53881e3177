import { confirmDialog } from '../../confirm-dialog.ts';
import { button, element } from '../../dom.ts';
import { statusLine } from '../../status-line.ts';
import { messageFor } from '../calls/wallet-error.ts';
import type { WalletParts } from '../wallet-parts.ts';
import { identityForm } from './identity-form.ts';
import { identityList } from './identity-list.ts';
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
