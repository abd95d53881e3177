/** How long a page is in front before its controls work: systems take at most 900 ms for the pause in a double click. */
const SETTLED_MS = 900;

/**
 * Makes controls inert until the page has been in front for a while, and again whenever it comes back there. In a
 * double click that another page asks for, the first click closes the window in front of this page, and the second one
 * lands here. Keys count alike, since one that is held repeats in the next window. Assistive technology reads the
 * controls as unavailable meanwhile; the focus can stay on them.
 */
export function guardControls(controls: readonly HTMLElement[]): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSettled = false;
  const put = (settled: boolean): void => {
    isSettled = settled;
    for (const control of controls) {
      if (settled) control.removeAttribute('aria-disabled');
      else control.setAttribute('aria-disabled', 'true');
    }
  };
  const restart = (): void => {
    clearTimeout(timer);
    put(false);
    if (!document.hidden) timer = setTimeout(() => put(true), SETTLED_MS);
  };
  for (const control of controls) {
    control.addEventListener('click', (event) => {
      if (!isSettled) event.preventDefault();
    });
  }
  document.addEventListener('visibilitychange', restart);
  // A click that brings the window to the front is preceded by its focus.
  for (const event of ['focus', 'pageshow']) window.addEventListener(event, restart);
  restart();
}
