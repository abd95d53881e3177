import { element } from '../dom.ts';
import type { ProofProgress } from './prover/prover-protocol.ts';

/** A progress bar with a text that screen readers read out when it changes. */
export interface ProgressView {
  readonly node: HTMLElement;
  show(progress: ProofProgress): void;
  hide(): void;
}

/** Creates a progress view, initially hidden. */
export function progressView(): ProgressView {
  const words = element('p', { role: 'status', 'aria-live': 'polite' });
  const bar = element('progress', { max: '100', value: '0', 'aria-label': 'Progress of the proof' });
  const node = element('div', { class: 'panel', hidden: true }, words, bar);
  return {
    node,
    show({ share, text }) {
      node.hidden = false;
      bar.value = Math.round(share * 100);
      if (words.textContent !== text) words.textContent = text;
    },
    hide() {
      node.hidden = true;
      words.textContent = '';
    },
  };
}
