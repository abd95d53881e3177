import { ServiceError } from '../../errors/service-error.ts';
import { WEBHOOK_OPERATIONS } from '../../operations/webhooks.ts';
import { sendTestEvent } from '../../webhooks/operate.ts';
import { readItems } from '../operations/call-operation.ts';
import { callingCommand, operationCommand } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { listWebhookEvents, resendWebhookEvent } = WEBHOOK_OPERATIONS;

const MAX_ROWS = 1000;

/** `webhooks list`: lists events that were not received. */
export const webhooksList: Command = callingCommand({
  path: ['webhooks', 'list'],
  summary: 'list events that wait to be sent, and dead letters, the oldest first',
  details: `At most ${MAX_ROWS}. A dead letter is kept for 30 days; \`webhooks resend\` sends it again.`,
  async run({ call }) {
    const states = ['pending', 'dead'] as const;
    const lists = await Promise.all(
      states.map((state) => readItems(call, listWebhookEvents, { state, order: 'oldest' }, MAX_ROWS)),
    );
    const place = ({ created_at, id }: (typeof lists)[number][number]): string => `${created_at} ${id}`;
    const events = lists
      .flat()
      .sort((one, other) => (place(one) < place(other) ? -1 : 1))
      .slice(0, MAX_ROWS);
    const text = textTable(events, {
      id: 'id',
      type: 'type',
      created: 'created_at',
      attempts: 'attempts',
      'next attempt': ({ next_at }) => next_at ?? 'none, dead',
      'last error': 'last_error',
    });
    return { json: { webhooks: events }, text };
  },
});

/** `webhooks resend ID`: makes an event due again. */
export const webhooksResend: Command = operationCommand(resendWebhookEvent, {
  path: ['webhooks', 'resend'],
  summary: 'send an event again that was not received; a running service does so within seconds',
  arguments: { id: { name: 'id', description: 'the id, see `webhooks list`' } },
  show: (_output, { id }) => ({ json: { resent: id }, text: `${id} is due now` }),
});

/** `webhooks test`: sends one event to the receiver and prints what came of it. */
export const webhooksTest: Command = {
  path: ['webhooks', 'test'],
  summary: 'send an event of type webhook.test now, and print the outcome',
  details: 'One attempt, without the store. The exit code is 0 if the receiver answered 200 to 299.',
  run: async (_input, context) => {
    const { config } = await context.loadConfig();
    const { id, outcome } = await sendTestEvent(config.webhooks, context.now());
    if (outcome.kind === 'delivered') {
      await context.print({ id, status: outcome.status }, `${id} was received: ${outcome.status}`);
      return 0;
    }
    const reason = outcome.kind === 'failed' ? outcome.reason : 'the attempt was stopped';
    throw new ServiceError('webhook.not_received', reason);
  },
};
