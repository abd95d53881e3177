import { ServiceError } from '../../../errors/index.ts';
import { sendTestEvent } from '../../../webhooks/index.ts';
import type { Command } from '../../program/command.ts';

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
