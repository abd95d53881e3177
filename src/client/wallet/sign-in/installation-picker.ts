import { element, field } from '../../dom.ts';
import { guardHint, WALLET_WORDS } from '../installation/installation-section.ts';
import type { WalletParts } from '../wallet-parts.ts';
import { secretOf } from './answer-request4.ts';
import { nullifierFor, type ProofRequest4 } from './proof-request.ts';

/**
 * Creates the control that selects the installation for the answer to a World ID 4.0 request, with the verdict of its replay
 * guard on the identity in use.
 */
export function installationPicker(
  { book, installations }: Pick<WalletParts, 'book' | 'installations'>,
  request: ProofRequest4 | undefined,
): HTMLElement {
  const select = element('select');
  const verdict = element('p', { class: 'hint', role: 'status' });
  const node = element('div', { class: 'panel' }, field('Answer with', select), verdict);
  const show = (): void => {
    select.replaceChildren(
      ...installations.installations.map(({ name, wallet }) =>
        element('option', { value: name }, `${name} (${WALLET_WORDS[wallet][0].toLowerCase()} wallet)`),
      ),
    );
    const { name } = installations.selected;
    select.value = name;
    const identity = book.selected;
    const nullifier = identity && request && nullifierFor(request, secretOf(identity));
    verdict.hidden = nullifier === undefined;
    if (nullifier !== undefined) {
      verdict.textContent = guardHint(name, installations.judge(nullifier, Date.now()));
    }
  };
  select.addEventListener('change', () => installations.select(select.value));
  for (const changes of [book, installations]) {
    changes.subscribe(() => {
      if (node.isConnected) show();
    });
  }
  show();
  return node;
}
