import { type DevelopmentTree, TREE_NAMES } from '../../pages.ts';
import { button, element } from '../dom.ts';
import type { StatusLine } from '../status-line.ts';
import type { WalletApi } from './calls/wallet-api.ts';
import { messageFor } from './calls/wallet-error.ts';

/** A row that shows whether an identity is in a tree, with a button to enrol it. */
export interface TreeRow {
  readonly node: HTMLElement;
  /** Fetches the state from the service again. */
  refresh(): Promise<void>;
}

/** Creates the row for one tree and one identity. */
export function treeRow(
  api: WalletApi,
  tree: DevelopmentTree,
  commitment: string,
  status: StatusLine,
): TreeRow {
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
