import { isChainSource } from '../../config/roots/source-types.ts';
import { ERRORS } from '../../errors/catalogue.ts';
import type { CheckLine, ProviderReport, SourceReport } from '../../membership/sources/check/report.ts';
import { shortHex } from '../../semaphore/hex.ts';
import { isoTime } from '../../text.ts';
import { type Columns, cell, textTable } from '../output/output.ts';

const PROVIDER_COLUMNS: Columns<ProviderReport> = {
  provider: 'host',
  chain: 'chainId',
  head: ({ head }) => head?.number,
  age: ({ headAgeSeconds }) => cell(headAgeSeconds, ' s'),
  safe: 'safe',
  finalized: 'finalized',
  'block hashes': ({ takesBlockHashes }) =>
    takesBlockHashes === undefined ? undefined : takesBlockHashes ? 'yes' : 'no',
  range: 'acceptedBlocks',
  depth: 'depth',
  'latest root': ({ latestRoot }) => latestRoot && shortHex(latestRoot),
};
const STATUS_WIDTH = 6;

/** Returns the reports of a check as JSON. */
export function checkJson(reports: readonly SourceReport[], isOk: boolean): Record<string, unknown> {
  return {
    ok: isOk,
    sources: reports.map(({ source, isReached, providers, lines }) => ({
      id: source.id,
      kind: source.kind,
      environment: source.environment,
      tree: source.tree,
      chain_id: isChainSource(source) ? source.chainId : null,
      reached: isReached,
      providers: providers.map(providerJson),
      checks: lines.map((line) => ({ ...line, ...cureOf(line) })),
    })),
  };
}

/** Returns the reports of a check for a terminal. @param showsProviders - Whether the facts of each provider are listed. */
export function checkText(reports: readonly SourceReport[], showsProviders: boolean): string {
  if (reports.length === 0) return 'no sources: operators keep the roots current';
  return reports.map((report) => reportText(report, showsProviders)).join('\n\n');
}

function reportText({ source, providers, lines }: SourceReport, showsProviders: boolean): string {
  const chain = isChainSource(source) ? `, chain ${source.chainId}` : '';
  const title = `${source.id}: ${source.kind} of ${source.environment}/${source.tree}${chain}`;
  const width = Math.max(...lines.map(({ name }) => name.length));
  const shown = lines.map((line) => {
    const { cure } = cureOf(line);
    const text = `${line.status.padEnd(STATUS_WIDTH)}${line.name.padEnd(width)}  ${line.detail}`;
    return cure === undefined ? text : `${text}\n${' '.repeat(STATUS_WIDTH + width + 2)}cure: ${cure}`;
  });
  const table = showsProviders && providers.length > 0 ? [textTable(providers, PROVIDER_COLUMNS)] : [];
  return [title, ...table, ...shown].join('\n');
}

function providerJson(provider: ProviderReport): Record<string, unknown> {
  const { host, chainId, head, headAgeSeconds, safe, finalized, depth, latestRoot } = provider;
  return {
    host,
    chain_id: chainId ?? null,
    head: head?.number ?? null,
    head_time: head === undefined ? null : isoTime(head.time * 1000),
    // Negative if the head is ahead of the clock of this machine.
    head_age_seconds: headAgeSeconds ?? null,
    safe: safe ?? null,
    finalized: finalized ?? null,
    block_hashes: provider.takesBlockHashes ?? null,
    range: provider.acceptedBlocks ?? null,
    depth: depth === undefined ? null : Number(depth),
    latest_root: latestRoot ?? null,
  };
}

/** Returns the cure of a line that failed: its own, or that of the error that it names. */
function cureOf({ status, code, cure }: CheckLine): { readonly cure?: string } {
  if (cure !== undefined) return { cure };
  return status === 'fail' && code !== undefined ? { cure: ERRORS[code].cure } : {};
}
