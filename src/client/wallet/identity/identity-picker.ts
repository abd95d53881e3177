import { button, element, field, type StatusLine } from '../../dom.ts';
import { messageFor } from '../calls/call.ts';
import type { WalletParts } from '../wallet-parts.ts';
import { createIdentity } from './identity-form.ts';

/**
 * Creates the control that selects the identity for the answer, or creates the first one.
 *
 * @param onChange - Called when the identities or the selection change, and once at the beginning.
 */
export function identityPicker(
  parts: WalletParts,
  status: StatusLine,
  onChange: (hasIdentity: boolean) => void,
): HTMLElement {
  const { book } = parts;
  const select = element('select');
  const picker = field('Answer as', select);
  const create = button('Create an identity', async () => {
    try {
      await createIdentity(parts, '');
      status.say('An identity is created. It can answer now.', 'good');
      select.focus();
    } catch (error) {
      status.say(messageFor(error), 'bad');
    }
  });
  const none = element(
    'div',
    { class: 'panel' },
    element('p', {}, 'There is no identity yet to answer as.'),
    element('div', { class: 'buttons' }, create),
  );
  const node = element('div', { class: 'panel' }, picker, none);
  const show = (): void => {
    const options = book.identities.map(({ label, commitment }) =>
      element('option', { value: commitment }, label),
    );
    select.replaceChildren(...options);
    select.value = book.selected?.commitment ?? '';
    const hasIdentity = book.selected !== undefined;
    picker.hidden = !hasIdentity;
    none.hidden = hasIdentity;
    onChange(hasIdentity);
  };
  select.addEventListener('change', () => book.select(select.value));
  book.subscribe(() => {
    if (node.isConnected) show();
  });
  show();
  return node;
}
