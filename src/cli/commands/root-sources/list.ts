import { sourceJson } from '../../../admin/forms/index.ts';
import { listSources, type SourceListing } from '../../../membership/index.ts';
import { shortHex } from '../../../semaphore/hex.ts';
import { isoTime } from '../../../text.ts';
import { cell, textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

const HEAD = [
  ...['source', 'kind', 'environment', 'tree', 'chain', 'quorum', 'block', 'lag', 'root', 'age', 'left'],
  ...['lease', 'last error'],
];
const PROVIDER_HEAD = ['source', 'provider', 'state', 'since', 'range', 'last failure'];

/** `roots sources list`: lists the sources of roots with their progress. */
export const rootSourcesList: Command = {
  path: ['roots', 'sources', 'list'],
  summary: 'list the sources of roots, how far each has read, and its providers',
  details:
    'lag is the time since the last block up to which the current root is known, left the number of blocks of the look-back that are still to be read. Sources that only the store knows are listed, too: `roots sources reset` removes what they wrote.',
  run: async (_input, context) => {
    const loaded = await context.loadConfig();
    return await context.withStore(loaded, async (store) => {
      const sources = await listSources(loaded.config.roots, store, context.now());
      await context.print({ sources: sources.map(sourceJson) }, asText(sources));
      return 0;
    });
  },
};

function asText(sources: readonly SourceListing[]): string {
  if (sources.length === 0) return 'no sources: operators keep the roots current';
  const rows = sources.map((source) => {
    const { lastError, lastErrorAgeSeconds } = source;
    return [
      source.id,
      source.isConfigured ? (source.kind ?? '-') : 'not configured',
      source.environment,
      source.tree,
      cell(source.chainId),
      cell(source.quorum),
      cell(source.block),
      `${cell(source.lagSeconds, ' s')}${source.isStale ? ' (stale)' : ''}`,
      cell(source.currentRoot && shortHex(source.currentRoot)),
      cell(source.currentRootAgeSeconds, ' s'),
      cell(source.backfillBlocksLeft),
      cell(source.leaseHolder),
      lastError === undefined ? '-' : `${lastError} (${cell(lastErrorAgeSeconds, ' s')} ago)`,
    ];
  });
  const providers = sources.flatMap(({ id, providers: list }) =>
    list.map(({ host, state, since, range, lastError, lastErrorAt }) => [
      ...[id, host, state, since === undefined ? '-' : isoTime(since), cell(range)],
      lastError === undefined ? '-' : `${lastError} at ${isoTime(lastErrorAt ?? 0)}`,
    ]),
  );
  return `${textTable(HEAD, rows)}\n\n${textTable(PROVIDER_HEAD, providers)}`;
}
