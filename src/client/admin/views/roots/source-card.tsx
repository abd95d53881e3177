import type { ComponentChildren, VNode } from 'preact';
import type { RootSource } from '../../api/types.ts';
import { action } from '../../parts/action.tsx';
import { alert, badge, catalogueLink, labelled, prose, type Tone } from '../../parts/content.tsx';
import { formatCount, formatDuration } from '../../parts/format.ts';
import { type Column, column, head, table } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';
import { historyLink } from './history.tsx';
import { healthOf, providerHealth, quorumText } from './source-health.ts';

/** Shows a source: how it does, what is wrong and what helps, and its providers. */
export function sourceCard(source: RootSource): VNode {
  const { id, kind, environment, tree, block, providers } = source;
  const age = source.current_root_age_seconds;
  const { word, tone, meaning } = healthOf(source);
  const rows = [
    `Tree ${tree}, ${environment}`,
    kind ?? '',
    block === null ? '' : `block ${formatCount(block)}`,
    age === null ? 'no root yet' : `current root ${formatDuration(age)} old`,
  ].filter((text) => text !== '');
  const quorum = quorumText(source);
  const heading = <h3>{[id, ' ', badge(word, tone)]}</h3>;
  const buttons = <div class="buttons">{[historyLink(source), resetButton(id)]}</div>;
  return (
    <article class="source" aria-label={`Source ${id}`}>
      <div class="card-head">{[heading, buttons]}</div>
      <p class="muted">{rows.join(' · ')}</p>
      <p>{meaning}</p>
      {faultNote(source, tone)}
      {quorum !== '' && <p>{quorum}</p>}
      {providers.length > 0 && table({ caption: `Providers of ${id}`, columns: COLUMNS }, providers)}
    </article>
  );
}

/** Explains the failure of the last round, with its remedy; in one line for a source that has recovered. */
function faultNote(source: RootSource, tone: Tone): ComponentChildren {
  const { fault, failing, last_error: error, last_error_age_seconds: age } = source;
  if (fault === null || error === null) return null;
  const since = age === null ? '' : age < 5 ? ', just now' : `, ${formatDuration(age)} ago`;
  if (!failing) return <p class="hint">{`Its last failure is over: ${fault.title}${since}.`}</p>;
  return alert(
    tone === 'bad' ? 'error' : 'warning',
    labelled(`${fault.title}. `, prose(fault.cause)),
    labelled('What helps: ', prose(fault.cure)),
    <p class="hint">{`Last error${since}: ${error.replace(`${fault.code}: `, '')}`}</p>,
    catalogueLink(fault.code),
  );
}

const COLUMNS: readonly Column<RootSource['providers'][number]>[] = [
  head('Provider', ({ host }) => host),
  column('State', ({ state }) => badge(providerHealth(state).word, providerHealth(state).tone)),
  column('Since', ({ since }) => time(since, '–')),
  column('What helps', ({ state }) => providerHealth(state).cure || '–'),
  column('Last error', ({ last_error }) => last_error ?? 'none'),
];

function resetButton(id: string): VNode {
  return action({
    text: 'Read anew',
    mood: 'danger',
    label: `Read anew: source ${id}`,
    ask: [
      `Read the source ${id} anew?`,
      'Its roots are withdrawn and its scan begins again. Until it has read the current root, proofs over the withdrawn roots are refused. Roots that operators added stay.',
    ],
    run: ({ api }) => api.call('POST /roots/sources/{id}/reset', { id }),
    done: () => `The source ${id} begins anew.`,
  });
}
