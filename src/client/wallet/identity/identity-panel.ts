import { DEVELOPMENT_TREES } from '../../../pages.ts';
import { confirmDialog } from '../../confirm-dialog.ts';
import { button, element, facts } from '../../dom.ts';
import type { StatusLine } from '../../status-line.ts';
import { messageFor } from '../calls/wallet-error.ts';
import { type TreeRow, treeRow } from '../tree-row.ts';
import type { WalletParts } from '../wallet-parts.ts';
import type { StoredIdentity } from './identities.ts';

/**
 * Creates the details of the identity in use: commitment, trees, deletion.
 *
 * @param focusAfterDelete - Receives the focus when the delete button is gone.
 */
export function identityPanel(
  { book, api }: WalletParts,
  status: StatusLine,
  focusAfterDelete: HTMLElement,
): HTMLElement {
  const node = element('div', { class: 'panel' });
  let shown: StoredIdentity | undefined;
  let rows: readonly TreeRow[] = [];

  const remove = async ({ label, commitment }: StoredIdentity): Promise<void> => {
    const isSure = await confirmDialog({
      title: `Delete “${label}”?`,
      text: 'Its secret is deleted from this browser. A random identity is then lost for good: nobody can prove as this person again.',
      action: 'Delete identity',
    });
    if (!isSure) return;
    try {
      book.remove(commitment);
      status.say(`“${label}” is deleted.`, 'good');
      focusAfterDelete.focus();
    } catch (error) {
      status.say(messageFor(error), 'bad');
    }
  };
  const show = (): void => {
    const identity = book.selected;
    if (identity?.commitment === shown?.commitment) return;
    shown = identity;
    // The message was about another identity.
    status.clear();
    rows = identity ? DEVELOPMENT_TREES.map((tree) => treeRow(api, tree, identity.commitment, status)) : [];
    node.replaceChildren();
    if (!identity) return;
    node.append(
      element('h3', {}, identity.label),
      facts(['Commitment', element('code', {}, identity.commitment)]),
      element(
        'p',
        { class: 'hint' },
        'Its public name: all that a tree holds. The secret never leaves this browser.',
      ),
      element('ul', { class: 'trees', 'aria-label': 'Trees' }, ...rows.map((row) => row.node)),
      element(
        'div',
        { class: 'buttons' },
        button('Delete…', () => remove(identity), { class: 'danger' }),
      ),
    );
    refresh();
  };
  const refresh = (): void => {
    for (const row of rows) void row.refresh();
  };
  book.subscribe(show);
  api.subscribe(refresh);
  show();
  return node;
}
