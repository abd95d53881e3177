import type { ComponentChildren, VNode } from 'preact';
import { given } from '../api/client.ts';
import type { WebhookEvent, WebhookReceiver } from '../api/types.ts';
import { useView, type View } from '../context.ts';
import { action, button, READ_ONLY_NOTE } from '../parts/action.tsx';
import { alert, badge, card, details, empty, facts, labelled, type Tone } from '../parts/content.tsx';
import { useFilters } from '../parts/fields.tsx';
import { formatAmount, formatCount, formatValue } from '../parts/format.ts';
import { loaded, pagedList, useList, usePages } from '../parts/resource.tsx';
import { type Column, code, column, controls, head, line, small } from '../parts/table.tsx';
import { time } from '../parts/time.tsx';

const STATES = {
  '': 'all',
  pending: 'pending: waits to be sent',
  dead: 'dead: given up',
  delivered: 'delivered, within a day',
};
const TONES: Readonly<Record<WebhookEvent['state'] | WebhookReceiver['state'], Tone>> = {
  pending: 'note',
  dead: 'bad',
  delivered: 'good',
  receiving: 'good',
  failing: 'bad',
  unused: 'plain',
};

/** Receiver of the events, its state, and the events. */
export const webhooksView: View = {
  title: 'Webhooks',
  lead: 'Another system can be told of changes and faults of this service. The receiver is set in the configuration only; nothing here can change it.',
  Content: WebhooksPage,
};

function WebhooksPage(): VNode {
  const { caller } = useView();
  const [query, filters] = useFilters({
    state: { label: 'State', kind: 'select', choices: STATES },
  });
  const input = { state: given<WebhookEvent['state']>(query.state) };
  const events = usePages('GET /webhooks/events', { name: 'events', input, limit: 50 });
  const receivers = loaded(
    useList('GET /webhooks', {}),
    (all) =>
      all.length === 0 ? howToSwitchOn() : all.map((one) => receiverPart(one, caller.scope === 'write')),
    'stack',
  );
  const none =
    query.state === ''
      ? 'An event is listed here when it happens: for 30 days, or a day once it was received.'
      : 'Choose another state.';
  const shown = pagedList(events, {
    caption: 'Events, the latest first',
    columns: COLUMNS,
    none: [query.state === '' ? 'No events yet.' : 'No event is in this state.', none],
  });
  const refresh = button('Refresh', () => events.load(true));
  return (
    <>
      {card('Receiver', receivers)}
      {card('Events', [<div class="toolbar">{filters}</div>, shown], refresh)}
    </>
  );
}

function howToSwitchOn(): ComponentChildren {
  return [
    empty(['Webhooks are off.', 'No event is recorded or sent.']),
    <p>To switch them on, change the configuration:</p>,
    <ol>
      <li>
        {'Make a key of 32 random bytes: '}
        {code('(umask 077; echo "whsec_$(openssl rand -base64 32)" > webhook-secret)')}
      </li>
      <li>Set {code('webhooks.url')} to the address of the receiver: https, in production.</li>
      <li>
        Set {code('PROOFGATE_WEBHOOKS_SECRET_FILE')} to the file with the key, and give the receiver the key.
      </li>
      <li>Restart the service, then send a test event here or by {code('proofgate webhooks test')}.</li>
    </ol>,
    <p>The page src/docs/webhooks.md has the events and how a receiver verifies them.</p>,
  ];
}

function receiverPart(receiver: WebhookReceiver, mayChange: boolean): VNode {
  const { address, state, pending, dead, oldest_pending_at: oldest, last_error: error } = receiver;
  const test = action({
    text: 'Send a test event',
    after: () => undefined,
    run: ({ api }) => api.call('POST /webhooks/test', {}),
    done: ({ received, status, reason }) =>
      received
        ? `The test event was received; the receiver answered ${status}.`
        : [`The test event was not received: ${reason ?? 'it was stopped'}.`, 'bad'],
  });
  const waiting = [`${formatCount(pending)}, the oldest written `, time(oldest)];
  return (
    <article class="source" aria-label={`Receiver ${address}`}>
      <div class="card-head">{[<h3>{[address, ' ', badge(state, TONES[state])]}</h3>, test]}</div>
      {facts(
        ['Last success', time(receiver.last_success_at, 'none yet')],
        ['Last failure', time(receiver.last_failure_at, 'none')],
        ['Waiting', oldest === null ? 'none' : <span>{waiting}</span>],
        ['Given up', dead === 0 ? 'none' : formatCount(dead)],
      )}
      {error !== null &&
        (state === 'failing' || dead > 0) &&
        alert(state === 'failing' ? 'error' : 'warning', labelled('Last error: ', error))}
      {!mayChange && <p class="hint">{READ_ONLY_NOTE}</p>}
    </article>
  );
}

const COLUMNS: readonly Column<WebhookEvent>[] = [
  head('Event', ({ type, id, created_at }) => [type, small(time(created_at)), small(code(id, true))]),
  column('State', ({ state }) => badge(state, TONES[state])),
  column('Outcome', ({ attempts, delivered_at: delivered, next_at: next, last_error: error }) => [
    error !== null && line(error),
    line(formatAmount(attempts, 'attempt')),
    next !== null && line('next ', time(next)),
    delivered !== null && line('received ', time(delivered)),
  ]),
  column('Data', ({ body }) => dataOf(Object.entries(body.data))),
  controls('Actions', resend),
];

function dataOf(values: readonly (readonly [name: string, value: unknown])[]): VNode {
  const items = values.map(([name, value]) => (
    <li>{[<span class="change-name">{name}</span>, <span>{formatValue(value)}</span>]}</li>
  ));
  return details(formatAmount(values.length, 'value'), <ul class="changes">{items}</ul>);
}

function resend({ id, type, state }: WebhookEvent): VNode | string {
  if (state === 'delivered') return '–';
  const text = state === 'dead' ? 'Send again' : 'Send now';
  return action({
    text,
    label: `${text}: ${type}, ${id}`,
    run: ({ api }) => api.call('POST /webhooks/events/{id}/resend', { id }),
    done: () => `${type} is due now; a node sends it within seconds.`,
  });
}
