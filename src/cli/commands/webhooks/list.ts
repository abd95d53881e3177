import { webhookEventJson } from '../../../admin/forms/index.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

const MAX_ROWS = 1000;
const HEAD = ['id', 'type', 'created', 'attempts', 'next attempt', 'last error'];

/** `webhooks list`: lists events that were not received. */
export const webhooksList: Command = {
  path: ['webhooks', 'list'],
  summary: 'list events that wait to be sent, and dead letters, the oldest first',
  details: `At most ${MAX_ROWS}. A dead letter is kept for 30 days; \`webhooks resend\` sends it again.`,
  run: async (_input, context) =>
    await context.withStore(await context.loadConfig(), async ({ outbox }) => {
      const events = (await outbox.list(context.now(), MAX_ROWS)).map(webhookEventJson);
      const table = events.map(({ id, type, created_at, attempts, next_at, last_error }) => [
        ...[id, type, created_at, String(attempts), next_at ?? 'none, dead', last_error ?? '-'],
      ]);
      await context.print({ webhooks: events }, textTable(HEAD, table));
      return 0;
    }),
};
