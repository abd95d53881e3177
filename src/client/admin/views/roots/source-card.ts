import { element } from '../../../dom.ts';
import type { RootSource } from '../../api/types.ts';
import type { ViewContext } from '../../context.ts';
import { actionButton } from '../../parts/action-button.ts';
import { badge, prose, type Tone } from '../../parts/feedback.ts';
import { formatCount, formatDuration } from '../../parts/format.ts';
import { catalogueLink } from '../../parts/problem-note.ts';
import { table } from '../../parts/table.ts';
import { optionalTime } from '../../parts/time.ts';
import { historyLink } from './history.ts';
import { healthOf, providerHealth, quorumText } from './source-health.ts';

/** Creates the card of a source: how it does, what is wrong and what helps, and its providers. */
export function sourceCard(source: RootSource, context: ViewContext): HTMLElement {
  const { id, kind, environment, tree, block } = source;
  const age = source.current_root_age_seconds;
  const { word, tone, meaning } = healthOf(source);
  const rows = [
    `Tree ${tree}, ${environment}`,
    kind ?? '',
    block === null ? '' : `block ${formatCount(block)}`,
    age === null ? 'no root yet' : `current root ${formatDuration(age)} old`,
  ].filter((text) => text !== '');
  const heading = element('h3', {}, id, ' ', badge(word, tone));
  return element(
    'article',
    { class: 'source', 'aria-label': `Source ${id}` },
    element(
      'div',
      { class: 'card-head' },
      heading,
      element('div', { class: 'buttons' }, historyLink(source), resetButton(id, context)),
    ),
    element('p', { class: 'muted' }, rows.join(' · ')),
    element('p', {}, meaning),
    ...faultNote(source, tone),
    ...providerPart(source),
  );
}

/** Says why the last round failed and what helps; of a source that has recovered, in one line. */
function faultNote(
  { fault, failing, last_error, last_error_age_seconds: age }: RootSource,
  tone: Tone,
): HTMLElement[] {
  if (fault === null || last_error === null) return [];
  const since = age === null ? '' : age < 5 ? ', just now' : `, ${formatDuration(age)} ago`;
  if (!failing) {
    return [element('p', { class: 'hint' }, `Its last failure is over: ${fault.title}${since}.`)];
  }
  return [
    element(
      'div',
      { class: 'alert', 'data-level': tone === 'bad' ? 'error' : 'warning' },
      element('p', {}, element('strong', {}, `${fault.title}. `), prose(fault.cause)),
      element('p', {}, element('strong', {}, 'What helps: '), prose(fault.cure)),
      element('p', { class: 'hint' }, `Last error${since}: ${last_error.replace(`${fault.code}: `, '')}`),
      catalogueLink(fault.code),
    ),
  ];
}

function providerPart(source: RootSource): HTMLElement[] {
  const { id, providers } = source;
  if (providers.length === 0) return [];
  const quorum = quorumText(source);
  const shown = table(
    `Providers of ${id}`,
    [
      { title: 'Provider', isHead: true, cell: ({ host }) => host },
      {
        title: 'State',
        cell: ({ state }) => badge(providerHealth(state).word, providerHealth(state).tone),
      },
      { title: 'Since', cell: ({ since }) => optionalTime(since, '–') },
      { title: 'What helps', cell: ({ state }) => providerHealth(state).cure || '–' },
      { title: 'Last error', cell: ({ last_error }) => last_error ?? 'none' },
    ],
    providers,
  );
  return quorum === '' ? [shown] : [element('p', {}, quorum), shown];
}

function resetButton(id: string, context: ViewContext): HTMLElement {
  return actionButton({
    text: 'Read anew',
    context,
    attributes: { class: 'danger', 'aria-label': `Read anew: source ${id}` },
    question: {
      title: `Read the source ${id} anew?`,
      text: 'Its roots are withdrawn and its scan begins again. Until it has read the current root, proofs over the withdrawn roots are refused. Roots that operators added stay.',
      action: 'Read anew',
    },
    async run() {
      await context.api.post(`/roots/sources/${encodeURIComponent(id)}/reset`);
      context.reload();
      return `The source ${id} begins anew.`;
    },
  });
}
