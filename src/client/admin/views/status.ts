import { element, facts } from '../../dom.ts';
import type { Listed } from '../api/client.ts';
import type { NodeSeen, Notice, ServiceStatus } from '../api/types.ts';
import type { View, ViewContext } from '../context.ts';
import { badge, card, prose, skeleton, type Tone } from '../parts/feedback.ts';
import { formatCount, formatDuration, formatExact } from '../parts/format.ts';
import { code, table } from '../parts/table.ts';
import { relativeTime } from '../parts/time.ts';
import { liveCharts } from './status-charts.ts';
import { workersForm } from './workers-form.ts';

const REFRESH_MS = 5000;

/** What the service is doing, and what an operator should know. */
export const statusView: View = {
  title: 'Status',
  async render(context, target) {
    const { api, signal } = context;
    target.append(skeleton(6));
    const read = async () =>
      await Promise.all([
        api.get<ServiceStatus>('/status', {}, signal),
        api.get<Listed<NodeSeen>>('/nodes', {}, signal),
      ]);
    const [status, nodes] = await read();
    const [notices, summary] = [element('div', { class: 'notices' }), element('div', { class: 'tiles' })];
    const [details, nodePlace] = [element('div'), element('div')];
    const workers = workersForm(context, status.engine.workers);
    const draw = (now: ServiceStatus, { items }: Listed<NodeSeen>): void => {
      replaceIfChanged(notices, noticeList(now.notices));
      replaceIfChanged(summary, tiles(now));
      replaceIfChanged(details, [serviceFacts(now)]);
      replaceIfChanged(nodePlace, [nodeTable(items)]);
    };
    draw(status, nodes);
    const charts = liveCharts(context);
    target.replaceChildren(
      notices,
      summary,
      charts,
      element('div', { class: 'columns' }, card('This node', [details]), card('Workers', [workers])),
      card('Nodes', [nodePlace]),
    );
    keepFresh(context, async () => draw(...(await read())));
  },
};

/** Runs work periodically while the view is open and somebody looks; a failure is tried again. */
function keepFresh({ signal }: ViewContext, work: () => Promise<void>): void {
  const timer = setInterval(() => {
    if (!document.hidden) void work().catch(() => undefined);
  }, REFRESH_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
}

/** Replaces content only if it differs, so that a selection and the place of a screen reader stay. */
function replaceIfChanged(place: HTMLElement, nodes: readonly Node[]): void {
  const fresh = element('div', {}, ...nodes);
  if (fresh.innerHTML !== place.innerHTML) place.replaceChildren(...fresh.childNodes);
}

const LEVELS = { error: 'Error', warning: 'Warning', info: 'Note' } as const;

function noticeList(notices: readonly Notice[]): Node[] {
  if (notices.length === 0) {
    const text = element('p', {}, element('strong', {}, 'All is well. '), 'Nothing needs your attention.');
    return [element('div', { class: 'alert', 'data-level': 'good' }, text)];
  }
  return notices.map(({ level, text, cure }) =>
    element(
      'div',
      { class: 'alert', 'data-level': level },
      element('p', {}, element('strong', {}, `${LEVELS[level]}: `), text),
      element('p', { class: 'cure' }, prose(cure)),
    ),
  );
}

function tile(name: string, value: Node | string, detail: Node | string): HTMLElement {
  return element(
    'div',
    { class: 'tile' },
    element('p', { class: 'tile-name' }, name),
    element('p', { class: 'tile-value' }, value),
    element('p', { class: 'muted' }, detail),
  );
}

function tiles({ ready, checks, started_at, version, profile, engine }: ServiceStatus): Node[] {
  const failing = Object.entries(checks).filter(([, { status }]) => toneOf(status) === 'bad');
  const uptime = (Date.now() - Date.parse(started_at)) / 1000;
  return [
    tile(
      'Readiness',
      ready ? badge('Ready', 'good') : badge('Not ready', 'bad'),
      failing.length === 0 ? 'All checks pass' : `Look at: ${failing.map(([name]) => name).join(', ')}`,
    ),
    tile(
      'Uptime',
      formatDuration(uptime < 120 ? uptime : uptime - (uptime % 60)),
      element('time', { datetime: started_at }, `since ${formatExact(Date.parse(started_at))}`),
    ),
    tile('Version', version, `profile ${profile}`),
    tile('Proofs verified', formatCount(engine.verified), 'by this node since its start'),
  ];
}

function serviceFacts({ node_id, issuer, interfaces, engine, store, checks }: ServiceStatus): Node {
  const names = Object.entries(interfaces).flatMap(([name, isOn]) => (isOn ? [name] : []));
  const marks = Object.entries(checks).map(([name, { status }]) =>
    badge(`${name}: ${status}`, toneOf(status)),
  );
  return facts(
    ['Address', code(issuer)],
    ['Interfaces', names.join(', ')],
    ['Node', code(node_id)],
    ['Engine', `${engine.backend}, ${engine.arithmetic}: ${engine.reason}`],
    ['Queue', `${formatCount(engine.queue_depth)} of at most ${formatCount(engine.max_queue)} proofs`],
    ['Store', `${store.writable ? 'writable' : 'not writable'}; ${store.durability}`],
    ['Checks', element('span', { class: 'badges' }, ...marks)],
  );
}

function nodeTable(nodes: readonly NodeSeen[]): HTMLElement {
  return table(
    'Nodes seen within a day',
    [
      {
        title: 'Node',
        isHead: true,
        cell: ({ node_id, self }) =>
          self ? [code(node_id, true), ' ', badge('this one', 'accent')] : code(node_id, true),
      },
      { title: 'State', cell: ({ ready }) => stateOf(ready) },
      { title: 'Version', cell: ({ version }) => version },
      {
        title: 'Workers',
        kind: 'number',
        cell: ({ ready_workers: ready, workers }) =>
          workers === null ? '–' : `${ready ?? '–'} of ${workers}`,
      },
      { title: 'Engine', cell: ({ backend }) => backend ?? '–' },
      { title: 'Started', cell: ({ started_at }) => relativeTime(started_at) },
      { title: 'Seen', cell: ({ seen_at }) => relativeTime(seen_at) },
    ],
    nodes,
  );
}

/** A part that is off, such as roots without sources, is no fault. */
function toneOf(status: string): Tone {
  if (status === 'ok') return 'good';
  return status === 'failed' || status === 'stale' ? 'bad' : 'plain';
}

function stateOf(isReady: boolean | null): HTMLElement {
  if (isReady === null) return badge('unknown');
  return isReady ? badge('ready', 'good') : badge('not ready', 'bad');
}
