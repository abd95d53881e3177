import { readInto } from '../../observability/metrics/instruments.ts';
import { createWebhooks, type Webhooks, type WebhooksParts } from '../../webhooks/deliverer.ts';
import type { Part } from '../lifecycle.ts';

/** Creates the webhooks of the service; undefined while they are off. */
export function createWebhooksPart(parts: WebhooksParts): (Webhooks & Part) | undefined {
  const webhooks = createWebhooks(parts);
  if (webhooks === undefined) return undefined;
  const { outbox, now } = parts;
  return {
    name: 'webhooks',
    ...webhooks,
    async metrics({ webhooksUnsent, webhooksOldestSeconds }) {
      webhooksOldestSeconds.remove();
      const at = now();
      await readInto(
        webhooksUnsent,
        () => outbox.counts(at),
        (gauge, { pending, dead, oldestPendingAt }) => {
          gauge.set({ state: 'pending' }, pending);
          gauge.set({ state: 'dead' }, dead);
          webhooksOldestSeconds.set(
            oldestPendingAt === null ? 0 : Math.max(0, (at - oldestPendingAt) / 1000),
          );
        },
      );
    },
  };
}
