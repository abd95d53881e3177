import { ServiceError } from '../../errors/service-error.ts';
import type { OutputOfOperation } from '../../operations/table.ts';
import { WEBHOOK_OPERATIONS } from '../../operations/webhooks.ts';
import { sendTestEvent } from '../../webhooks/operate.ts';
import { namesServer, readItems, SERVER_OPTIONS, withOperations } from '../operations/call-operation.ts';
import { callingCommand, operationCommand } from '../operations/operation-command.ts';
import { textTable } from '../output/output.ts';
import type { Command, CommandContext } from '../program/command.ts';

const { listWebhookEvents, resendWebhookEvent, testWebhook } = WEBHOOK_OPERATIONS;

type TestOutcome = Omit<OutputOfOperation<'testWebhook'>, 'received'>;

const MAX_ROWS = 1000;

/** `webhooks list`: lists events that were not received. */
const webhooksList: Command = callingCommand({
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
const webhooksResend: Command = operationCommand(resendWebhookEvent, {
  path: ['webhooks', 'resend'],
  summary: 'send an event again that was not received; a running service does so within seconds',
  arguments: { id: { name: 'id', description: 'the id, see `webhooks list`' } },
  show: (_output, { id }) => ({ json: { resent: id }, text: `${id} is due now` }),
});

/** `webhooks test`: sends one event to the receiver and prints what came of it. */
const webhooksTest: Command = {
  path: ['webhooks', 'test'],
  summary: 'send an event of type webhook.test now, and print the outcome',
  details:
    'One attempt, without the store; with --server by the service. The exit code is 0 if the receiver answered 200 to 299.',
  options: SERVER_OPTIONS,
  run: async (input, context) => {
    const { id, status, reason } = namesServer(input)
      ? await withOperations(input, context, async (call) => await call(testWebhook, {}))
      : await testFromHere(context);
    if (status === null) {
      throw new ServiceError('webhook.not_received', reason ?? 'the attempt was stopped');
    }
    await context.print({ id, status }, `${id} was received: ${status}`);
    return 0;
  },
};

/** Sends the event from this process, which needs no store. */
async function testFromHere(context: CommandContext): Promise<TestOutcome> {
  const { config } = await context.loadConfig();
  const { id, outcome } = await sendTestEvent(config.webhooks, context.now());
  return {
    id,
    status: outcome.kind === 'delivered' ? outcome.status : null,
    reason: outcome.kind === 'failed' ? outcome.reason : null,
  };
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [webhooksList, webhooksResend, webhooksTest];
