/**
 * Makes the button beside a read-only field copy it. The button comes hidden, because it can do nothing without a
 * script, and with what is said afterwards in `data-copied` and `data-by-hand`.
 */
export function enableCopy(button: HTMLButtonElement, field: HTMLInputElement, said: HTMLElement): void {
  button.hidden = false;
  button.addEventListener('click', async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = button.dataset.copied ?? '';
    } catch {
      // Not allowed, or no secure context: what is selected can be copied by hand.
      said.textContent = button.dataset.byHand ?? '';
    }
  });
}
