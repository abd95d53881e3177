import { signal } from '@preact/signals';
import { createRef, render } from 'preact';
import { element } from '../../dom.ts';

/** A value that is shown once. */
export interface RevealedSecret {
  readonly title: string;
  /** Name of the value in a sentence; `it` if absent. */
  readonly what?: string;
  /** Label of the value. */
  readonly label: string;
  readonly value: string;
}

const TITLE_ID = 'secret-title';
const VALUE_ID = 'secret-value';

/** Shows a secret with a button that copies it; resolves when the person closes the dialog. */
export async function revealSecret({ title, what = 'it', label, value }: RevealedSecret): Promise<void> {
  const dialog = element('dialog', { 'aria-labelledby': TITLE_ID });
  const [heading, shown] = [createRef<HTMLHeadingElement>(), createRef<HTMLInputElement>()];
  const copied = signal('');
  const copy = async (): Promise<void> => {
    shown.current?.select();
    copied.value = await copyText(value);
  };
  // Escape would lose the value by accident.
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(dialog);
  await new Promise<void>((resolve) => {
    render(
      <>
        <h2 id={TITLE_ID} tabindex={-1} ref={heading}>
          {title}
        </h2>
        <p class="note">
          Copy {what} now: it is shown only this once, and the service keeps only a hash of it.
        </p>
        <div class="field">
          <label for={VALUE_ID}>{label}</label>
          <input
            id={VALUE_ID}
            class="mono"
            readOnly
            value={value}
            ref={shown}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        </div>
        <p class="status" role="status" data-mood="good">
          {copied}
        </p>
        <div class="buttons">
          <button type="button" class="primary" onClick={copy}>
            Copy
          </button>
          <button type="button" onClick={() => resolve()}>
            I have stored it
          </button>
        </div>
      </>,
      dialog,
    );
    dialog.showModal();
    heading.current?.focus();
  });
  dialog.close();
  render(null, dialog);
  dialog.remove();
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
