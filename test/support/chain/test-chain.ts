import { setImmediate } from 'node:timers/promises';
import type { Disagreement } from '../../../src/chain/agree.ts';
import { Chain } from '../../../src/chain/chain.ts';
import { Provider } from '../../../src/chain/provider/provider.ts';
import type { RpcFailure } from '../../../src/chain/rpc/rpc-failure.ts';
import type { Behaviour } from './behaviours.ts';
import { createDirectClient, type DirectClient } from './direct-client.ts';
import type { RpcBackend } from './scripted-chain.ts';

/** A call to a provider, as its observer heard of it. */
export interface ObservedCall {
  readonly host: string;
  readonly method: string;
  readonly failure: RpcFailure | undefined;
}

/** A chain whose providers answer without HTTP, on a clock of the test. */
export interface TestChain {
  readonly chain: Chain;
  /** Clients of the providers, whose behaviour can be changed at any time. */
  readonly clients: readonly DirectClient[];
  /** Milliseconds since the epoch. */
  readonly clock: { now: number };
  readonly disagreements: readonly Disagreement[];
  readonly observed: readonly ObservedCall[];
  /** Waits that were asked for, in milliseconds; none takes time. */
  readonly waits: readonly number[];
}

/** Options of a chain for tests. */
export interface TestChainOptions {
  readonly backend: RpcBackend;
  /** Behaviour of each provider; undefined for an honest one. */
  readonly providers: readonly (Behaviour | undefined)[];
  readonly quorum: number;
  readonly chainId?: number;
  /** Hosts of the providers; `one`, `two` and so on by default. */
  readonly hosts?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now?: number;
}

const HOSTS: readonly string[] = ['one', 'two', 'three', 'four'];

/** Opens a chain whose providers share a backend. */
export function openTestChain(options: TestChainOptions): TestChain {
  const { backend, quorum, chainId = 480, hosts = HOSTS } = options;
  const clock = { now: options.now ?? 1_700_000_000_000 };
  const disagreements: Disagreement[] = [];
  const observed: ObservedCall[] = [];
  const waits: number[] = [];
  const now = (): number => clock.now;
  // A turn of the event loop: answers that are under way arrive in it.
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
    await setImmediate();
  };
  const clients = options.providers.map((behaviour, index) =>
    createDirectClient(backend, hosts[index] ?? '', behaviour),
  );
  const providers = clients.map(
    (client, index) =>
      new Provider({
        client,
        index,
        chainId,
        now,
        sleep,
        random: () => 1,
        observe: ({ host }, method, _elapsedMs, failure) => observed.push({ host, method, failure }),
      }),
  );
  const onDisagreement = (disagreement: Disagreement): unknown => disagreements.push(disagreement);
  const chain = new Chain({ chainId, providers, quorum, now, sleep, onDisagreement });
  return { chain, clients, clock, disagreements, observed, waits };
}
