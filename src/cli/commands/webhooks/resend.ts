import { resendEvent } from '../../../webhooks/index.ts';
import type { Command } from '../../program/command.ts';

/** `webhooks resend ID`: makes an event due again. */
export const webhooksResend: Command = {
  path: ['webhooks', 'resend'],
  summary: 'send an event again that was not received; a running service does so within seconds',
  arguments: [{ name: 'id', description: 'the id, see `webhooks list`' }],
  run: async (input, context) => {
    const id = input.argument('id');
    return await context.withStore(await context.loadConfig(), async ({ outbox }) => {
      await resendEvent(outbox, id, context.now());
      await context.print({ resent: id }, `${id} is due now`);
      return 0;
    });
  },
};
