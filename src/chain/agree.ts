import { createHash } from 'node:crypto';
import type { Provider } from './provider/provider.ts';
import { RpcFailure } from './rpc/rpc-failure.ts';

/** Reason why a fact could not be established; `range_too_small` if providers refuse the logs of a single block. */
export type NoQuorumReason = 'quorum_missing' | 'disagreement' | 'range_too_small';

/** Error for a fact that too few providers confirmed. */
export class NoQuorum extends Error {
  override readonly name = 'NoQuorum';
  readonly reason: NoQuorumReason;
  /** Last failure of a provider, if one failed or is paused because of it. */
  readonly failure: RpcFailure | undefined;

  constructor(reason: NoQuorumReason, message: string, failure?: RpcFailure) {
    super(message);
    this.reason = reason;
    this.failure = failure;
  }
}

/** Providers contradicted each other about a fact. */
export interface Disagreement {
  readonly method: string;
  /** Block of the fact. */
  readonly block: number;
  /** Hosts by the digest (SHA-256, hex) of their answers. */
  readonly hosts: ReadonlyMap<string, readonly string[]>;
}

/** A fact to establish. */
export interface Question<T> {
  readonly method: string;
  /** Block of the fact. */
  readonly block: number;
  /** Providers to query, in order of preference. */
  readonly providers: readonly Provider[];
  /** Number of hosts that must give the same answer. */
  readonly quorum: number;
  ask(provider: Provider): Promise<T>;
  onDisagreement(disagreement: Disagreement): void;
}

/** Providers with identical answers. */
interface Group<T> {
  readonly digest: string;
  readonly value: T;
  readonly providers: Provider[];
}

/**
 * Queries as many providers as needed until a quorum of hosts gives the same answer: spec/roots.md#quorum. Providers
 * with a different answer are quarantined.
 *
 * @throws NoQuorum
 */
export async function agree<T>(question: Question<T>): Promise<T> {
  const { method, block, quorum } = question;
  const waiting = [...question.providers];
  const groups = new Map<string, Group<T>>();
  const failures: RpcFailure[] = [];
  const queryOne = async (provider: Provider): Promise<void> => {
    try {
      const value = await question.ask(provider);
      const digest = digestOf(value);
      const group = groups.get(digest) ?? { digest, value, providers: [] };
      group.providers.push(provider);
      groups.set(digest, group);
    } catch (cause) {
      failures.push(await failureOf(provider, cause));
    }
  };
  for (;;) {
    const agreed = [...groups.values()].find(({ providers }) => providers.length >= quorum);
    if (agreed !== undefined) {
      const differing = [...groups.values()].filter((group) => group !== agreed);
      if (differing.length > 0) report(question, groups);
      for (const provider of differing.flatMap(({ providers }) => providers)) provider.quarantine();
      return agreed.value;
    }
    const most = Math.max(0, ...[...groups.values()].map(({ providers }) => providers.length));
    const answered = [...groups.values()].flatMap(({ providers }) => providers.map(hostnameOf));
    const next = takeHosts(waiting, quorum - most, answered);
    if (next.length === 0) break;
    await Promise.all(next.map(queryOne));
  }
  if (groups.size > 1) {
    report(question, groups);
    throw new NoQuorum('disagreement', `${method} at block ${block}: providers contradict each other`);
  }
  const [group] = groups.values();
  throw missingQuorum(question, group?.providers.length ?? 0, failures);
}

/** Returns the error for a fact that too few providers confirmed. */
export function missingQuorum(
  { method, quorum }: Pick<Question<unknown>, 'method' | 'quorum'>,
  found: number,
  failures: readonly RpcFailure[],
): NoQuorum {
  const failure = failures.at(-1);
  const isTooSmall = failures.length > 0 && failures.every(({ details }) => details.isSingleBlock);
  const reason = failure === undefined ? '' : ` (${failure.failureClass}: ${failure.message})`;
  return new NoQuorum(
    isTooSmall ? 'range_too_small' : 'quorum_missing',
    `${method}: ${found} of ${quorum} providers answered${reason}`,
    failure,
  );
}

/** Takes providers of different hosts from the waiting ones; hosts that have answered are not queried again. */
function takeHosts(waiting: Provider[], count: number, answered: readonly string[]): Provider[] {
  const hostnames = new Set(answered);
  const taken: Provider[] = [];
  for (let index = 0; index < waiting.length && taken.length < count; ) {
    const provider = waiting[index];
    if (provider === undefined || hostnames.has(provider.hostname)) {
      index++;
      continue;
    }
    hostnames.add(provider.hostname);
    taken.push(...waiting.splice(index, 1));
  }
  return taken;
}

/** Returns the failure of a call. If the provider lacks a block, reads its head to determine whether it lags. */
async function failureOf(provider: Provider, cause: unknown): Promise<RpcFailure> {
  if (!(cause instanceof RpcFailure)) throw cause;
  if (cause.failureClass === 'not_there') {
    try {
      await provider.readHead('latest');
    } catch (failure) {
      if (!(failure instanceof RpcFailure)) throw failure;
    }
  }
  return cause;
}

function report<T>(
  { method, block, onDisagreement }: Question<T>,
  groups: ReadonlyMap<string, Group<T>>,
): void {
  const hosts = [...groups.values()].map(
    ({ digest, providers }) => [digest, providers.map(({ host }) => host)] as const,
  );
  onDisagreement({ method, block, hosts: new Map(hosts) });
}

/** Answers have a canonical form, so that equal ones have equal JSON. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function hostnameOf({ hostname }: Provider): string {
  return hostname;
}
