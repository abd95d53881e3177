import { ServiceError } from '../../errors/service-error.ts';
import { ROOT_OPERATIONS, type ShownRootSource } from '../../operations/roots.ts';
import { shortHex } from '../../semaphore/hex.ts';
import { callingCommand, operationCommand, YES_OPTION } from '../operations/operation-command.ts';
import { cell, textTable } from '../output/output.ts';
import type { Command } from '../program/command.ts';

const { listRootSources, resetRootSource } = ROOT_OPERATIONS;

const HEAD = [
  'source',
  'kind',
  'environment',
  'tree',
  'chain',
  'quorum',
  'block',
  'lag',
  'root',
  'age',
  'left',
  'lease',
  'last error',
];
const PROVIDER_HEAD = ['source', 'provider', 'state', 'since', 'range', 'last failure'];

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
  const rows = sources.map((source) => {
    const { last_error, last_error_age_seconds, current_root, lag_seconds, stale } = source;
    return [
      source.id,
      source.configured ? (source.kind ?? '-') : 'not configured',
      source.environment,
      source.tree,
      cell(source.chain_id),
      cell(source.quorum),
      cell(source.block),
      `${cell(lag_seconds, ' s')}${stale ? ' (stale)' : ''}`,
      cell(current_root === null ? null : shortHex(current_root)),
      cell(source.current_root_age_seconds, ' s'),
      cell(source.backfill_blocks_left),
      cell(source.lease_holder),
      last_error === null ? '-' : `${last_error} (${cell(last_error_age_seconds, ' s')} ago)`,
    ];
  });
  const providers = sources.flatMap(({ id, providers: list }) =>
    list.map(({ host, state, since, range, last_error, last_error_at }) => [
      id,
      host,
      state,
      since ?? '-',
      cell(range),
      last_error === null ? '-' : `${last_error} at ${last_error_at}`,
    ]),
  );
  return `${textTable(HEAD, rows)}\n\n${textTable(PROVIDER_HEAD, providers)}`;
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [rootSourcesList, rootSourcesReset];
