import { setTimeout } from 'node:timers/promises';
import { Chain, type ChainOptions } from './chain.ts';
import { type CallObserver, Provider } from './provider/provider.ts';
import { createRpcClient, type RpcLimits } from './rpc/rpc-client.ts';

/** Options of a chain whose providers are reached over HTTP. */
export interface ChainSetup extends Pick<ChainOptions, 'chainId' | 'quorum' | 'now' | 'onDisagreement'> {
  /** http and https URLs of the providers. */
  readonly urls: readonly string[];
  readonly limits: RpcLimits;
  /** Ends calls and waits when the service stops. */
  readonly signal: AbortSignal;
  readonly observe: CallObserver;
}

/** Creates a chain with its providers. */
export function createChain({ urls, limits, signal, observe, ...options }: ChainSetup): Chain {
  const { chainId, now } = options;
  const sleep = (ms: number): Promise<void> => setTimeout(ms, undefined, { signal });
  const providers = urls.map((url, index) => {
    const client = createRpcClient(url, limits, signal);
    return new Provider({ client, index, chainId, now, random: Math.random, sleep, observe });
  });
  return new Chain({ ...options, providers, sleep });
}
