import type { Command } from '../../program/command.ts';
import { refuseUnnamedStore } from '../../program/store-place.ts';

/** `store reopen`: puts a store that was moved to another back into service, after confirmation. */
export const storeReopen: Command = {
  path: ['store', 'reopen'],
  summary: 'put a store that `store copy` took out of service back into service',
  details: `For a move that is given up. What the other store has accepted since then is not in this one: nullifiers can be used
again. To move back without a loss, use \`proofgate store copy\` from the other store to this one.`,
  options: [{ flags: '--yes', description: 'do not ask' }],
  run: async (_input, context) => {
    const loaded = await context.loadConfig();
    refuseUnnamedStore(loaded);
    await context.confirm('Has no server used the store that this one was copied to?');
    const { reopenStore } = await import('../../../storage/index.ts');
    const isReopened = await reopenStore(loaded.config.storage);
    await context.print(
      { reopened: isReopened },
      isReopened ? 'the store is in service again' : 'the store was in service',
    );
    return 0;
  },
};
