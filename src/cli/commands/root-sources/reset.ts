import { ServiceError } from '../../../errors/index.ts';
import type { Command } from '../../program/command.ts';

/** `roots sources reset ID`: withdraws what a source wrote, after confirmation. */
export const rootSourcesReset: Command = {
  path: ['roots', 'sources', 'reset'],
  summary: 'withdraw the roots of a source and begin its scan anew',
  details:
    'Until the scan has read the current root again, proofs over the withdrawn roots are refused. A running server does so within pollSeconds. Roots of operators stay.',
  arguments: [{ name: 'id', description: 'id of the source' }],
  options: [{ flags: '--yes', description: 'do not ask' }],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    const id = input.argument('id');
    return await context.withStore(loaded, async (store) => {
      if ((await store.rootSources.find(id)) === undefined) {
        throw new ServiceError('roots.source_unknown', `the store has no source ${id}`);
      }
      await context.confirm(`Withdraw the roots of the source ${id}?`);
      await store.rootSources.reset(id);
      await context.print({ reset: id }, `reset ${id}`);
      return 0;
    });
  },
};
