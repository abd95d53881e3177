import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Listed } from '../api/client.ts';
import type { EngineFigures, NodeSeen, Notice, ServiceStatus } from '../api/types.ts';
import { useView, type View, type ViewContext } from '../context.ts';
import { Alert, Badge, Card, Code, Facts, Prose, type Tone } from '../parts/content.tsx';
import type { FieldSpec } from '../parts/fields.tsx';
import { Form } from '../parts/form.tsx';
import { formatAmount, formatCount, formatDuration, formatExact } from '../parts/format.ts';
import { Loaded, useResource } from '../parts/resource.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { LiveCharts } from './status-charts.tsx';

const REFRESH_MS = 5000;
const LEVELS = { error: 'Error', warning: 'Warning', info: 'Note' } as const;

/** What the service is doing, and what an operator should know. */
export const statusView: View = { title: 'Status', Content: StatusPage };

interface Snapshot {
  readonly status: ServiceStatus;
  readonly nodes: readonly NodeSeen[];
}

async function readSnapshot({ api, signal }: ViewContext): Promise<Snapshot> {
  const [status, { items }] = await Promise.all([
    api.get<ServiceStatus>('/status', {}, signal),
    api.get<Listed<NodeSeen>>('/nodes', {}, signal),
  ]);
  return { status, nodes: items };
}

function StatusPage(): VNode {
  const context = useView();
  const first = useResource(() => readSnapshot(context));
  return (
    <Loaded from={first} isWhole>
      {(snapshot) => <Overview first={snapshot} />}
    </Loaded>
  );
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
  return (
    <>
      <div class="notices">
        <Notices notices={status.notices} />
      </div>
      <Tiles status={status} />
      <LiveCharts />
      <div class="columns">
        <Card title="This node">
          <NodeFacts status={status} />
        </Card>
        <Card title="Workers">
          <WorkersForm workers={first.status.engine.workers} />
        </Card>
      </div>
      <Card title="Nodes">
        <Table caption="Nodes seen within a day" columns={NODE_COLUMNS} rows={nodes} />
      </Card>
    </>
  );
}

function Notices({ notices }: { notices: readonly Notice[] }): VNode {
  if (notices.length === 0) {
    return (
      <Alert level="good">
        <p>
          <strong>All is well. </strong>Nothing needs your attention.
        </p>
      </Alert>
    );
  }
  const alerts = notices.map(({ level, text, cure }) => (
    <Alert level={level}>
      <p>
        <strong>{`${LEVELS[level]}: `}</strong>
        {text}
      </p>
      <p class="cure">
        <Prose text={cure} />
      </p>
    </Alert>
  ));
  return <>{alerts}</>;
}

function Tiles({ status }: { status: ServiceStatus }): VNode {
  const { ready, checks, started_at, version, profile, engine } = status;
  const failing = Object.entries(checks).filter(([, check]) => toneOf(check.status) === 'bad');
  const uptime = (Date.now() - Date.parse(started_at)) / 1000;
  const tiles: readonly (readonly [name: string, value: ComponentChildren, detail: ComponentChildren])[] = [
    [
      'Readiness',
      <ReadyBadge texts={['Ready', 'Not ready']} isReady={ready} />,
      failing.length === 0 ? 'All checks pass' : `Look at: ${failing.map(([name]) => name).join(', ')}`,
    ],
    [
      'Uptime',
      formatDuration(uptime < 120 ? uptime : uptime - (uptime % 60)),
      <time datetime={started_at}>{`since ${formatExact(Date.parse(started_at))}`}</time>,
    ],
    ['Version', version, `profile ${profile}`],
    ['Proofs verified', formatCount(engine.verified), 'by this node since its start'],
  ];
  return (
    <div class="tiles">
      {tiles.map(([name, value, detail]) => (
        <div class="tile">
          <p class="tile-name">{name}</p>
          <p class="tile-value">{value}</p>
          <p class="muted">{detail}</p>
        </div>
      ))}
    </div>
  );
}

function NodeFacts({ status }: { status: ServiceStatus }): VNode {
  const { node_id, issuer, interfaces, engine, store, checks } = status;
  const names = Object.entries(interfaces).flatMap(([name, isOn]) => (isOn ? [name] : []));
  const marks = Object.entries(checks).map(([name, check]) => (
    <Badge tone={toneOf(check.status)}>{`${name}: ${check.status}`}</Badge>
  ));
  return (
    <div>
      <Facts
        rows={[
          ['Address', <Code text={issuer} />],
          ['Interfaces', names.join(', ')],
          ['Node', <Code text={node_id} />],
          ['Engine', `${engine.backend}, ${engine.arithmetic}: ${engine.reason}`],
          ['Queue', `${formatCount(engine.queue_depth)} of at most ${formatCount(engine.max_queue)} proofs`],
          ['Store', `${store.writable ? 'writable' : 'not writable'}; ${store.durability}`],
          ['Checks', <span class="badges">{marks}</span>],
        ]}
      />
    </div>
  );
}

const NODE_COLUMNS: readonly Column<NodeSeen>[] = [
  {
    title: 'Node',
    isHead: true,
    cell: ({ node_id, self }) => (
      <>
        <Code text={node_id} isShort />
        {self && (
          <>
            {' '}
            <Badge tone="accent">this one</Badge>
          </>
        )}
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ ready }) =>
      ready === null ? <Badge>unknown</Badge> : <ReadyBadge texts={['ready', 'not ready']} isReady={ready} />,
  },
  { title: 'Version', cell: ({ version }) => version },
  {
    title: 'Workers',
    kind: 'number',
    cell: ({ ready_workers: ready, workers }) => (workers === null ? '–' : `${ready ?? '–'} of ${workers}`),
  },
  { title: 'Engine', cell: ({ backend }) => backend ?? '–' },
  { title: 'Started', cell: ({ started_at }) => <Time at={started_at} /> },
  { title: 'Seen', cell: ({ seen_at }) => <Time at={seen_at} /> },
];

/** A part that is off, such as roots without sources, is no fault. */
function toneOf(status: string): Tone {
  if (status === 'ok') return 'good';
  return status === 'failed' || status === 'stale' ? 'bad' : 'plain';
}

interface ReadyProps {
  readonly isReady: boolean;
  readonly texts: readonly [ready: string, not: string];
}

function ReadyBadge({ isReady, texts }: ReadyProps): VNode {
  return <Badge tone={isReady ? 'good' : 'bad'}>{isReady ? texts[0] : texts[1]}</Badge>;
}

/** The form for the number of worker threads of this node. */
function WorkersForm({ workers }: { workers: number }): VNode {
  const field: FieldSpec = {
    ...{ name: 'workers', label: 'Worker threads', kind: 'number', value: String(workers) },
    hint: 'Threads that verify proofs on this node. No proof is lost. After a restart the setting engine.workers counts again.',
    attributes: { min: 1, max: 256, inputmode: 'numeric' },
  };
  return (
    <Form
      fields={[field]}
      action="Change"
      submit={async (values, { api, announce }) => {
        const body = { workers: Number(values.text('workers')) };
        const { workers: now } = await api.patch<EngineFigures>('/engine', { body });
        values.set('workers', String(now));
        announce(`This node now has ${formatAmount(now, 'worker thread')}.`, 'good');
      }}
    />
  );
}
