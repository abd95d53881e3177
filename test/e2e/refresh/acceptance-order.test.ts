import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/semaphore/hex.ts';
import { opened } from '../../support/opened.ts';
import { CHECK_PAIRS, CHECK_ROWS, type CheckRow } from '../../support/refresh/check-rows.ts';
import { startCheckWorld } from '../../support/refresh/check-world.ts';
import { ownHeaders, portOf, sendDraft } from '../../support/refresh/draft.ts';
import { refuse } from '../../support/refresh/refusal.ts';

const world = opened(startCheckWorld, 'end');

const JUDGED = CHECK_ROWS.findIndex(({ check }) => check === 9);

/** Sends a request that fails these checks, and expects the refusal of the first. */
async function expectFirst(rows: readonly CheckRow[]): Promise<void> {
  const [first] = rows as readonly [CheckRow];
  await refuse(world, await world.prepare(rows), {
    ...first,
    isJudged: CHECK_ROWS.indexOf(first) >= JUDGED,
  });
}

describe('checks of a refresh, one by one', () => {
  it('pass for a complete request', async () => {
    const check = await world.prepare([], 'complete');
    const answer = await check.send();
    expect(JSON.parse(answer.body.toString())).toEqual({
      success: true,
      credential: expect.any(String),
      message: 'Credential refreshed successfully',
    });
    expect(ownHeaders(answer)).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    const holder = toHex(check.holder.idComm).slice(2);
    const { bindings, credentials } = world.state.read();
    expect(bindings.filter((row) => row.includes(holder))).toHaveLength(1);
    expect(credentials.filter((row) => row.includes(holder))).toHaveLength(1);
  });

  it.each(CHECK_ROWS)('$row: $status $code', async (row) => {
    await expectFirst([row]);
  });

  it.each(CHECK_ROWS.filter(({ change }) => change !== undefined))(
    '$row: issues to the refused holder once the request is corrected',
    async (row) => {
      const check = await world.prepare([row], row.row);
      await check.send();
      const whole = await world.nodes.open.client.call(check.holder);
      const answer = await sendDraft(portOf(world.nodes.open.app.publicUrl), whole);
      expect(answer.status).toBe(200);
    },
  );
});

describe('the earlier check of a refresh decides the answer', () => {
  it.each(CHECK_PAIRS.map((pair) => ({ ...pair, rows: `${pair.first.row} and ${pair.second.row}` })))(
    'when $rows fail',
    async ({ first, second }) => {
      await expectFirst([first, second]);
    },
  );

  it('when all of them fail', async () => {
    for (const index of CHECK_ROWS.keys()) await expectFirst(CHECK_ROWS.slice(index));
  });
});
