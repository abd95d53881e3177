import { isoTime } from '../../../text.ts';
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
      const rows = await outbox.list(context.now(), MAX_ROWS);
      const events = rows.map((row) => ({
        id: row.id,
        type: row.type,
        state: row.deadAt === null ? 'pending' : 'dead',
        created_at: isoTime(row.createdAt),
        attempts: row.attempts,
        next_at: row.deadAt === null ? isoTime(row.nextAt) : null,
        last_error: row.lastError,
        expires_at: isoTime(row.expiresAt),
        body: JSON.parse(row.body) as unknown,
      }));
      const table = events.map(({ id, type, created_at, attempts, next_at, last_error }) => [
        ...[id, type, created_at, String(attempts), next_at ?? 'none, dead', last_error ?? '-'],
      ]);
      await context.print({ webhooks: events }, textTable(HEAD, table));
      return 0;
    }),
};
