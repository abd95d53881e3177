import { CLOCK_OFFSET_SECONDS, oldHeadSeconds } from '../../../chain/chain.ts';
import { type Probed, type ProviderFacts, probeProvider } from '../../../chain/probe.ts';
import type { Provider } from '../../../chain/provider/provider.ts';
import type { ChainSource } from '../../../config/roots/source-types.ts';
import { isServiceError } from '../../../errors/service-error.ts';
import { toHex } from '../../../semaphore/hex.ts';
import {
  latestRootCall,
  rootOf,
  shownRoot,
  TREE_DEPTH,
  treeDepthCall,
  watchedEvents,
} from '../reader/source-facts.ts';
import {
  type CheckLine,
  factValue,
  fail,
  failed,
  failureVerdict,
  failWithCure,
  lineOf,
  note,
  ok,
  type ProviderReport,
  skip,
  type Verdict,
} from './report.ts';

/** A provider with its facts. */
export interface ProbedProvider {
  readonly provider: Provider;
  readonly facts: ProviderFacts;
  /** Depth of the tree; undefined if the contract has no getter for it, or the provider has no head. */
  readonly depth: bigint | Verdict | undefined;
}

/** Facts about all providers of a source, and the report lines about them. */
export interface ProvidersCheck {
  readonly reports: readonly ProviderReport[];
  readonly lines: readonly CheckLine[];
  /** Providers of the right chain that have a head. */
  readonly usable: readonly ProbedProvider[];
  /** Whether any provider answered at all. */
  readonly isReached: boolean;
}

/** Reads and judges the capabilities of each provider of a source. @param now - Milliseconds since the epoch. */
export async function checkProviders(
  source: ChainSource,
  providers: readonly Provider[],
  now: () => number,
): Promise<ProvidersCheck> {
  const probed = await Promise.all(providers.map((provider) => probe(source, provider, now)));
  const rightChain = probed.filter(({ facts }) => factValue(facts.chainId) === source.chainId);
  const usable = rightChain.filter(({ facts }) => 'value' in facts.head);
  const line = (
    name: string,
    list: readonly ProbedProvider[],
    judge: (each: ProbedProvider) => Verdict,
  ): CheckLine =>
    lineOf(
      name,
      list.map((each) => [each.provider.host, judge(each)] as const),
    );
  const isReached = probed.some(
    ({ facts }) => !('failure' in facts.chainId && facts.chainId.failure === 'unreachable'),
  );
  return {
    usable,
    isReached,
    reports: probed.map((each) => reportOf(source, each)),
    lines: [
      line('chain id', probed, ({ facts }) => judgeChainId(facts.chainId, source.chainId)),
      line('head', rightChain, ({ facts }) => judgeHead(facts, source.chainId)),
      line('clock', usable, ({ facts }) => judgeClock(facts.headAgeSeconds)),
      line('code', usable, ({ facts }) => judgeCode(facts, source)),
      line('latest root', usable, ({ facts }) => judgeRoot(facts.result, source)),
      line('depth', usable, ({ depth }) => judgeDepth(depth)),
      line('safe', usable, ({ facts }) => judgeTag('safe', facts.safe, source)),
      line('finalized', usable, ({ facts }) => judgeTag('finalized', facts.finalized, source)),
      line('block hashes', usable, ({ facts }) => judgeHashes(facts.takesBlockHashes)),
      line('log range', usable, ({ facts }) => judgeRange(facts, source.maxRange)),
    ],
  };
}

/** Lists the addresses of a source with the settings that name them. */
export function addressesOf(source: ChainSource): (readonly [setting: string, address: string])[] {
  const { contract, issuers, oprfKeys, verifier } = source;
  return Object.entries({ contract, issuers, oprfKeys, verifier }).flatMap(([setting, address]) =>
    address === undefined ? [] : [[setting, address] as const],
  );
}

async function probe(source: ChainSource, provider: Provider, now: () => number): Promise<ProbedProvider> {
  const facts = await probeProvider(provider, {
    call: latestRootCall(source),
    events: watchedEvents(source).events,
    maxRange: source.maxRange,
    now,
    addresses: [...new Set(addressesOf(source).map(([, address]) => address))],
  });
  if (source.kind === 'bridged' || !('value' in facts.head)) return { provider, facts, depth: undefined };
  try {
    const result = await provider.callAt(facts.head.value, treeDepthCall(source));
    const depth =
      'words' in result
        ? BigInt(`0x${result.words[0]}`)
        : fail('the contract does not tell it', 'roots.wrong_contract');
    return { provider, facts, depth };
  } catch (cause) {
    return { provider, facts, depth: failureVerdict(cause) };
  }
}

