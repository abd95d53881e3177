import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { WebhookEvent, WebhookReceiver, WebhookTest } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { Action, type ActionProps, Button, ReadOnlyNote, useGuard } from '../parts/action.tsx';
import { Alert, Badge, Card, Code, Empty, Facts, Small, type Tone } from '../parts/content.tsx';
import { Field } from '../parts/fields.tsx';
import { formatAmount, formatCount, formatValue } from '../parts/format.ts';
import { Loaded, PagedList, useList, usePages } from '../parts/resource.tsx';
import type { Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';

const STATES = [
  ['', 'all'],
  ['pending', 'pending: waits to be sent'],
  ['dead', 'dead: given up'],
  ['delivered', 'delivered, within a day'],
] as const;
const EVENT_TONES: Readonly<Record<WebhookEvent['state'], Tone>> = {
  ...{ pending: 'note', dead: 'bad', delivered: 'good' },
};
const RECEIVER_TONES: Readonly<Record<WebhookReceiver['state'], Tone>> = {
  ...{ receiving: 'good', failing: 'bad', unused: 'plain' },
};

/** Where events are sent to, whether they are received, and the events. */
export const webhooksView: View = {
  title: 'Webhooks',
  lead: 'Another system can be told of changes and faults of this service. The receiver is set in the configuration only; nothing here can change it.',
  Content: WebhooksPage,
};

function WebhooksPage(): VNode {
  const { query, remember } = useView();
  const [state, setState] = useState(query.get('state') ?? '');
  const receivers = useList<WebhookReceiver>('/webhooks');
  const events = usePages<WebhookEvent>({
    ...{ name: 'events', path: '/webhooks/events', query: { state }, limit: 50 },
  });
  const choose = (chosen: string): void => {
    remember({ state: chosen });
    setState(chosen);
  };
  const none =
    state === '' ? (
      <Empty
        title="No events yet."
        text="An event is listed here when it happens: for 30 days, or a day once it was received."
      />
    ) : (
      <Empty title="No event is in this state." text="Choose another state." />
    );
  return (
    <>
      <Card title="Receiver">
        <Loaded from={receivers} class="stack">
          {(all) =>
            all.length === 0 ? <HowToSwitchOn /> : all.map((receiver) => <Receiver receiver={receiver} />)
          }
        </Loaded>
      </Card>
      <Card title="Events" controls={<Button press={() => events.load(true)}>Refresh</Button>}>
        <div class="toolbar">
          <Field
            spec={{ name: 'state', label: 'State', kind: 'select', choices: STATES, value: state }}
            onValue={choose}
          />
        </div>
        <PagedList of={events} caption="Events, the latest first" columns={COLUMNS} none={none} />
      </Card>
    </>
  );
}

function HowToSwitchOn(): VNode {
  return (
    <>
      <Empty title="Webhooks are off." text="No event is recorded or sent." />
      <p>To switch them on, change the configuration:</p>
      <ol>
        <li>
          Make a key of 32 random bytes:{' '}
          <Code text={'(umask 077; echo "whsec_$(openssl rand -base64 32)" > webhook-secret)'} />
        </li>
        <li>
          Set <Code text="webhooks.url" /> to the address of the receiver: https, in production.
        </li>
        <li>
          Set <Code text="PROOFGATE_WEBHOOKS_SECRET_FILE" /> to the file with the key, and give the receiver
          the key.
        </li>
        <li>
          Restart the service, then send a test event here or by <Code text="proofgate webhooks test" />.
        </li>
      </ol>
      <p>The page src/docs/webhooks.md has the events and how a receiver verifies them.</p>
    </>
  );
}

function Receiver({ receiver }: { receiver: WebhookReceiver }): VNode {
  const isReader = useGuard().disabled === true;
  const { address, state, pending, dead, oldest_pending_at: oldest, last_error: error } = receiver;
  const test: ActionProps['run'] = async ({ api, announce }) => {
    const sent = await api.post<WebhookTest>('/webhooks/test', { body: {} });
    if (sent.received) return `The test event was received; the receiver answered ${sent.status}.`;
    announce(`The test event was not received: ${sent.reason ?? 'it was stopped'}.`, 'bad');
    return undefined;
  };
  return (
    <article class="source" aria-label={`Receiver ${address}`}>
      <div class="card-head">
        <h3>
          {address} <Badge tone={RECEIVER_TONES[state]}>{state}</Badge>
        </h3>
        <Action text="Send a test event" run={test} />
      </div>
      <Facts
        rows={[
          ['Last success', <Time at={receiver.last_success_at} none="none yet" />],
          ['Last failure', <Time at={receiver.last_failure_at} none="none" />],
          [
            'Waiting',
            oldest === null ? (
              'none'
            ) : (
              <span>
                {`${formatCount(pending)}, the oldest written `}
                <Time at={oldest} />
              </span>
            ),
          ],
          ['Given up', dead === 0 ? 'none' : formatCount(dead)],
        ]}
      />
      {error !== null && (state === 'failing' || dead > 0) && (
        <Alert level={state === 'failing' ? 'error' : 'warning'}>
          <p>
            <strong>Last error: </strong>
            {error}
          </p>
        </Alert>
      )}
      {isReader && <ReadOnlyNote />}
    </article>
  );
}

const COLUMNS: readonly Column<WebhookEvent>[] = [
  {
    title: 'Event',
    isHead: true,
    cell: ({ type, id, created_at }) => (
      <>
        {type}
        <Small>
          <Time at={created_at} />
        </Small>
        <Small>
          <Code text={id} isShort />
        </Small>
      </>
    ),
  },
  { title: 'State', cell: ({ state }) => <Badge tone={EVENT_TONES[state]}>{state}</Badge> },
  { title: 'Outcome', cell: (event) => <Outcome {...event} /> },
  { title: 'Data', cell: ({ body }) => <Data values={Object.entries(body.data)} /> },
  {
    title: 'Actions',
    kind: 'controls',
    cell: (event) => (event.state === 'delivered' ? '–' : <Resend {...event} />),
  },
];

function Outcome({ attempts, delivered_at, next_at, last_error }: WebhookEvent): VNode {
  return (
    <>
      {last_error !== null && <span class="block">{last_error}</span>}
      <span class="block">{formatAmount(attempts, 'attempt')}</span>
      {next_at !== null && (
        <span class="block">
          next <Time at={next_at} />
        </span>
      )}
      {delivered_at !== null && (
        <span class="block">
          received <Time at={delivered_at} />
        </span>
      )}
    </>
  );
}

function Data({ values }: { values: readonly (readonly [name: string, value: unknown])[] }): VNode {
  return (
    <details>
      <summary>{formatAmount(values.length, 'value')}</summary>
      <ul class="changes">
        {values.map(([name, value]) => (
          <li>
            <span class="change-name">{name}</span>
            <span>{formatValue(value)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Resend({ id, type, state }: WebhookEvent): VNode {
  const text = state === 'dead' ? 'Send again' : 'Send now';
  return (
    <Action
      text={text}
      label={`${text}: ${type}, ${id}`}
      run={async ({ api, reload }) => {
        await api.post(`/webhooks/events/${encodeURIComponent(id)}/resend`);
        reload();
        return `${type} is due now; a node sends it within seconds.`;
      }}
    />
  );
}
