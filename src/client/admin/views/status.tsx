import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { NodeSeen, Notice, ServiceStatus } from '../api/types.ts';
import { useView, type View, type ViewContext } from '../context.ts';
import { alert, badge, card, facts, labelled, prose, stateBadge, type Tone } from '../parts/content.tsx';
import { type FormParts, form } from '../parts/form.tsx';
import { formatAmount, formatCount, formatDuration, formatExact } from '../parts/format.ts';
import { objectView } from '../parts/resource.tsx';
import { amounts, type Column, code, column, head, table } from '../parts/table.tsx';
import { time } from '../parts/time.tsx';
import { LiveCharts } from './status-charts.tsx';

const REFRESH_MS = 5000;
const LEVELS = { error: 'Error', warning: 'Warning', info: 'Note' } as const;

/** Status of the service, and conditions for the attention of operators. */
export const statusView: View = objectView('Status', readSnapshot, (first) => <Overview first={first} />);

interface Snapshot {
  readonly status: ServiceStatus;
  readonly nodes: readonly NodeSeen[];
}

async function readSnapshot({ api, signal }: ViewContext): Promise<Snapshot> {
  const [status, { items }] = await Promise.all([
    api.call('GET /status', {}, { signal }),
    api.call('GET /nodes', {}, { signal }),
  ]);
  return { status, nodes: items };
}

/** Reads periodically while the view is open and somebody looks; a failure is tried again. */
function Overview({ first }: { first: Snapshot }): VNode {
  const context = useView();
  const [{ status, nodes }, setSnapshot] = useState(first);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void readSnapshot(context).then(setSnapshot, () => undefined);
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const workers = form(workersForm(first.status.engine.workers));
  return (
    <>
      <div class="notices">{notices(status.notices)}</div>
      <div class="tiles">{tiles(status)}</div>
      <LiveCharts />
      <div class="columns">{[card('This node', nodeFacts(status)), card('Workers', workers)]}</div>
      {card('Nodes', table({ caption: 'Nodes seen within a day', columns: COLUMNS }, nodes))}
    </>
  );
}

function notices(items: readonly Notice[]): VNode | VNode[] {
  if (items.length === 0) return alert('good', labelled('All is well. ', 'Nothing needs your attention.'));
  return items.map(({ level, text, cure }) =>
    alert(level, labelled(`${LEVELS[level]}: `, text), <p class="cure">{prose(cure)}</p>),
  );
}

function tile(name: string, value: ComponentChildren, detail: ComponentChildren): VNode {
  const parts = [
    <p class="tile-name">{name}</p>,
    <p class="tile-value">{value}</p>,
    <p class="muted">{detail}</p>,
  ];
  return <div class="tile">{parts}</div>;
}

function tiles({ ready, checks, started_at, version, profile, engine }: ServiceStatus): VNode[] {
  const failing = Object.entries(checks).filter(([, { status }]) => toneOf(status) === 'bad');
  const uptime = (Date.now() - Date.parse(started_at)) / 1000;
  return [
    tile(
      'Readiness',
      stateBadge(ready, 'Ready', 'Not ready'),
      failing.length === 0 ? 'All checks pass' : `Look at: ${failing.map(([name]) => name).join(', ')}`,
    ),
    tile(
      'Uptime',
      formatDuration(uptime < 120 ? uptime : uptime - (uptime % 60)),
      <time datetime={started_at}>{`since ${formatExact(Date.parse(started_at))}`}</time>,
    ),
    tile('Version', version, `profile ${profile}`),
    tile('Proofs verified', formatCount(engine.verified), 'by this node since its start'),
  ];
}

function nodeFacts({ node_id, issuer, interfaces, engine, store, checks }: ServiceStatus): VNode {
  const names = Object.entries(interfaces).flatMap(([name, isOn]) => (isOn ? [name] : []));
  const marks = Object.entries(checks).map(([name, { status }]) =>
    badge(`${name}: ${status}`, toneOf(status)),
  );
  const rows = facts(
    ['Address', code(issuer)],
    ['Interfaces', names.join(', ')],
    ['Node', code(node_id)],
    ['Engine', `${engine.backend}, ${engine.arithmetic}: ${engine.reason}`],
    ['Queue', `${formatCount(engine.queue_depth)} of at most ${formatCount(engine.max_queue)} proofs`],
    ['Store', `${store.writable ? 'writable' : 'not writable'}; ${store.durability}`],
    ['Checks', <span class="badges">{marks}</span>],
  );
  return <div>{rows}</div>;
}

const COLUMNS: readonly Column<NodeSeen>[] = [
  head('Node', ({ node_id, self }) => [code(node_id, true), self && [' ', badge('this one', 'accent')]]),
  column('State', ({ ready }) =>
    ready === null ? badge('unknown') : stateBadge(ready, 'ready', 'not ready'),
  ),
  column('Version', ({ version }) => version),
  amounts('Workers', ({ ready_workers: ready, workers }) =>
    workers === null ? '–' : `${ready ?? '–'} of ${workers}`,
  ),
  column('Engine', ({ backend }) => backend ?? '–'),
  column('Started', ({ started_at }) => time(started_at)),
  column('Seen', ({ seen_at }) => time(seen_at)),
];

/** A part that is off, such as roots without sources, is no fault. */
function toneOf(status: string): Tone {
  if (status === 'ok') return 'good';
  return status === 'failed' || status === 'stale' ? 'bad' : 'plain';
}

/** The form for the number of worker threads of this node. */
function workersForm(workers: number): FormParts {
  return {
    action: 'Change',
    fields: {
      workers: {
        label: 'Worker threads',
        kind: 'number',
        value: String(workers),
        hint: 'Threads that verify proofs on this node. No proof is lost. After a restart the setting engine.workers counts again.',
        attributes: { min: 1, max: 256, inputmode: 'numeric' },
      },
    },
    async submit(values, { api, announce }) {
      const wanted = Number(values.text('workers'));
      const { workers: now } = await api.call('PATCH /engine', { workers: wanted });
      values.set('workers', String(now));
      announce(`This node now has ${formatAmount(now, 'worker thread')}.`, 'good');
    },
  };
}
