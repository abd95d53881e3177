import { type FakeProvider, startFakeProvider } from '../../../test/support/chain/fake-provider.ts';
import { ScriptedChain, scriptedBackend } from '../../../test/support/chain/scripted-chain.ts';
import { scriptManager, scriptRegistry } from '../../../test/support/chain/scripted-contracts.ts';
import { answerCalls } from '../../support/child.ts';

/** Addresses of the contracts, and how many providers each chain has. */
export interface ChainPlan {
  readonly manager: string;
  readonly registry: string;
  readonly providers: number;
}

/** URLs of the providers of each chain. */
export type ProviderUrls = Readonly<Record<ChainName, readonly string[]>>;

type ChainName = 'ethereum' | 'worldchain';

/** Calls of the process that serves two chains whose blocks come as on the real ones. */
export type ChainProviders = {
  start(argument: ChainPlan): Promise<ProviderUrls>;
  /** Returns how many JSON-RPC calls were answered so far. */
  calls(argument: undefined): Promise<number>;
};

const CHAIN_IDS = { ethereum: 1, worldchain: 480 } as const;
const PAST_SECONDS = 600;
const FIRST_ROOT = 7n;
const BLOCK_SECONDS = { ethereum: 12, worldchain: 2 } as const;

let started: FakeProvider[] = [];

/** Creates a chain that begins in the past and makes a block whenever one is due. */
function startChain(name: ChainName, setUp: (chain: ScriptedChain) => () => void): ScriptedChain {
  const blockSeconds = BLOCK_SECONDS[name];
  const firstTime = Math.floor(Date.now() / 1000) - PAST_SECONDS;
  const chain = new ScriptedChain({ chainId: CHAIN_IDS[name], blockSeconds, firstTime });
  const beforeBlock = setUp(chain);
  const mineDue = (): void => {
    while (chain.nextTime <= Date.now() / 1000) {
      beforeBlock();
      chain.mine();
    }
  };
  mineDue();
  setInterval(mineDue, 250).unref();
  return chain;
}

const handlers: ChainProviders = {
  async start({ manager, registry, providers }) {
    const chains = {
      // Its root changes once an hour, which no run reaches.
      ethereum: startChain('ethereum', (chain) => {
        scriptManager(chain, manager, FIRST_ROOT);
        return () => undefined;
      }),
      // A new root in each block, the most that a source of World ID 4.0 has to read.
      worldchain: startChain('worldchain', (chain) => {
        const roots = scriptRegistry(chain, registry);
        let root = FIRST_ROOT;
        return () => roots.record(++root);
      }),
    };
    const serve = async (chain: ScriptedChain): Promise<string[]> => {
      const backend = scriptedBackend(chain);
      const all = await Promise.all(Array.from({ length: providers }, () => startFakeProvider(backend)));
      started = [...started, ...all];
      return all.map(({ url }) => url);
    };
    return { ethereum: await serve(chains.ethereum), worldchain: await serve(chains.worldchain) };
  },
  async calls() {
    return started.reduce((sum, { calls }) => sum + calls.length, 0);
  },
};

answerCalls(handlers);
