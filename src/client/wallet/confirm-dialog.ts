import { element } from '../dom.ts';

/** What is asked before something is done that cannot be undone. */
export interface Question {
  readonly title: string;
  readonly text: string;
  /** Label of the button that does it. */
  readonly action: string;
}

/** Asks; Escape and "Cancel" are a no. The focus goes back to where it was. */
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
    // Not by the event `close`, which comes later than the focus is back: what asked would still be busy.
    const answer = (isSure: boolean): void => {
      dialog.close();
      dialog.remove();
      resolve(isSure);
    };
    cancel.addEventListener('click', () => answer(false));
    confirm.addEventListener('click', () => answer(true));
    dialog.addEventListener('cancel', () => answer(false));
    dialog.showModal();
  });
}
