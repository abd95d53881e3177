/** Program of a thread of tests: has the log, metrics and counts of a front end, and does what it is told. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { createLog, LineBuffer } from '../../../src/observability/log/log.ts';
import { createMetrics } from '../../../src/observability/metrics/metrics.ts';
import { UsageTally } from '../../../src/observability/usage.ts';
import { LOG_SETTINGS, RECORD } from './records.ts';
import type { Order, Report } from './thread-messages.ts';

const { port } = workerData as { port: MessagePort };
const post = (report: Report): void => port.postMessage(report);

const log = createLog({
  ...LOG_SETTINGS,
  destination: new LineBuffer({ write: (lines) => post({ lines }) }),
});
const metrics = createMetrics('front_end_1');
const usage = new UsageTally(() => 0);

const DO: Readonly<Record<Order, () => void | Promise<void>>> = {
  request() {
    log.request({ ...RECORD, requestId: 'of the thread' });
    usage.count('app', 'staging', 'signed_in');
    metrics.verifyNullifierReuseTotal.at('production').add();
    metrics.httpConnections.set({ listener: 'public' }, 2);
    metrics.ready.set(1);
    metrics.verifyRootAgeSeconds.at('production', 'orb', 'true').observe(61);
  },
  warn: () => log.warn('of the thread', { frontEnd: 1, event: 'test' }),
  snapshot: async () => post({ snapshot: await metrics.snapshot() }),
  counts: () => post({ counts: usage.take() }),
  throw() {
    throw new Error('planted');
  },
  exit: () => process.exit(0),
  end() {
    log.flush();
    post({ ended: true });
    metrics.close();
    port.close();
  },
  hang() {
    for (;;);
  },
};

port.on('message', (orders: readonly Order[]) => {
  for (const order of orders) void DO[order]();
});
post({ started: true });
