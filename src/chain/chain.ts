import { createHash } from 'node:crypto';
import type { BlockId, BlockTag, CallResult, ContractCall, Provider } from './provider.ts';
import type { Block, Log, LogQuery } from './rpc/answers.ts';
import { RpcFailure } from './rpc/rpc-failure.ts';

/** How far behind the head facts are read: a number of blocks, or a tag of the provider. */
export type Confirmations = number | 'safe' | 'finalized';

/** Providers contradicted each other about a fact. */
export interface Disagreement {
  readonly method: string;
  /** Block that the fact is about. */
  readonly block: number;
  /** Providers by the digest (SHA-256, hex) of their answers. */
  readonly hosts: ReadonlyMap<string, readonly string[]>;
}

/** Why a fact could not be established. */
export type NoQuorumReason = 'quorum_missing' | 'disagreement';

/** A fact that too few providers confirmed. */
export class NoQuorum extends Error {
  override readonly name = 'NoQuorum';
  readonly reason: NoQuorumReason;
  /** Last failure of a provider, if one failed. */
  readonly failure: RpcFailure | undefined;

  constructor(reason: NoQuorumReason, message: string, failure?: RpcFailure) {
    super(message);
    this.reason = reason;
    this.failure = failure;
  }
}

/** Options of a chain. */
export interface ChainOptions {
  readonly chainId: number;
  readonly providers: readonly Provider[];
  /** Number of distinct hosts that must give the same answer. */
  readonly quorum: number;
  readonly onDisagreement: (disagreement: Disagreement) => void;
}

/** Facts of a chain that a quorum of providers confirms. */
export class Chain {
  readonly chainId: number;
  readonly providers: readonly Provider[];
  readonly quorum: number;
  readonly #onDisagreement: (disagreement: Disagreement) => void;

  constructor({ chainId, providers, quorum, onDisagreement }: ChainOptions) {
    this.chainId = chainId;
    this.providers = providers;
    this.quorum = quorum;
    this.#onDisagreement = onDisagreement;
  }

  /**
   * Returns the highest block that a quorum has and that is confirmed: one slow provider does not stop the chain, and a fast
   * one does not lead it.
   *
   * @throws NoQuorum
   */
  async target(confirmations: Confirmations): Promise<Block> {
    const tag: BlockTag = typeof confirmations === 'number' ? 'latest' : confirmations;
    const depth = typeof confirmations === 'number' ? confirmations : 0;
    const heads = new Map<string, number>();
    let failure: RpcFailure | undefined;
    await Promise.all(
      this.#usable().map(async (provider) => {
        try {
          const { number } = await provider.readHead(tag);
          heads.set(provider.host, Math.max(number, heads.get(provider.host) ?? 0));
        } catch (cause) {
          failure = failureOf(cause);
        }
      }),
    );
    const numbers = [...heads.values()].sort((one, other) => other - one);
    const highest = numbers[this.quorum - 1];
    if (highest === undefined) throw this.#missing(numbers.length, failure);
    return this.block(Math.max(highest - depth, 0));
  }

  /** Returns a block by its number. @throws NoQuorum */
  block(number: number): Promise<Block> {
    return this.#agree('eth_getBlockByNumber', number, (provider) => provider.readBlock(number));
  }

  /** Returns the logs of a range. @throws NoQuorum */
  logs(query: LogQuery): Promise<Log[]> {
    return this.#agree('eth_getLogs', query.toBlock, (provider) => provider.readLogs(query));
  }

  /** Calls a view function at a block. @throws NoQuorum */
  callAt(block: BlockId, call: ContractCall): Promise<CallResult> {
    return this.#agree('eth_call', block.number, (provider) => provider.callAt(block, call));
  }

  /** Providers that may be asked, the healthiest first. */
  #usable(): Provider[] {
    return this.providers
      .filter((provider) => provider.suspension === undefined)
      .sort((one, other) => one.failures - other.failures || one.index - other.index);
  }

  /** Asks as many providers as needed until a quorum gives the same answer. */
  async #agree<T>(method: string, block: number, ask: (provider: Provider) => Promise<T>): Promise<T> {
    // One that has not seen the block yet cannot know the fact.
    const waiting = this.#usable().filter(({ head }) => head === undefined || head.number >= block);
    const answers = new Map<string, { readonly value: T; readonly providers: Provider[] }>();
    let failure: RpcFailure | undefined;
    const askNext = async (provider: Provider): Promise<void> => {
      try {
        const value = await ask(provider);
        const digest = digestOf(value);
        const answer = answers.get(digest) ?? { value, providers: [] };
        answer.providers.push(provider);
        answers.set(digest, answer);
      } catch (cause) {
        failure = failureOf(cause);
      }
    };
    for (;;) {
      const agreed = [...answers.values()].find(({ providers }) => hostsOf(providers).size >= this.quorum);
      if (agreed !== undefined) {
        if (answers.size > 1) this.#settle(method, block, answers, agreed.providers);
        return agreed.value;
      }
      const most = Math.max(0, ...[...answers.values()].map(({ providers }) => hostsOf(providers).size));
      const next = waiting.splice(0, this.quorum - most);
      if (next.length === 0) break;
      await Promise.all(next.map(askNext));
    }
    if (answers.size > 1) {
      this.#report(method, block, answers);
      throw new NoQuorum(
        'disagreement',
        `${method} at block ${block}: providers contradict each other`,
        failure,
      );
    }
    const [answer] = answers.values();
    throw this.#missing(hostsOf(answer?.providers ?? []).size, failure);
  }

  #settle(
    method: string,
    block: number,
    answers: ReadonlyMap<string, { readonly providers: readonly Provider[] }>,
    majority: readonly Provider[],
  ): void {
    this.#report(method, block, answers);
    for (const { providers } of answers.values()) {
      if (providers === majority) continue;
      for (const provider of providers) provider.quarantine();
    }
  }

  #report(
    method: string,
    block: number,
    answers: ReadonlyMap<string, { readonly providers: readonly Provider[] }>,
  ): void {
    const hosts = [...answers].map(
      ([digest, { providers }]) => [digest, providers.map(({ host }) => host)] as const,
    );
    this.#onDisagreement({ method, block, hosts: new Map(hosts) });
  }

  #missing(found: number, failure: RpcFailure | undefined): NoQuorum {
    const reason = failure === undefined ? '' : ` (${failure.failureClass}: ${failure.message})`;
    return new NoQuorum('quorum_missing', `${found} of ${this.quorum} providers answered${reason}`, failure);
  }
}

/** Answers have one form, so that equal ones have equal JSON. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function hostsOf(providers: readonly Provider[]): Set<string> {
  return new Set(providers.map(({ host }) => host));
}

function failureOf(cause: unknown): RpcFailure {
  if (cause instanceof RpcFailure) return cause;
  throw cause;
}
