import type { Provider } from '../../../chain/index.ts';
import { type CheckLine, fail, failureVerdict, type Verdict } from './report.ts';

/** Answers of all providers to one question. */
export interface Answers<T> {
  /** Answer of most providers; undefined if none answered. */
  readonly value: T | undefined;
  /** Providers that gave it. */
  readonly agreeing: readonly Provider[];
  /** Failures and differing answers. */
  readonly fault: Verdict | undefined;
}

/** Asks all providers, unlike a round, which is content with a quorum. @param show - Text of an answer, for differing ones. */
export async function askAll<T>(
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

/** Makes a line of what the providers answered: their faults, or the outcome for their common answer. */
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
