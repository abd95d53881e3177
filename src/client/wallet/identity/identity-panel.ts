import { DEVELOPMENT_TREES, type DevelopmentTree, TREE_NAMES } from '../../../pages.ts';
import { confirmDialog } from '../../confirm-dialog.ts';
import { button, element, facts, type StatusLine } from '../../dom.ts';
import { messageFor } from '../calls/call.ts';
import type { WalletApi } from '../calls/wallet-api.ts';
import type { WalletParts } from '../wallet-parts.ts';
import type { StoredIdentity } from './identity-book.ts';

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

/** A row that shows whether an identity is in a tree, with a button to enrol it. */
export interface TreeRow {
  readonly node: HTMLElement;
  /** Fetches the state from the service again. */
  refresh(): Promise<void>;
}

/** Creates the row for one tree and one identity. */
function treeRow(api: WalletApi, tree: DevelopmentTree, commitment: string, status: StatusLine): TreeRow {
  const badge = element('span', { class: 'badge', 'data-kind': 'open' }, '…');
  const name = element('span', { tabindex: '-1' }, `${TREE_NAMES[tree]} `, badge);
  const node = element('li', {}, name);
  const enrol = button('Enrol', async () => {
    try {
      await api.enroll(tree, commitment);
      status.say(`Enrolled in ${TREE_NAMES[tree]}: proofs can be made now.`, 'good');
      name.focus();
    } catch (error) {
      status.say(messageFor(error), 'bad');
    }
  });
  enrol.append(element('span', { class: 'visually-hidden' }, ` in ${TREE_NAMES[tree]}`));
  const refresh = async (): Promise<void> => {
    try {
      const place = await api.inclusionProof(tree, commitment);
      badge.dataset.kind = place ? 'enrolled' : 'open';
      badge.textContent = place ? `enrolled, place ${place.index + 1}` : 'not enrolled';
      if (place) enrol.remove();
      else node.append(enrol);
    } catch (error) {
      badge.textContent = 'unknown';
      status.say(messageFor(error), 'bad');
    }
  };
  return { node, refresh };
}
