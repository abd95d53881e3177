import { element } from '../../dom.ts';
import { explainProblem, Problem } from '../api/problem.ts';

/** Creates the link to a code in the error catalogue, which this listener serves; a form behind it keeps its content. */
export function catalogueLink(code: string): HTMLElement {
  return element(
    'a',
    { class: 'catalogue-link', href: `/errors#${code}`, target: '_blank', rel: 'noopener' },
    `About ${code}`,
    element('span', { 'aria-hidden': 'true' }, '↗'),
    element('span', { class: 'visually-hidden' }, ' (opens a new tab)'),
  );
}

/** Returns the link to the code of a refusal; nothing for a failure that has none. */
export function linksOf(error: unknown): HTMLElement[] {
  return error instanceof Problem && error.code !== '' ? [catalogueLink(error.code)] : [];
}

/** Says in plain words why something failed, with the link to its code. */
export function problemNote(error: unknown): Node[] {
  return [element('p', { class: 'problem-text' }, explainProblem(error)), ...linksOf(error)];
}
