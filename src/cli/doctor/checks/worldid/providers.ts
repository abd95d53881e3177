import { CLOCK_OFFSET_SECONDS, createChain, oldHeadSeconds } from '../../../../chain/chain.ts';
import type { Provider } from '../../../../chain/provider/provider.ts';
import type { Block } from '../../../../chain/rpc/answers.ts';
import { RpcFailure } from '../../../../chain/rpc/rpc-failure.ts';
import { type ChainSource, hostsOf, quorumOf } from '../../../../config/roots/source-types.ts';
import type { Config } from '../../../../config/settings/types.ts';
import { type CheckResult, fail, ok, warn } from '../../check.ts';

/** Answers of the providers of one chain. */
export interface ChainAnswers {
  /** Setting that lists the providers. */
  readonly setting: string;
  readonly chainId: number;
  readonly quorum: number;
  readonly allowsSingle: boolean;
  /** Number of URLs. */
  readonly urls: number;
  /** Number of different hosts. */
  readonly hosts: number;
  readonly providers: readonly ProviderAnswer[];
}

/** Chain and head of a provider, or the class of its failure. */
export interface ProviderAnswer {
  readonly host: string;
  readonly hostname: string;
  readonly chainId: number | undefined;
  readonly head: Block | undefined;
  readonly failure: string | undefined;
}

/** Maximum wait for one call: a diagnosis must end soon, for any limit of a round in the settings. */
const LONGEST_CALL_MS = 3000;
const SEE_PROVIDERS = '`proofgate roots sources check --providers` shows what each provider answers';

/** Queries each provider of the sources for its chain id and head, concurrently. */
export async function askProviders(
  sources: readonly ChainSource[],
  roots: Config['roots'],
): Promise<ChainAnswers[]> {
  const chains = new Map(sources.map((source) => [source.rpc, source]));
  return await Promise.all(
    [...chains.values()].map(async ({ rpc, chainId }) => {
      const urls = roots.rpc[rpc] ?? [];
      const quorum = quorumOf(roots, urls);
      const { providers } = createChain({
        urls,
        chainId,
        quorum,
        now: Date.now,
        signal: new AbortController().signal,
        limits: {
          timeoutMs: Math.min(roots.rpcTimeoutMs, LONGEST_CALL_MS),
          maxResponseBytes: roots.maxResponseBytes,
        },
        onDisagreement: () => undefined,
        observe: () => undefined,
      });
      return {
        setting: `roots.rpc.${rpc}`,
        chainId,
        quorum,
        allowsSingle: roots.allowSingleProvider,
        urls: urls.length,
        hosts: hostsOf(urls).size,
        providers: await Promise.all(providers.map((provider) => ask(provider, chainId))),
      };
    }),
  );
}

/** Checks that providers of different hosts can agree, and that one of them may fail. */
export function checkQuorums(chains: readonly ChainAnswers[]): CheckResult[] {
  return chains.map(({ setting, quorum, allowsSingle, urls, hosts }) => {
    const detail = `${setting}: ${quorum} of ${hosts} hosts must agree`;
    if (hosts < urls) {
      return warn('', `${detail}, ${urls} URLs`, `Give ${setting} URLs of different companies.`);
    }
    if (hosts > quorum || (hosts === 1 && allowsSingle)) return ok('', detail);
    if (hosts === 1) {
      const cure = `Add providers of other companies to ${setting}, or set roots.allowSingleProvider for a node of your own.`;
      return warn('', `${detail}: a single provider could invent roots`, cure);
    }
    return warn('', `${detail}, so that none may fail`, `Add a provider of another company to ${setting}.`);
  });
}

/** Checks that the providers answer, and serve the chain of the sources. */
export function checkChainIds(chains: readonly ChainAnswers[]): CheckResult[] {
  return chains.map(({ setting, chainId, quorum, providers }) => {
    const wrong = providers.filter((each) => each.chainId !== undefined && each.chainId !== chainId);
    if (wrong.length > 0) {
      const shown = wrong.map((each) => `${each.host} serves chain ${each.chainId}`).join(', ');
      return fail('', `${setting}: ${shown}, expected ${chainId}`, `Correct the URL in ${setting}.`);
    }
    const silent = providers.filter(({ head }) => head === undefined);
    if (silent.length === 0) return ok('', `${setting}: ${providers.length} providers of chain ${chainId}`);
    const shown = silent.map(({ host, failure }) => `${host} ${failure}`).join(', ');
    const detail = `${setting}: no usable answer from ${shown}`;
    const left = new Set(providers.filter(({ head }) => head !== undefined).map(({ hostname }) => hostname));
    const cure = `Replace what stays so, or correct its URL; ${SEE_PROVIDERS}.`;
    return left.size < quorum
      ? fail('', `${detail}: fewer are left than the quorum of ${quorum}`, cure)
      : warn('', detail, cure);
  });
}

/** Compares the newest block of each chain with the clock of this machine. @param now - Milliseconds since the epoch. */
export function checkClocks(chains: readonly ChainAnswers[], now: number): CheckResult[] {
  return chains.map(({ setting, chainId, providers }) => {
    const times = providers.flatMap(({ head }) => (head === undefined ? [] : [head.time]));
    if (times.length === 0) return ok('', `${setting}: not known`);
    const ageSeconds = Math.floor(now / 1000) - Math.max(...times);
    const detail = `${setting}: the newest block is ${Math.abs(ageSeconds)} s ${ageSeconds < 0 ? 'ahead of' : 'behind'} this clock`;
    if (ageSeconds > oldHeadSeconds(chainId)) {
      const cure = `The chain stands still, its providers do, or the clock is wrong; ${SEE_PROVIDERS}.`;
      return fail('', detail, cure);
    }
    if (Math.abs(ageSeconds) <= CLOCK_OFFSET_SECONDS) return ok('', detail);
    return warn('', detail, 'Set the clock and run a time service (systemd-timesyncd, chrony).');
  });
}

async function ask(provider: Provider, expected: number): Promise<ProviderAnswer> {
  const { host, hostname } = provider;
  let chainId: number | undefined;
  try {
    chainId = await provider.readChainId();
    const head = chainId === expected ? await provider.readHead('latest') : undefined;
    return { host, hostname, chainId, head, failure: undefined };
  } catch (cause) {
    if (!(cause instanceof RpcFailure)) throw cause;
    return { host, hostname, chainId, head: undefined, failure: cause.failureClass };
  }
}
