import { element } from './dom.ts';

/** Texts of a dialog that confirms an action that cannot be undone. */
export interface Question {
  readonly title: string;
  readonly text: string;
  /** Label of the button that confirms. */
  readonly action: string;
}

/**
 * Shows the dialog and resolves to whether the person confirmed; Escape, "Cancel" and navigation such as Back decline.
 * Restores the focus.
 */
export async function confirmDialog({ title, text, action }: Question): Promise<boolean> {
  const cancel = element('button', { type: 'button' }, 'Cancel');
  const confirm = element('button', { type: 'button', class: 'danger' }, action);
  const heading = element('h2', { id: 'confirm-title' }, title);
  const dialog = element(
    'dialog',
    { 'aria-labelledby': heading.id },
    heading,
    element('p', {}, text),
    element('div', { class: 'buttons' }, cancel, confirm),
  );
  document.body.append(dialog);
  return await new Promise((resolve) => {
    // Not in the event `close`, which fires after the focus is restored: the requesting control would still be busy.
    const shown = new AbortController();
    const answer = (isSure: boolean): void => {
      shown.abort();
      dialog.close();
      dialog.remove();
      resolve(isSure);
    };
    cancel.addEventListener('click', () => answer(false));
    confirm.addEventListener('click', () => answer(true));
    dialog.addEventListener('cancel', () => answer(false));
    addEventListener('popstate', () => answer(false), { signal: shown.signal });
    dialog.showModal();
  });
}
