import { element, radio } from '../../dom.ts';
import type { IdentityBook } from './identity-book.ts';

/** Creates the list of identities as radio buttons; the checked one is in use. */
export function identityList(book: IdentityBook): HTMLElement {
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
