/** A chain with three providers, which sources of the service of a dashboard read; a test makes the providers fail. */
import { type FakeProvider, startFakeProvider } from '../../support/chain/fake-provider.ts';
import { ScriptedChain, scriptedBackend } from '../../support/chain/scripted-chain.ts';
import { scriptManager } from '../../support/chain/scripted-contracts.ts';

/** Names of the loopback interface: providers of one host are one. */
const HOSTS = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'];
const CONTRACT = `0x${'c0'.repeat(20)}`;
const NO_CONTRACT = `0x${'c1'.repeat(20)}`;
const BLOCK_SECONDS = 2;
const BLOCKS = 100;

/** The chain, its providers, and the settings of a service that reads it. */
export interface SourceChain {
  readonly providers: readonly FakeProvider[];
  /** Sources `orb`, whose contract has a root, and `face`, whose address has no contract. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts the providers. The chain grows up to the present whenever it is asked. */
export async function startSourceChain(): Promise<SourceChain> {
  const seconds = (): number => Math.floor(Date.now() / 1000);
  const chain = new ScriptedChain({
    chainId: 480,
    blockSeconds: BLOCK_SECONDS,
    firstTime: seconds() - BLOCKS * BLOCK_SECONDS,
  });
  const manager = scriptManager(chain, CONTRACT, 100n);
  for (let root = 101n; root < 106n; root++) {
    chain.mineMany(3);
    manager.change(root);
  }
  const backend = scriptedBackend(chain);
  const growing: typeof backend = (method, params) => {
    while (chain.nextTime <= seconds()) chain.mine();
    return backend(method, params);
  };
  const providers = await Promise.all(HOSTS.map(() => startFakeProvider(growing)));
  const source = {
    kind: 'identity-manager',
    environment: 'staging',
    rpc: 'custom',
    chainId: 480,
    confirmations: 0,
    startBlock: 1,
    pollSeconds: 1,
  };
  return {
    providers,
    settings: {
      'roots.rpc.custom': providers
        .map(({ url }, index) => url.replace('127.0.0.1', HOSTS[index] ?? ''))
        .join(','),
      'roots.sources': JSON.stringify([
        { ...source, id: 'orb', tree: 'orb', contract: CONTRACT },
        { ...source, id: 'face', tree: 'face', contract: NO_CONTRACT },
      ]),
    },
    close: async () => void (await Promise.all(providers.map((provider) => provider.close()))),
  };
}
