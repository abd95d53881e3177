import { element } from '../../dom.ts';

/** A value that is shown once. */
export interface RevealedSecret {
  readonly title: string;
  readonly text: string;
  /** Label of the value. */
  readonly label: string;
  readonly value: string;
}

/** Shows a secret with a button that copies it; resolves when the person closes the dialog. */
export async function revealSecret({ title, text, label, value }: RevealedSecret): Promise<void> {
  const heading = element('h2', { id: 'secret-title', tabindex: '-1' }, title);
  const shown = element('input', { id: 'secret-value', readonly: true, value, class: 'mono' });
  const copied = element('p', { class: 'status', role: 'status' });
  const copy = element('button', { type: 'button', class: 'primary' }, 'Copy');
  const close = element('button', { type: 'button' }, 'I have stored it');
  const dialog = element(
    'dialog',
    { 'aria-labelledby': heading.id },
    heading,
    element('p', { class: 'note' }, text),
    element('div', { class: 'field' }, element('label', { for: shown.id }, label), shown),
    copied,
    element('div', { class: 'buttons' }, copy, close),
  );
  copy.addEventListener('click', async () => {
    shown.select();
    copied.textContent = await copyText(value);
    copied.dataset.mood = 'good';
  });
  shown.addEventListener('focus', () => shown.select());
  document.body.append(dialog);
  await new Promise<void>((resolve) => {
    const end = (): void => {
      dialog.close();
      dialog.remove();
      resolve();
    };
    close.addEventListener('click', end);
    // Escape would lose the value by accident.
    dialog.addEventListener('cancel', (event) => event.preventDefault());
    dialog.showModal();
    heading.focus();
  });
}

/** Pages without TLS may not write to the clipboard. */
async function copyText(value: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(value);
    return 'Copied.';
  } catch {
    return 'The value is selected: copy it with Ctrl+C.';
  }
}
