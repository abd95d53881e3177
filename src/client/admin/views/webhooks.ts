import { button, element, facts } from '../../dom.ts';
import type { Listed } from '../api/client.ts';
import { explainProblem } from '../api/problem.ts';
import type { WebhookEvent, WebhookReceiver, WebhookTest } from '../api/types.ts';
import type { View, ViewContext } from '../context.ts';
import { actionButton } from '../parts/action-button.ts';
import { badge, card, emptyState, fill, type Tone } from '../parts/feedback.ts';
import { formField, guard, readOnlyNote, select } from '../parts/form.ts';
import { formatCount, formatValue } from '../parts/format.ts';
import { pager } from '../parts/pager.ts';
import { type Column, code, table } from '../parts/table.ts';
import { optionalTime, relativeTime } from '../parts/time.ts';

const PAGE_ROWS = 50;
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
  async render(context, target) {
    const { api, query, remember, signal, announce } = context;
    const receivers = element('div', { class: 'stack' });
    const state = select(STATES, query.get('state') ?? '');
    const rows = pager<WebhookEvent>({
      ...{ name: 'events', signal, announce },
      read: (cursor, ended) =>
        api.get<Listed<WebhookEvent>>(
          '/webhooks/events',
          { state: state.value, cursor, limit: PAGE_ROWS },
          ended,
        ),
      show: (items) => eventRows(items, state.value !== '', context),
    });
    state.addEventListener('change', () => {
      remember({ state: state.value });
      void rows.load();
    });
    const filter = element('div', { class: 'toolbar' }, formField('state', 'State', state).node);
    target.append(
      card('Receiver', [receivers]),
      card('Events', [filter, rows.node], [button('Refresh', () => rows.load(true))]),
    );
    await Promise.all([
      fill(receivers, signal, async () => {
        const { items } = await api.get<Listed<WebhookReceiver>>('/webhooks', {}, signal);
        return items.length === 0
          ? howToSwitchOn()
          : items.map((receiver) => receiverPart(receiver, context));
      }),
      rows.load(),
    ]);
  },
};

function howToSwitchOn(): Node[] {
  const step = (...parts: readonly (Node | string)[]): HTMLElement => element('li', {}, ...parts);
  return [
    emptyState('Webhooks are off.', 'No event is recorded or sent.'),
    element('p', {}, 'To switch them on, change the configuration:'),
    element(
      'ol',
      {},
      step(
        'Make a key of 32 random bytes: ',
        code('(umask 077; echo "whsec_$(openssl rand -base64 32)" > webhook-secret)'),
      ),
      step('Set ', code('webhooks.url'), ' to the address of the receiver: https, in production.'),
      step(
        'Set ',
        code('PROOFGATE_WEBHOOKS_SECRET_FILE'),
        ' to the file with the key, and give the receiver the key.',
      ),
      step('Restart the service, then send a test event here or by ', code('proofgate webhooks test'), '.'),
    ),
    element('p', {}, 'The page src/docs/webhooks.md has the events and how a receiver verifies them.'),
  ];
}

function receiverPart(receiver: WebhookReceiver, context: ViewContext): HTMLElement {
  const { address, state, pending, dead, oldest_pending_at: oldest, last_error: error } = receiver;
  const failure = receiver.last_failure_at;
  const node = element(
    'article',
    { class: 'source', 'aria-label': `Receiver ${address}` },
    element(
      'div',
      { class: 'card-head' },
      element('h3', {}, address, ' ', badge(state, RECEIVER_TONES[state])),
      testButton(context),
    ),
    facts(
      ['Last success', optionalTime(receiver.last_success_at, 'none yet')],
      ['Last failure', optionalTime(failure, 'none')],
      [
        'Waiting',
        oldest === null
          ? 'none'
          : element('span', {}, `${formatCount(pending)}, the oldest written `, relativeTime(oldest)),
      ],
      ['Given up', dead === 0 ? 'none' : formatCount(dead)],
    ),
  );
  if (error !== null && (state === 'failing' || dead > 0)) {
    const text = element('p', {}, element('strong', {}, 'Last error: '), error);
    node.append(
      element('div', { class: 'alert', 'data-level': state === 'failing' ? 'error' : 'warning' }, text),
    );
  }
  if (context.caller.scope !== 'write') node.append(readOnlyNote());
  return node;
}

function testButton(context: ViewContext): HTMLElement {
  const send = async (): Promise<void> => {
    try {
      const sent = await context.api.post<WebhookTest>('/webhooks/test', { body: {} });
      if (sent.received) {
        context.announce(`The test event was received; the receiver answered ${sent.status}.`, 'good');
      } else {
        context.announce(`The test event was not received: ${sent.reason ?? 'it was stopped'}.`, 'bad');
      }
    } catch (error) {
      context.announce(explainProblem(error), 'bad');
    }
  };
  return guard(button('Send a test event', send), context);
}

function eventRows(
  events: readonly WebhookEvent[],
  isFiltered: boolean,
  context: ViewContext,
): readonly Node[] {
  if (events.length > 0) return [table('Events, the latest first', columnsOf(context), events)];
  return isFiltered
    ? [emptyState('No event is in this state.', 'Choose another state.')]
    : [
        emptyState(
          'No events yet.',
          'An event is listed here when it happens: for 30 days, or a day once it was received.',
        ),
      ];
}

function columnsOf(context: ViewContext): readonly Column<WebhookEvent>[] {
  return [
    {
      title: 'Event',
      isHead: true,
      cell: ({ type, id, created_at }) => [
        type,
        element('small', { class: 'block' }, relativeTime(created_at)),
        element('small', { class: 'block' }, code(id, true)),
      ],
    },
    { title: 'State', cell: ({ state }) => badge(state, EVENT_TONES[state]) },
    { title: 'Outcome', cell: outcomeOf },
    { title: 'Data', cell: ({ body }) => dataList(body.data) },
    {
      title: 'Actions',
      kind: 'controls',
      cell: (event) => (event.state === 'delivered' ? '–' : resendButton(event, context)),
    },
  ];
}

function outcomeOf(event: WebhookEvent): Node[] {
  const { attempts, delivered_at: delivered, next_at: next, last_error: error } = event;
  const line = (...parts: readonly (Node | string)[]): Node => element('span', { class: 'block' }, ...parts);
  return [
    ...(error === null ? [] : [line(error)]),
    line(attempts === 1 ? '1 attempt' : `${formatCount(attempts)} attempts`),
    ...(next === null ? [] : [line('next ', relativeTime(next))]),
    ...(delivered === null ? [] : [line('received ', relativeTime(delivered))]),
  ];
}

function dataList(data: Readonly<Record<string, unknown>>): HTMLElement {
  const items = Object.entries(data).map(([name, value]) =>
    element(
      'li',
      {},
      element('span', { class: 'change-name' }, name),
      element('span', {}, formatValue(value)),
    ),
  );
  const list = element('ul', { class: 'changes' }, ...items);
  return element(
    'details',
    {},
    element('summary', {}, items.length === 1 ? '1 value' : `${items.length} values`),
    list,
  );
}

function resendButton({ id, type, state }: WebhookEvent, context: ViewContext): HTMLElement {
  return actionButton({
    ...{ text: state === 'dead' ? 'Send again' : 'Send now', context },
    attributes: { 'aria-label': `${state === 'dead' ? 'Send again' : 'Send now'}: ${type}, ${id}` },
    async run() {
      await context.api.post(`/webhooks/events/${encodeURIComponent(id)}/resend`);
      context.reload();
      return `${type} is due now; a node sends it within seconds.`;
    },
  });
}
