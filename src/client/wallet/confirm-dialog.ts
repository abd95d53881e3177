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
  cancel.addEventListener('click', () => dialog.close());
  confirm.addEventListener('click', () => dialog.close('yes'));
  document.body.append(dialog);
  return await new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    dialog.showModal();
  });
}
