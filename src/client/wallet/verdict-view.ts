import { element, facts } from '../dom.ts';
import type { TreeProof } from './prove-for.ts';
import { TREE_NAMES } from './trees.ts';
import type { Verdict } from './verify-client.ts';

/** The outcome in one sentence. */
export const OUTCOMES: Readonly<Record<Verdict['outcome'], string>> = {
  new: 'Accepted: a new person for this action.',
  reuse: 'Accepted: this person has proved this action before.',
  refused: 'The proof was refused.',
};

/** What the verification interface said about a proof, in words and as it came. */
export function verdictView(verdict: Verdict, { tree }: TreeProof): HTMLElement {
  const { outcome, status, text, nullifier, createdAt, body } = verdict;
  const rows: (readonly [string, Node | string])[] = [
    ['Status', String(status)],
    [outcome === 'refused' ? 'Reason' : 'Message', text],
    ['Tree', TREE_NAMES[tree]],
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
