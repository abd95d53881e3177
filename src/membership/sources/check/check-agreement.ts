import type { Provider } from '../../../chain/provider/provider.ts';
import type { Block } from '../../../chain/rpc/answers.ts';
import type { ChainSource } from '../../../config/roots/source-types.ts';
import { shortHex } from '../../../semaphore/hex.ts';
import type { Bytes32 } from '../../../storage/values.ts';
import { latestRootCall, shownRoot } from '../reader/source-facts.ts';
import { type ProbedProvider, rootOrFault } from './check-providers.ts';
import { type CheckLine, factValue, fail, failureVerdict, note, ok, skip, type Verdict } from './report.ts';

/** Answers of all providers to one question. */
export interface Answers<T> {
  /** Answer of most providers; undefined if none answered. */
  readonly value: T | undefined;
  /** Providers that gave it. */
  readonly agreeing: readonly Provider[];
  /** Failures and differing answers. */
  readonly fault: Verdict | undefined;
}

/** Queries all providers; a round needs only a quorum. @param show - Text of an answer, for differing ones. */
export async function queryAll<T>(
  providers: readonly Provider[],
  ask: (provider: Provider) => Promise<T>,
  show: (value: T) => string,
): Promise<Answers<T>> {
  const groups = new Map<string, { readonly value: T; readonly providers: Provider[] }>();
  const failures: (readonly [host: string, Verdict])[] = [];
  const answers = await Promise.all(
    providers.map(async (provider) => {
      try {
        return { provider, value: await ask(provider) };
      } catch (cause) {
        return { provider, failure: failureVerdict(cause) };
      }
    }),
  );
  for (const answer of answers) {
    const { provider } = answer;
    if ('failure' in answer) {
      failures.push([provider.host, answer.failure]);
      continue;
    }
    const key = JSON.stringify(answer.value);
    const group = groups.get(key) ?? { value: answer.value, providers: [] };
    group.providers.push(provider);
    groups.set(key, group);
  }
  const [most, ...others] = [...groups.values()].sort(
    (one, other) => other.providers.length - one.providers.length,
  );
  const texts = failures.map(([host, { detail }]) => `${host}: ${detail}`);
  if (most !== undefined && others.length > 0) {
    const shown = [most, ...others].map(
      (group) => `${group.providers.map(({ host }) => host).join(', ')}: ${show(group.value)}`,
    );
    return answersOf(most, fail([...shown, ...texts].join('; '), 'roots.disagreement'));
  }
  const code = failures[0]?.[1].code;
  return answersOf(most, texts.length === 0 ? undefined : fail(texts.join('; '), code));
}

/** Builds a report line from the answers of the providers: their failures, or the outcome for their common answer. */
export function lineOfAnswers<T>(
  name: string,
  { value, fault }: Answers<T>,
  judge: (value: T) => Verdict,
): CheckLine {
  if (fault !== undefined) return { name, ...fault };
  return { name, ...(value === undefined ? fail('no provider answered') : judge(value)) };
}

function answersOf<T>(
  group: { readonly value: T; readonly providers: readonly Provider[] } | undefined,
  fault: Verdict | undefined,
): Answers<T> {
  return { value: group?.value, agreeing: group?.providers ?? [], fault };
}

/** The values on which the providers of a source agree. */
export interface Agreement {
  readonly lines: readonly CheckLine[];
  /** The common target: the block up to which a round would read; undefined if there is none. */
  readonly target: Block | undefined;
  /** Current root at the target; undefined if there is none. */
  readonly latest: Bytes32 | undefined;
  /** Providers that have the target. */
  readonly providers: readonly Provider[];
}

/** Compares the answers of the providers about the target block of a round. */
export async function checkAgreement(
  source: ChainSource,
  usable: readonly ProbedProvider[],
  quorum: number,
): Promise<Agreement> {
  const quorumLine = checkQuorum(usable, quorum);
  const number = targetNumber(source, usable, quorum);
  if (number === undefined) {
    const lines = [quorumLine, { name: 'block hash', ...skip('the target is not known') }];
    return { lines, target: undefined, latest: undefined, providers: [] };
  }
  const blocks = await queryAll(
    usable.map(({ provider }) => provider),
    (provider) => provider.readBlock(number),
    ({ hash, time }) => `${hash.slice(0, 18)}, time ${time}`,
  );
  const hashLine = lineOfAnswers('block hash', blocks, ({ hash }) =>
    ok(`${hash.slice(0, 18)} at block ${number}, equal at all`),
  );
  const target = blocks.value;
  if (target === undefined) {
    return { lines: [quorumLine, hashLine], target, latest: undefined, providers: [] };
  }
  const roots = await queryAll(
    blocks.agreeing,
    (provider) => provider.callAt(target, latestRootCall(source)),
    (result) => ('words' in result ? shortHex(`0x${result.words[0]}`) : 'none'),
  );
  const root = roots.value === undefined ? undefined : rootOrFault(roots.value, source);
  const rootLine = lineOfAnswers('root at the target', roots, () => {
    if (root === undefined) return note('the contract has none yet');
    return root instanceof Uint8Array ? ok(`${shownRoot(root)} at block ${number}, equal at all`) : root;
  });
  return {
    lines: [quorumLine, hashLine, rootLine],
    target,
    latest: root instanceof Uint8Array ? root : undefined,
    providers: blocks.agreeing,
  };
}

function checkQuorum(usable: readonly ProbedProvider[], quorum: number): CheckLine {
  const hosts = new Set(usable.map(({ provider }) => provider.hostname)).size;
  const detail = `${quorum} must agree, ${hosts} at different hosts can be asked`;
  const verdict = hosts < quorum ? fail(detail, 'roots.quorum_missing') : ok(detail);
  return { name: 'quorum', ...verdict };
}

/** Returns the highest block that a quorum has, less the confirmations, as a round does. */
function targetNumber(
  { confirmations }: ChainSource,
  usable: readonly ProbedProvider[],
  quorum: number,
): number | undefined {
  const highest = new Map<string, number>();
  for (const { provider, facts } of usable) {
    const block = factValue(typeof confirmations === 'number' ? facts.head : facts[confirmations]);
    if (block === undefined) continue;
    highest.set(provider.hostname, Math.max(block.number, highest.get(provider.hostname) ?? 0));
  }
  const numbers = [...highest.values()].sort((one, other) => other - one);
  // If there are fewer providers than the quorum, compares those.
  const number = numbers[Math.min(quorum, numbers.length) - 1];
  const depth = typeof confirmations === 'number' ? confirmations : 0;
  return number === undefined ? undefined : Math.max(number - depth, 0);
}
