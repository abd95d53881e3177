import { ServiceError } from '../../errors/service-error.ts';
import { ROOT_OPERATIONS, type ShownRootSource } from '../../operations/roots.ts';
import { shortHex } from '../../semaphore/hex.ts';
import { callingCommand, operationCommand, YES_OPTION } from '../operations/operation-command.ts';
import { cell, textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { listRootSources, resetRootSource } = ROOT_OPERATIONS;

/** `roots sources list`: lists the sources of roots with their progress. */
const rootSourcesList: Command = operationCommand(listRootSources, {
  path: ['roots', 'sources', 'list'],
  summary: 'list the sources of roots, how far each has read, and its providers',
  details:
    'lag is the time since the last block up to which the current root is known, left the number of blocks of the look-back that are still to be read. Sources that only the store knows are listed, too: `roots sources reset` removes what they wrote.',
  show: ({ items }) => ({
    json: { sources: items.map(({ fault: _, ...source }) => source) },
    text: sourceTables(items),
  }),
});

/** `roots sources reset ID`: withdraws what a source wrote, after confirmation. */
const rootSourcesReset: Command = callingCommand({
  path: ['roots', 'sources', 'reset'],
  summary: 'withdraw the roots of a source and begin its scan anew',
  details:
    'Until the scan has read the current root again, proofs over the withdrawn roots are refused. A running server does so within pollSeconds. Roots of operators stay.',
  arguments: [{ name: 'id', description: 'id of the source' }],
  options: [YES_OPTION],
  async run({ input, context, call }) {
    const id = input.argument('id');
    const { items } = await call(listRootSources, {});
    if (!items.some((source) => source.id === id)) {
      throw new ServiceError('roots.source_unknown', `the store has no source ${id}`);
    }
    await context.confirm(`Withdraw the roots of the source ${id}?`);
    await call(resetRootSource, { id });
    return { json: { reset: id }, text: `reset ${id}` };
  },
});

function sourceTables(sources: readonly ShownRootSource[]): string {
  if (sources.length === 0) return 'no sources: operators keep the roots current';
  const progress = textTable(sources, {
    source: 'id',
    kind: ({ configured, kind }) => (configured ? kind : 'not configured'),
    environment: 'environment',
    tree: 'tree',
    chain: 'chain_id',
    quorum: 'quorum',
    block: 'block',
    lag: ({ lag_seconds, stale }) => `${cell(lag_seconds, ' s')}${stale ? ' (stale)' : ''}`,
    root: ({ current_root }) => current_root && shortHex(current_root),
    age: ({ current_root_age_seconds }) => cell(current_root_age_seconds, ' s'),
    left: 'backfill_blocks_left',
    lease: 'lease_holder',
    'last error': ({ last_error, last_error_age_seconds: age }) =>
      last_error && `${last_error} (${cell(age, ' s')} ago)`,
  });
  const all = sources.flatMap(({ id, providers }) => providers.map((provider) => ({ id, ...provider })));
  const providers = textTable(all, {
    source: 'id',
    provider: 'host',
    state: 'state',
    since: 'since',
    range: 'range',
    'last failure': ({ last_error, last_error_at }) => last_error && `${last_error} at ${last_error_at}`,
  });
  return `${progress}\n\n${providers}`;
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [rootSourcesList, rootSourcesReset];
