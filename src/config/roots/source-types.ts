import { operatorHost } from '../../addresses.ts';
import type { ChainName, ContractKind, SourceEnvironment, SourceTree } from './presets.ts';

/** How far behind the head of a chain a source reads: a number of blocks, or a tag of the provider. */
export type SourceConfirmations = number | 'safe' | 'finalized';

interface AnySource {
  /** 1 to 40 of a-z, 0-9 and "-". */
  readonly id: string;
  readonly environment: SourceEnvironment;
  readonly tree: SourceTree;
  readonly pollSeconds: number;
  readonly staleAfterSeconds: number;
}

/** A contract that publishes the roots of a tree, and how it is read. Addresses are in lower case. */
export interface ChainSource extends AnySource {
  readonly kind: ContractKind;
  /** Name of the list of providers. */
  readonly rpc: ChainName;
  readonly chainId: number;
  readonly contract: string;
  /** No block below this one is read. */
  readonly startBlock: number;
  readonly issuers: string | undefined;
  readonly oprfKeys: string | undefined;
  readonly verifier: string | undefined;
  readonly confirmations: SourceConfirmations;
  /** Age of the oldest change that is read at the first start. */
  readonly lookBackSeconds: number;
  /** Most blocks of one request for logs. */
  readonly maxRange: number;
}

/** The registry of another installation. */
export interface HttpSource extends AnySource {
  readonly kind: 'http';
  readonly url: string;
  /** Bearer token; undefined if none is sent. */
  readonly token: string | undefined;
}

/** A source of roots, in force. */
export type RootSource = ChainSource | HttpSource;

/** Whether a source reads a chain. */
export function isChainSource(source: RootSource): source is ChainSource {
  return source.kind !== 'http';
}

/** Returns how many providers of a chain must agree: two, or the only one, unless `roots.quorum` says otherwise. */
export function quorumOf({ quorum }: { readonly quorum: number | 'auto' }, urls: readonly string[]): number {
  return quorum === 'auto' ? Math.min(2, hostsOf(urls).size) : quorum;
}

/** Returns the hosts of URLs: providers at one host are one. */
export function hostsOf(urls: readonly string[]): Set<string> {
  return new Set(urls.map((url) => (URL.canParse(url) ? operatorHost(new URL(url)) : url)));
}