function reportOf(source: ChainSource, { provider, facts, depth }: ProbedProvider): ProviderReport {
  const result = factValue(facts.result);
  const root = result === undefined ? undefined : rootOrFault(result, source);
  return {
    host: provider.host,
    chainId: factValue(facts.chainId),
    head: factValue(facts.head),
    headAgeSeconds: factValue(facts.headAgeSeconds),
    safe: factValue(facts.safe)?.number,
    finalized: factValue(facts.finalized)?.number,
    takesBlockHashes: factValue(facts.takesBlockHashes),
    acceptedBlocks: factValue(facts.acceptedBlocks),
    depth: typeof depth === 'bigint' ? depth : undefined,
    latestRoot: root instanceof Uint8Array ? toHex(root) : undefined,
  };
}

/** Returns the current root, undefined if there is none yet, or the reason why the result of its call is not a root. */
export function rootOrFault(
  result: Parameters<typeof rootOf>[0],
  source: ChainSource,
): Uint8Array | undefined | Verdict {
  try {
    return rootOf(result, source);
  } catch (cause) {
    if (!isServiceError(cause)) throw cause;
    return fail(cause.message, cause.code);
  }
}

function judgeChainId(chainId: Probed<number>, expected: number): Verdict {
  if ('failure' in chainId) return failed(chainId);
  if (chainId.value === expected) return ok(String(expected));
  return fail(`expected ${expected}, got ${chainId.value}`, 'roots.chain_mismatch');
}

function judgeHead({ head, headAgeSeconds }: ProviderFacts, chainId: number): Verdict {
  if ('failure' in head) return failed(head);
  const age = factValue(headAgeSeconds) ?? 0;
  const when = age < 0 ? `${-age} s ahead of this machine` : `${age} s old`;
  const detail = `block ${head.value.number}, ${when}`;
  return age > oldHeadSeconds(chainId) ? fail(detail, 'roots.head_stale') : ok(detail);
}

function judgeClock(age: Probed<number>): Verdict {
  const offset = -(factValue(age) ?? 0);
  const detail =
    offset > 0
      ? `this machine is ${offset} s behind the newest block`
      : `this machine is ${-offset} s ahead of the newest block`;
  return Math.abs(offset) > CLOCK_OFFSET_SECONDS ? fail(detail, 'roots.clock') : ok(detail);
}

function judgeCode({ code }: ProviderFacts, source: ChainSource): Verdict {
  const addresses = addressesOf(source);
  for (const [, address] of addresses) {
    const found = code.get(address);
    if (found !== undefined && 'failure' in found) return failed(found);
  }
  const missing = addresses.filter(([, address]) => {
    const found = code.get(address);
    return found === undefined || factValue(found) === '';
  });
  if (missing.length === 0) return ok(`at ${addresses.map(([setting]) => setting).join(', ')}`);
  const shown = missing.map(([setting, address]) => `${setting} ${address}`).join(', ');
  return fail(`none at ${shown}`, 'roots.contract_missing');
}

function judgeRoot(result: ProviderFacts['result'], source: ChainSource): Verdict {
  if ('failure' in result) return failed(result);
  const root = rootOrFault(result.value, source);
  if (root === undefined) return note('the contract has none yet');
  return root instanceof Uint8Array ? ok(shownRoot(root)) : root;
}

function judgeDepth(depth: ProbedProvider['depth']): Verdict {
  if (depth === undefined) return skip('a bridge does not tell it');
  if (typeof depth !== 'bigint') return depth;
  if (depth === BigInt(TREE_DEPTH)) return ok(String(depth));
  return fail(`expected ${TREE_DEPTH}, got ${depth}`, 'roots.depth_mismatch');
}

function judgeTag(
  tag: 'safe' | 'finalized',
  block: ProviderFacts['safe'],
  { confirmations }: ChainSource,
): Verdict {
  if ('value' in block) return ok(`offered, block ${block.value.number}`);
  if (block.failure === 'unreachable' || block.failure === 'rate_limited') return failed(block);
  return confirmations === tag
    ? failWithCure(
        `not offered, and confirmations of the source is "${tag}"`,
        'Set confirmations of the source to a number, or take a provider that offers the tag.',
      )
    : note('not offered');
}

function judgeHashes(takesBlockHashes: Probed<boolean>): Verdict {
  if ('failure' in takesBlockHashes) return failed(takesBlockHashes);
  return takesBlockHashes.value
    ? ok('accepted in calls (EIP-1898)')
    : note('not accepted in calls (EIP-1898): each call by number takes a second request');
}

function judgeRange({ acceptedBlocks, head }: ProviderFacts, maxRange: number): Verdict {
  if ('failure' in acceptedBlocks) return failed(acceptedBlocks);
  const detail = `${acceptedBlocks.value} blocks`;
  const asked = Math.min(maxRange, (factValue(head)?.number ?? 0) + 1);
  return acceptedBlocks.value < asked ? note(`${detail} of ${asked} asked for`) : ok(detail);
}
