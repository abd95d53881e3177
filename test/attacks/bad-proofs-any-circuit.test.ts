/**
 * A stranger sends full requests of false proofs of any circuit: they slow down the stranger and nobody else
 * (spec/verification.md#isolation-of-sources, spec/engine.md#suspected-sources).
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { casesOf } from '../support/cases.ts';
import { opened } from '../support/opened.ts';
import { openFrom } from '../support/server/attackers.ts';
import { type RawResponse, requestText } from '../support/server/raw-client.ts';
import { startApp } from '../support/server/start-app.ts';
import { memberOf, postProofs, putTrapdoorKeys, trapdoorMember } from '../verification/support/groth16.ts';

const STRANGER = '127.0.0.2';
const CONNECTIONS = 8;
const FALSE_BODY = JSON.stringify({ proofs: Array(256).fill(trapdoorMember(1, true)) });

const app = opened(() => startApp({ settings: { 'engine.workers': '1' } }), 'stop');
beforeAll(async () => {
  const store = await app.openStore();
  await putTrapdoorKeys(store);
  await store.close();
});

/** Sends a full request of false proofs, over a connection of its own. */
async function attack(): Promise<RawResponse> {
  const client = await openFrom(Number(new URL(app.publicUrl).port), STRANGER);
  client.send(
    requestText('POST /api/v1/groth16/inputs-1', [`Content-Length: ${FALSE_BODY.length}`], FALSE_BODY),
  );
  const response = await client.response();
  client.destroy();
  return response;
}

describe('a stranger who sends 256 false proofs in each request', () => {
  it('is answered, and then refused what exceeds its share of the queue, while others are served', async () => {
    const first = await attack();
    expect(first.status).toBe(200);
    const { results } = JSON.parse(first.body.toString()) as { results: { code?: string }[] };
    expect([results.length, new Set(results.map(({ code }) => code))]).toEqual([
      256,
      new Set(['proof.false']),
    ]);

    let isOver = false;
    const statuses: number[] = [];
    const attackers = Array.from({ length: CONNECTIONS }, async () => {
      while (!isOver) statuses.push((await attack()).status);
    });
    // All of them wait at once: without shares they would fill the queue and be admitted before the others.
    const honest: unknown[] = [];
    while (honest.length < casesOf(20, 8) || !statuses.includes(503)) {
      const replies = await Promise.all([
        postProofs(app.publicUrl, 'inputs-1', { proofs: Array(16).fill(trapdoorMember(1)) }),
        postProofs(app.publicUrl, 'semaphore-depth30', memberOf()),
      ]);
      for (const { status, body } of replies) honest.push([status, body]);
    }
    isOver = true;
    await Promise.all(attackers);
    const valid = { valid: true };
    expect(honest.filter((_, index) => index % 2 === 0)).toEqual(
      Array(honest.length / 2).fill([200, { results: Array(16).fill(valid) }]),
    );
    expect(honest.filter((_, index) => index % 2 === 1)).toEqual(Array(honest.length / 2).fill([200, valid]));
    expect([...new Set(statuses)].sort()).toEqual(expect.arrayContaining([503]));
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  });
});
