// Rules: spec/roots.md#misses
import { describe, expect, it } from 'vitest';
import { wordOf } from '../../../../src/semaphore/words.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';
import { useTempStore } from '../../../verification/support/temp-store.ts';
import { History, testSource } from '../support/history.ts';

/** `isValidRoot` and `rootHistory`. */
const QUESTIONS = ['0x2cdabbce', '0xf1c621ee'];
/** More roots are not asked for one by one. */
const MOST_ASKED = 8;

const temp = useTempStore();

/** A history that has been read, with a newest root that is not confirmed yet. */
async function open(kind: 'identity-manager' | 'bridged' | 'registry4', confirmations = 2): Promise<History> {
  const history = new History(temp.store, testSource({ kind, confirmations }));
  await history.node().open();
  await temp.store.rootSources.reset(history.source.id);
  history.contract.change(10n);
  await history.settle();
  history.contract.change(11n);
  history.chain.mine();
  for (const { calls } of history.clients) calls.length = 0;
  return history;
}

/** Roots that the contract was asked about, each once, and whether a round followed. */
function asked({ clients }: History): { readonly roots: readonly string[]; readonly isRound: boolean } {
  const calls = clients.flatMap((client) => client.calls);
  const data = calls.map(({ params }) => String((params[0] as { data?: string } | undefined)?.data));
  const roots = data
    .filter((text) => QUESTIONS.includes(text.slice(0, 10)))
    .map((text) => `0x${text.slice(10)}`);
  const isRound = calls.some(
    ({ method }, index) => method === 'eth_call' && !QUESTIONS.includes(data[index]?.slice(0, 10) ?? ''),
  );
  return { roots: [...new Set(roots)], isRound };
}

async function hasRoot(history: History, root: bigint): Promise<boolean> {
  return (await history.found()).some((life) => life.root === hexWords(root));
}

describe('an unscheduled round', () => {
  it('of World ID 4.0 finds a root of the newest block, without confirmations', async () => {
    const history = await open('registry4');
    const reader = history.reader();
    await reader.round();
    expect(await hasRoot(history, 11n)).toBe(false);
    expect(await reader.unscheduledRound([wordOf(11n)])).toBe('advanced');
    expect(await hasRoot(history, 11n)).toBe(true);
  });

  it('of a bridge waits for its confirmations', async () => {
    const history = await open('bridged');
    const reader = history.reader();
    expect(await reader.unscheduledRound([wordOf(11n)])).toBe('same');
    expect(asked(history)).toEqual({ roots: [hexWords(11n)], isRound: false });
    history.chain.mineMany(2);
    expect(await reader.unscheduledRound([wordOf(11n)])).toBe('advanced');
    expect(await hasRoot(history, 11n)).toBe(true);
  });

  it.each(['registry4', 'bridged'] as const)(
    'of a contract of the kind %s ends if it knows none of the roots',
    async (kind) => {
      const history = await open(kind, 0);
      expect(await history.reader().unscheduledRound([wordOf(77n), wordOf(78n)])).toBe('same');
      expect(asked(history)).toEqual({ roots: [hexWords(77n), hexWords(78n)], isRound: false });
      expect(await history.reader().unscheduledRound([wordOf(77n), wordOf(11n)])).toBe('advanced');
      expect(await hasRoot(history, 11n)).toBe(true);
    },
  );

  it('of many roots is a round, which costs less than asking for each', async () => {
    const history = await open('registry4', 0);
    const roots = Array.from({ length: MOST_ASKED + 1 }, (_, index) => wordOf(BigInt(100 + index)));
    expect(await history.reader().unscheduledRound(roots)).toBe('advanced');
    expect(asked(history)).toEqual({ roots: [], isRound: true });
  });

  it('of an identity manager, which cannot be asked for a root at once, is a round', async () => {
    const history = await open('identity-manager', 0);
    expect(await history.reader().unscheduledRound([wordOf(77n)])).toBe('advanced');
    expect(asked(history)).toEqual({ roots: [], isRound: true });
  });
});
