import { type DevelopmentTree, TREE_NAMES } from '../../pages.ts';
import { element, facts } from '../dom.ts';
import type { Verdict } from './calls/verify-client.ts';

/** One sentence per outcome. */
export const OUTCOMES: Readonly<Record<Verdict['outcome'], string>> = {
  new: 'Accepted: a new person for this action.',
  reuse: 'Accepted: this person has proved this action before.',
  refused: 'The proof was refused.',
};

/**
 * Renders the verdict on a proof, in words and as raw JSON.
 *
 * @param subject - Who proved what, so that the verdict stays complete when the form changes.
 */
export function verdictView(
  verdict: Verdict,
  subject: { readonly label: string; readonly action: string; readonly tree: DevelopmentTree },
): HTMLElement {
  const { outcome, status, text, nullifier, createdAt, body } = verdict;
  const rows: (readonly [string, Node | string])[] = [
    ['Status', String(status)],
    [outcome === 'refused' ? 'Reason' : 'Message', text],
    ['Identity', subject.label],
    ['Action', subject.action],
    ['Tree', TREE_NAMES[subject.tree]],
  ];
  if (nullifier !== undefined) rows.push(['Nullifier', element('code', {}, nullifier)]);
  if (createdAt !== undefined)
    rows.push(['First proved', element('time', { datetime: createdAt }, createdAt)]);
  const raw = element('pre', {}, JSON.stringify(body, undefined, 2) ?? 'no JSON');
  const node = element('div', { class: 'panel' }, facts(...rows));
  if (outcome === 'reuse') {
    const hint =
      'The same person and the same action always give the same nullifier: that is how an app counts a person once.';
    node.append(element('p', { class: 'hint' }, hint));
  }
  node.append(element('details', {}, element('summary', {}, 'Answer as it came'), raw));
  return node;
}
