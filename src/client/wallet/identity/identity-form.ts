import { toHex } from '../../../semaphore/hex.ts';
import { identityFromSecret, randomIdentity } from '../../../semaphore/identity.ts';
import { element, field, radio, type StatusLine, whileBusy } from '../../dom.ts';
import { messageFor } from '../calls/call.ts';
import type { WalletParts } from '../wallet-parts.ts';
import { LABEL_CHARACTERS, storedIdentity } from './identity-book.ts';

/**
 * Creates an identity, stores it and selects it.
 *
 * @param label - Empty for a numbered label.
 * @param secret - Text from which the identity is derived; if absent, it is random.
 * @returns Whether the identity is new to this browser.
 * @throws WalletError `circuit`, `storage`
 */
export async function createIdentity(
  { book, prover }: Pick<WalletParts, 'book' | 'prover'>,
  label: string,
  secret?: string,
): Promise<boolean> {
  const identity = secret === undefined ? randomIdentity() : identityFromSecret(secret);
  const { trapdoor, nullifier } = identity;
  const commitment = await prover.commitment({ trapdoor: toHex(trapdoor), nullifier: toHex(nullifier) });
  const isNew = book.identities.every((known) => known.commitment !== commitment);
  book.add(
    storedIdentity(label || nextLabel(book.identities.map((known) => known.label)), identity, commitment),
  );
  return isNew;
}

function nextLabel(taken: readonly string[]): string {
  let number = taken.length + 1;
  while (taken.includes(`Identity ${number}`)) number++;
  return `Identity ${number}`;
}

/**
 * Creates the form for a new identity, random or from a text.
 *
 * @param onCreated - Called after an identity was created.
 */
export function identityForm(parts: WalletParts, status: StatusLine, onCreated: () => void): HTMLElement {
  const label = element('input', { maxlength: String(LABEL_CHARACTERS), autocomplete: 'off' });
  const secret = element('input', { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' });
  const secretField = field(
    'Secret text',
    secret,
    'Whoever knows it can act as this person. It stays in this browser. The same text gives the same identity, also in “proofgate dev person create --secret”.',
  );
  secretField.hidden = true;
  const random = radio('origin', 'random', 'Random', 'Nobody can make it again.');
  const fromText = radio('origin', 'text', 'From a secret text', 'For the same person again and again.');
  random.querySelector('input')?.toggleAttribute('checked', true);
  const submit = element('button', { type: 'submit', class: 'primary' }, 'Create identity');
  const form = element(
    'form',
    { autocomplete: 'off' },
    field('Label', label, 'Your own word for it. Only this browser keeps it.'),
    element('fieldset', {}, element('legend', {}, 'How it is made'), random, fromText),
    secretField,
    element('div', { class: 'buttons' }, submit),
  );
  const isFromText = (): boolean => new FormData(form).get('origin') === 'text';
  form.addEventListener('change', () => {
    secretField.hidden = !isFromText();
    secret.required = isFromText();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void whileBusy(submit, async () => {
      status.say('Creating the identity…', 'busy');
      try {
        const isNew = await createIdentity(
          parts,
          label.value.trim(),
          isFromText() ? secret.value : undefined,
        );
        const name = parts.book.selected?.label ?? '';
        status.say(
          isNew ? `“${name}” is created and in use.` : `You have this identity already, as “${name}”.`,
          'good',
        );
        form.reset();
        form.dispatchEvent(new Event('change'));
        onCreated();
      } catch (error) {
        status.say(messageFor(error), 'bad');
      }
    });
  });
  return form;
}
