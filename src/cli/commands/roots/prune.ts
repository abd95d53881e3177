import { ServiceError } from '../../../errors/index.ts';
import { parseTime, TIME_FORMS } from '../../../membership/index.ts';
import { isoTime } from '../../../text.ts';
import type { Command } from '../../program/command.ts';

/** `roots prune`: removes old superseded roots after confirmation. */
export const rootsPrune: Command = {
  path: ['roots', 'prune'],
  summary: 'remove superseded roots that were received before a time; current ones stay',
  options: [
    { flags: '--before <time>', description: 'ISO 8601 or milliseconds since the epoch', isRequired: true },
    { flags: '--yes', description: 'do not ask' },
  ],
  run: async (input, context) => {
    const before = parseTime(input.option('before'));
    if (before === undefined) {
      throw new ServiceError('cli.usage', `--before: expected ${TIME_FORMS}`);
    }
    return await context.withStore(await context.loadConfig(), async (store) => {
      await context.confirm(`Remove superseded roots received before ${isoTime(before)}?`);
      const removed = await store.roots.prune(before);
      await context.print({ removed }, `removed ${removed} root${removed === 1 ? '' : 's'}`);
      return 0;
    });
  },
};
