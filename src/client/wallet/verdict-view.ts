import { element, facts } from '../dom.ts';
import type { Verdict } from './calls/verify-client.ts';
import type { ProofProgress } from './prover/prover-protocol.ts';

/** One sentence per outcome. */
export const OUTCOMES: Readonly<Record<Verdict['outcome'], string>> = {
  new: 'Accepted: a new person for this action.',
  reuse: 'Accepted: this person has proved this action before.',
  session: 'Accepted: the person of this session.',
  refused: 'The proof was refused.',
};

/** A row of a description list. */
export type Fact = readonly [name: string, value: Node | string];

/**
 * Renders the verdict on a proof, in words and as raw JSON, with the request.
 *
 * @param subject - Description of prover and statement, so that the verdict stays complete when the form changes.
 */
export function verdictView(verdict: Verdict, subject: readonly Fact[], request: unknown): HTMLElement {
  const { outcome, status, text, nullifier, createdAt, body } = verdict;
  const rows: Fact[] = [
    ['Status', String(status)],
    [outcome === 'refused' ? 'Reason' : 'Message', text],
    ...subject,
  ];
  if (nullifier !== undefined) rows.push(['Nullifier', element('code', {}, nullifier)]);
  if (createdAt !== undefined)
    rows.push(['First proved', element('time', { datetime: createdAt }, createdAt)]);
  const node = element('div', { class: 'panel' }, facts(...rows));
  if (outcome === 'reuse') {
    const hint =
      'The same person and the same action always give the same nullifier: that is how an app counts a person once.';
    node.append(element('p', { class: 'hint' }, hint));
  }
  node.append(rawJson('Request as it was sent', request), rawJson('Answer as it came', body));
  return node;
}

function rawJson(title: string, value: unknown): HTMLElement {
  const text = element('pre', {}, JSON.stringify(value, undefined, 2) ?? 'no JSON');
  return element('details', {}, element('summary', {}, title), text);
}

/** A progress bar with a text that screen readers announce when it changes. */
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
