/** Probes the capabilities of one provider, for the check of a set-up; writes nothing and ignores pauses. */
import type { Provider } from './provider/provider.ts';
import type { Block, CallResult, ContractCall, EventShape } from './rpc/answers.ts';
import { RpcFailure, type RpcFailureClass } from './rpc/rpc-failure.ts';

/** Input of the probe of a provider. */
export interface ProbeInput {
  /** Lower-case addresses whose code is read. */
  readonly addresses: readonly string[];
  /** A view function to call at the head, by its hash. */
  readonly call: ContractCall;
  readonly events: ReadonlyMap<string, EventShape>;
  /** Largest number of blocks of a request for logs. */
  readonly maxRange: number;
  readonly now: () => number;
}

/** A fact about a provider, or the class of the failure instead. */
export type Probed<T> =
  | { readonly value: T }
  | { readonly failure: RpcFailureClass; readonly message: string };

/** Facts about a provider. */
export interface ProviderFacts {
  readonly chainId: Probed<number>;
  readonly head: Probed<Block>;
  /** Local time minus the time of the head; negative for a head in the future. */
  readonly headAgeSeconds: Probed<number>;
  readonly safe: Probed<Block>;
  readonly finalized: Probed<Block>;
  /** Code by address, hex digits without prefix; empty without a contract. */
  readonly code: ReadonlyMap<string, Probed<string>>;
  /** Result of the view function at the head. */
  readonly result: Probed<CallResult>;
  /** Whether it accepts a block hash in `eth_call` (EIP-1898). */
  readonly takesBlockHashes: Probed<boolean>;
  /** Number of blocks that it accepted in one request for logs. */
  readonly acceptedBlocks: Probed<number>;
}

/** Reads the facts of a provider. */
export async function probeProvider(provider: Provider, input: ProbeInput): Promise<ProviderFacts> {
  const { addresses, call, events, maxRange, now } = input;
  const chainId = await probe(() => provider.readChainId());
  if ('failure' in chainId) return allFailed(chainId, addresses);
  const head = await probe(() => provider.readHead('latest'));
  const [safe, finalized, ...codes] = await Promise.all([
    probe(() => provider.readHead('safe')),
    probe(() => provider.readHead('finalized')),
    ...addresses.map((address) => probe(() => provider.readCode(address))),
  ]);
  const ofHead = <T>(read: (block: Block) => Promise<T> | T): Promise<Probed<T>> =>
    'value' in head ? probe(async () => read(head.value)) : Promise.resolve(head);
  const result = await ofHead((block) => provider.callAt(block, call));
  const code = addresses.map((address, index) => [address, codes[index] as Probed<string>] as const);
  return {
    chainId,
    head,
    headAgeSeconds: await ofHead(({ time }) => Math.floor(now() / 1000) - time),
    safe,
    finalized,
    code: new Map(code),
    result,
    takesBlockHashes: 'value' in result ? { value: provider.takesBlockHashes === true } : result,
    acceptedBlocks: await ofHead(async ({ number: toBlock }) => {
      const fromBlock = Math.max(toBlock - maxRange + 1, 0);
      const { blocks } = await provider.readFirstLogs({ addresses, events, fromBlock, toBlock });
      return blocks;
    }),
  };
}

/**
 * Facts of a provider that does not return its chain id: no further calls are made, so that a hanging provider takes
 * only one timeout.
 */
function allFailed(
  chainId: Extract<Probed<never>, { failure: unknown }>,
  addresses: readonly string[],
): ProviderFacts {
  return {
    chainId,
    head: chainId,
    headAgeSeconds: chainId,
    safe: chainId,
    finalized: chainId,
    result: chainId,
    takesBlockHashes: chainId,
    acceptedBlocks: chainId,
    code: new Map(addresses.map((address) => [address, chainId])),
  };
}

async function probe<T>(read: () => Promise<T>): Promise<Probed<T>> {
  try {
    return { value: await read() };
  } catch (cause) {
    if (!(cause instanceof RpcFailure)) throw cause;
    return { failure: cause.failureClass, message: cause.message };
  }
}
