import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawer } from './support/draw.ts';
import { violation } from './support/framing/compare.ts';
import { openAdapter, openLlhttp, type Peer } from './support/framing/peers.ts';
import { drawStream, type Packets } from './support/framing/request-stream.ts';
import { shortest } from './support/framing/shortest.ts';

const CASES = Number(process.env.PROOFGATE_TEST_FRAMING_CASES ?? 3000);
const SEED = Number(process.env.PROOFGATE_TEST_FRAMING_SEED ?? 20_261_123);
const PAIRS = 8;

interface Pair {
  readonly ours: Peer;
  readonly theirs: Peer;
}

describe('the bytes of a connection, parsed by our adapter and by llhttp', () => {
  let pairs: Pair[] = [];

  beforeAll(async () => {
    pairs = await Promise.all(
      Array.from({ length: PAIRS }, async () => ({ ours: await openAdapter(), theirs: await openLlhttp() })),
    );
  });

  afterAll(() => {
    for (const { ours, theirs } of pairs) {
      ours.close();
      theirs.close();
    }
  });

  let served = 0;

  async function faultOf({ ours, theirs }: Pair, packets: Packets): Promise<string | undefined> {
    const [mine, other] = await Promise.all([ours.take(packets), theirs.take(packets)]);
    served += mine.requests.filter(({ seen }) => seen !== undefined).length;
    return violation(packets, mine, other);
  }

  it(
    `mean the same to both, or are refused by our adapter (${CASES} streams, seed ${SEED})`,
    async () => {
      let next = 0;
      const failures: string[] = [];
      const work = async (pair: Pair): Promise<void> => {
        while (next < CASES && failures.length < 5) {
          const number = next++;
          const packets = drawStream(drawer(SEED + number));
          const fault = await faultOf(pair, packets);
          if (fault === undefined) continue;
          const short = await shortest(packets, async (fewer) => (await faultOf(pair, fewer)) !== undefined);
          failures.push(
            `PROOFGATE_TEST_FRAMING_SEED=${SEED + number} PROOFGATE_TEST_FRAMING_CASES=1: ${fault}\n${JSON.stringify(short)}`,
          );
        }
      };
      await Promise.all(pairs.map(work));
      expect(failures).toEqual([]);
      // An adapter that refuses everything never differs. One case is the rerun of a failing stream.
      if (CASES > 1) expect(served).toBeGreaterThan(CASES / 4);
    },
    60_000 + CASES * 20,
  );
});
