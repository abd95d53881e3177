import type { VNode } from 'preact';
import type { RootSource } from '../../api/types.ts';
import { Action } from '../../parts/action.tsx';
import { Alert, Badge, Prose, type Tone } from '../../parts/content.tsx';
import { formatCount, formatDuration } from '../../parts/format.ts';
import { CatalogueLink } from '../../parts/problem.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { HistoryLink } from './history.tsx';
import { healthOf, providerHealth, quorumText } from './source-health.ts';

/** A source: how it does, what is wrong and what helps, and its providers. */
export function SourceCard({ source }: { source: RootSource }): VNode {
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
  return (
    <article class="source" aria-label={`Source ${id}`}>
      <div class="card-head">
        <h3>
          {id} <Badge tone={tone}>{word}</Badge>
        </h3>
        <div class="buttons">
          <HistoryLink environment={environment} tree={tree} />
          <ResetButton id={id} />
        </div>
      </div>
      <p class="muted">{rows.join(' · ')}</p>
      <p>{meaning}</p>
      <FaultNote source={source} tone={tone} />
      {quorum !== '' && <p>{quorum}</p>}
      {providers.length > 0 && <Table caption={`Providers of ${id}`} columns={COLUMNS} rows={providers} />}
    </article>
  );
}

/** Says why the last round failed and what helps; of a source that has recovered, in one line. */
function FaultNote({ source, tone }: { source: RootSource; tone: Tone }): VNode | null {
  const { fault, failing, last_error: error, last_error_age_seconds: age } = source;
  if (fault === null || error === null) return null;
  const since = age === null ? '' : age < 5 ? ', just now' : `, ${formatDuration(age)} ago`;
  if (!failing) return <p class="hint">{`Its last failure is over: ${fault.title}${since}.`}</p>;
  return (
    <Alert level={tone === 'bad' ? 'error' : 'warning'}>
      <p>
        <strong>{`${fault.title}. `}</strong>
        <Prose text={fault.cause} />
      </p>
      <p>
        <strong>What helps: </strong>
        <Prose text={fault.cure} />
      </p>
      <p class="hint">{`Last error${since}: ${error.replace(`${fault.code}: `, '')}`}</p>
      <CatalogueLink code={fault.code} />
    </Alert>
  );
}

const COLUMNS: readonly Column<RootSource['providers'][number]>[] = [
  { title: 'Provider', isHead: true, cell: ({ host }) => host },
  {
    title: 'State',
    cell: ({ state }) => <Badge tone={providerHealth(state).tone}>{providerHealth(state).word}</Badge>,
  },
  { title: 'Since', cell: ({ since }) => <Time at={since} none="–" /> },
  { title: 'What helps', cell: ({ state }) => providerHealth(state).cure || '–' },
  { title: 'Last error', cell: ({ last_error }) => last_error ?? 'none' },
];

function ResetButton({ id }: { id: string }): VNode {
  return (
    <Action
      text="Read anew"
      class="danger"
      label={`Read anew: source ${id}`}
      question={{
        title: `Read the source ${id} anew?`,
        text: 'Its roots are withdrawn and its scan begins again. Until it has read the current root, proofs over the withdrawn roots are refused. Roots that operators added stay.',
        action: 'Read anew',
      }}
      run={async ({ api, reload }) => {
        await api.post(`/roots/sources/${encodeURIComponent(id)}/reset`);
        reload();
        return `The source ${id} begins anew.`;
      }}
    />
  );
}
