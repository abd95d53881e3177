import { fetchPatiently } from '../retry-after.ts';

/**
 * Shows the boxes that the person may tick and sends each change.
 *
 * @param said - Where a failure is told; the boxes are then as they were.
 * @param busy - Told while the service makes the page wait.
 * @returns A function whose promise resolves when the last change is stored or has failed.
 */
export function startAgreeForm(form: HTMLFormElement, said: HTMLElement, busy: string): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const send = async (box: HTMLInputElement): Promise<void> => {
    const isStored = await post(form, () => {
      said.textContent = busy;
    });
    said.textContent = isStored ? '' : (form.dataset.failed ?? '');
    if (!isStored) box.checked = !box.checked;
  };
  form.hidden = false;
  form.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement) last = last.then(() => send(target));
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  return () => last;
}

async function post(form: HTMLFormElement, onWait: () => void): Promise<boolean> {
  try {
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    const body = new URLSearchParams(fields);
    const response = await fetchPatiently(
      () => fetch(form.action, { method: 'POST', body, redirect: 'manual' }),
      onWait,
    );
    // The redirect to the page, which is not followed.
    return response.type === 'opaqueredirect';
  } catch {
    return false;
  }
}
