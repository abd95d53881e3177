import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agree, type Disagreement, NoQuorum } from '../../src/chain/agree.ts';
import { Provider } from '../../src/chain/provider/provider.ts';
import { RpcFailure } from '../../src/chain/rpc/rpc-failure.ts';
import { casesOf } from '../support/cases.ts';

/** A provider with a host, and the answer that it gives; undefined to fail. */
interface Witness {
  readonly host: number;
  readonly answer: string | undefined;
}

function providerOf(hostname: string, index: number): Provider {
  const client = { host: `${hostname}:${index}`, hostname, call: async () => null };
  const sleep = async (): Promise<void> => undefined;
  const observe = (): void => undefined;
  return new Provider({ client, index, chainId: 1, now: () => 0, random: () => 1, sleep, observe });
}

function question(witnesses: readonly Witness[], quorum: number) {
  const providers = witnesses.map(({ host }, index) => providerOf(`host-${host}`, index));
  const asked: number[] = [];
  const disagreements: Disagreement[] = [];
  const answer = agree({
    method: 'eth_call',
    block: 7,
    providers,
    quorum,
    async ask({ index }) {
      asked.push(index);
      const value = witnesses[index]?.answer;
      if (value === undefined) throw new RpcFailure('unreachable', 'gone');
      return value;
    },
    onDisagreement: (disagreement) => disagreements.push(disagreement),
  });
  return { answer, asked, providers, disagreements };
}

const witnesses = (...answers: (string | undefined)[]): Witness[] =>
  answers.map((answer, host) => ({ host, answer }));

describe('a fact', () => {
  it('holds when a quorum gave the same answer; no further provider is asked', async () => {
    const { answer, asked, disagreements } = question(witnesses('a', 'a', 'b'), 2);
    expect(await answer).toBe('a');
    expect(asked).toEqual([0, 1]);
    expect(disagreements).toEqual([]);
  });

  it('is asked of a further provider when one fails or differs', async () => {
    const failed = question(witnesses(undefined, 'a', 'a', 'a'), 2);
    expect(await failed.answer).toBe('a');
    expect(failed.asked).toEqual([0, 1, 2]);
    const differed = question(witnesses('b', 'a', 'a', 'a'), 2);
    expect(await differed.answer).toBe('a');
    expect(differed.asked).toEqual([0, 1, 2]);
  });

  it('that a quorum gave puts those who differ into quarantine, and is reported with both digests', async () => {
    const { answer, providers, disagreements } = question(witnesses('b', 'a', 'a'), 2);
    await answer;
    expect(providers.map(({ suspension }) => suspension?.reason)).toEqual([
      'disagreement',
      undefined,
      undefined,
    ]);
    const [{ method, block, hosts } = { hosts: new Map<string, string[]>() }] = disagreements;
    expect([method, block]).toEqual(['eth_call', 7]);
    expect([...hosts.values()]).toEqual([['host-0:0'], ['host-1:1', 'host-2:2']]);
    for (const digest of hosts.keys()) expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('without a quorum is a disagreement, and nobody is put into quarantine', async () => {
    const { answer, providers, disagreements } = question(witnesses('a', 'b'), 2);
    await expect(answer).rejects.toMatchObject({ name: 'NoQuorum', reason: 'disagreement' });
    expect(providers.map(({ suspension }) => suspension)).toEqual([undefined, undefined]);
    expect(disagreements).toHaveLength(1);
  });

  it('that too few can tell is missing, with the last failure', async () => {
    const { answer } = question(witnesses('a', undefined, undefined), 2);
    const error: unknown = await answer.catch((cause: unknown) => cause);
    expect(error).toMatchObject({ reason: 'quorum_missing', failure: { failureClass: 'unreachable' } });
    expect(String(error)).toContain('eth_call: 1 of 2 providers answered (unreachable: gone)');
  });

  it('counts one host once, which is not asked twice', async () => {
    const both = [
      { host: 1, answer: 'a' },
      { host: 1, answer: 'a' },
    ];
    const alone = question(both, 2);
    await expect(alone.answer).rejects.toThrow(NoQuorum);
    expect(alone.asked).toEqual([0]);
    const { answer, asked } = question([...both, { host: 2, answer: 'a' }], 2);
    expect(await answer).toBe('a');
    expect(asked).toEqual([0, 2]);
  });

  it('is asked of the other URL of a host whose first failed', async () => {
    const urls = [
      { host: 1, answer: undefined },
      { host: 1, answer: 'a' },
    ];
    expect(await question(urls, 1).answer).toBe('a');
  });

  it('passes on what is no failure of a provider', async () => {
    const [provider] = question(witnesses('a'), 1).providers;
    const stopped = new Error('the service stops');
    const answer = agree({
      method: 'eth_call',
      block: 7,
      providers: [provider as Provider],
      quorum: 1,
      ask: () => Promise.reject(stopped),
      onDisagreement: () => undefined,
    });
    await expect(answer).rejects.toBe(stopped);
  });

  it('holds if and only if a quorum of hosts tells it, for any answers', async () => {
    const answers = fc.array(fc.constantFrom('a', 'b', 'c', undefined), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(answers, fc.integer({ min: 1, max: 4 }), async (given, quorum) => {
        const supported = ['a', 'b', 'c'].filter(
          (value) => given.filter((answer) => answer === value).length >= quorum,
        );
        const { answer, providers } = question(witnesses(...given), quorum);
        const found = await answer.catch((cause: NoQuorum) => cause.reason);
        if (supported.length === 0) expect(['quorum_missing', 'disagreement']).toContain(found);
        else expect(supported).toContain(found);
        for (const { index, suspension } of providers) {
          if (suspension !== undefined) expect(given[index]).not.toBe(found);
        }
      }),
      { numRuns: casesOf(1000, 100) },
    );
  });
});
