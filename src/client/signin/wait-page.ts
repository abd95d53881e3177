/**
 * Script of the page for a rate-limited request: counts down and then continues once the page is visible. Without this
 * script the page shows the waiting time and continues automatically.
 */

import type { WaitConfig } from '../../pages.ts';

function countDown(sentence: HTMLElement, left: HTMLElement, over: HTMLElement, config: WaitConfig): void {
  const { seconds, language, now, goesOn, next } = config;
  const secondsFormat = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'long',
  });
  const endsAt = performance.now() + seconds * 1000;
  const goOn = (): void => {
    if (!goesOn || document.hidden) return;
    if (next === undefined) location.reload();
    else location.replace(next);
  };
  const timer = setInterval(() => {
    const secondsLeft = Math.ceil((endsAt - performance.now()) / 1000);
    if (secondsLeft > 0) {
      left.textContent = secondsFormat.format(secondsLeft);
      return;
    }
    clearInterval(timer);
    sentence.hidden = true;
    over.textContent = now;
    // Pages in the background wait until they are visible, so that forgotten ones do not use up the limit of
    // others.
    document.addEventListener('visibilitychange', goOn);
    goOn();
  }, 1000);
}

const main = document.querySelector<HTMLElement>('#wait');
const sentence = document.querySelector<HTMLElement>('#wait-sentence');
const left = document.querySelector<HTMLElement>('#wait-left');
const over = document.querySelector<HTMLElement>('#wait-over');
if (main && sentence && left && over) {
  countDown(sentence, left, over, JSON.parse(main.dataset.config ?? '') as WaitConfig);
}
