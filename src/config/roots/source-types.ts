import { operatorHost } from '../../addresses.ts';
import type { ChainName, ContractKind, SourceEnvironment, SourceTree } from './presets.ts';

/** Distance from the head of a chain at which a source reads: a number of blocks, or a block tag of the provider. */
export type SourceConfirmations = number | 'safe' | 'finalized';

interface AnySource {
  /** 1 to 40 of a-z, 0-9 and "-". */
  readonly id: string;
  readonly environment: SourceEnvironment;
  readonly tree: SourceTree;
  readonly pollSeconds: number;
  readonly staleAfterSeconds: number;
}

/** A contract that publishes the roots of a tree, with the parameters for reading it. Addresses are in lower case. */
export interface ChainSource extends AnySource {
  readonly kind: ContractKind;
  /** Name of the list of providers. */
  readonly rpc: ChainName;
  readonly chainId: number;
  readonly contract: string;
  /** Number of the first block that may be read. */
  readonly startBlock: number;
  readonly issuers: string | undefined;
  readonly oprfKeys: string | undefined;
  readonly verifier: string | undefined;
  readonly confirmations: SourceConfirmations;
  /** Age of the oldest change that is read at the first start. */
  readonly lookBackSeconds: number;
  /** Maximum number of blocks in one request for logs. */
  readonly maxRange: number;
}

/** The root registry of another installation, as a source. */
export interface HttpSource extends AnySource {
  readonly kind: 'http';
  readonly url: string;
  /** Bearer token; undefined if none is sent. */
  readonly token: string | undefined;
}

/** A validated source of roots. */
export type RootSource = ChainSource | HttpSource;

/** Whether a source reads a chain. */
export function isChainSource(source: RootSource): source is ChainSource {
  return source.kind !== 'http';
}

/**
 * Returns the number of providers of a chain that must agree: `roots.quorum`, or by default two, or one if there is
 * only one.
 */
export function quorumOf({ quorum }: { readonly quorum: number | 'auto' }, urls: readonly string[]): number {
  return quorum === 'auto' ? Math.min(2, hostsOf(urls).size) : quorum;
}

/** Returns the hosts of URLs: providers at one host count as one. */
export function hostsOf(urls: readonly string[]): Set<string> {
  return new Set(urls.map((url) => (URL.canParse(url) ? operatorHost(new URL(url)) : url)));
}
