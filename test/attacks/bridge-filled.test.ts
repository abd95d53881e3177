import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../support/opened.ts';
import { startSigninService } from '../support/signin/service.ts';
import { approve, openRequest, proveRequest } from '../support/test-wallet.ts';
import { otherAddresses, sendFrom } from './support/from-address.ts';

/** The largest message that fits in a body of 64 KiB. */
const LARGE = { iv: 'aXY=', payload: 'A'.repeat(65_400) };
const SMALL = { iv: 'aXY=', payload: 'c21hbGw=' };
/** 12 addresses, each of which may fill a tenth of the bridge. */
const ATTACKERS = otherAddresses(12);
const SETTINGS = {
  'bridge.maxBytes': '5242880',
  'bridge.maxBytesPerAddress': '524288',
  'bridge.maxEntries': '500',
  'bridge.maxEntriesPerAddress': '50',
};
const MAX_CALLS = 200;

describe('a wallet bridge that many addresses fill', () => {
  let base: string;
  let before: { connectUrl: string; settle: () => Promise<{ status: string }> };

  /** Sends large messages from an address until the bridge refuses one, and returns the refusal. */
  const fill = async (address: string): ReturnType<typeof sendFrom> => {
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const path = calls % 2 === 0 ? '/request' : '/response';
      const answer = await sendFrom(address, 'POST', `${base}${path}`, LARGE);
      if (answer.status >= 400) return answer;
    }
    throw new Error(`${address} was never refused`);
  };

  const service = opened(() => startSigninService({ settings: SETTINGS }), 'end');
  beforeAll(async () => {
    base = `${service.baseUrl}/bridge`;
    before = await service.begin();
  });

  it('refuses each address with 429 once its share is used, or with 503 once the bridge is full', async () => {
    const refusals = await Promise.all(ATTACKERS.map(fill));
    for (const { status, retryAfterSeconds, text } of refusals) {
      expect([429, 503]).toContain(status);
      expect(retryAfterSeconds).toBeGreaterThan(0);
      expect(JSON.parse(text)).toMatchObject({ error: 'temporarily_unavailable' });
    }
    const owners = refusals.filter(({ status }) => status === 429);
    expect(owners.length).toBeGreaterThan(0);
    for (const { text } of owners) expect(JSON.parse(text)).toMatchObject({ code: 'rate_limit' });
    const { bridge_messages: entries = 0 } = await service.store.rowCounts();
    expect(entries).toBeGreaterThan(60);
  });

  it('completes a sign-in that began before the attack', async () => {
    await approve(before.connectUrl);
    expect(await before.settle()).toMatchObject({ status: 'completed' });
  });

  it('completes a sign-in from another address while the attack continues', async () => {
    let isOver = false;
    const attack = Promise.all(
      ATTACKERS.map(async (address) => {
        for (let calls = 0; calls < MAX_CALLS && !isOver; calls++) {
          await sendFrom(address, 'POST', `${base}/request`, LARGE);
        }
      }),
    );
    const signIn = await service.begin();
    const request = await openRequest(signIn.connectUrl);
    expect(await request.answer(await proveRequest(request.plaintext))).toBe(201);
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    expect((await signIn.finish()).parameters.code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    isOver = true;
    await attack;
  });

  it('counts oversized answers to their own sign-ins against the share of the attackers only', async () => {
    const [attacker = ''] = otherAddresses(20).slice(-1);
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) {
      const { link } = await openRequest((await service.begin()).connectUrl);
      const answer = await sendFrom(attacker, 'PUT', `${base}/response/${link.requestId}`, LARGE);
      statuses.push(answer.status);
    }
    const taken = statuses.filter((status) => status === 201).length;
    expect(taken).toBeLessThanOrEqual(524_288 / 65_400);
    expect(statuses.slice(taken).every((status) => status === 429 || status === 503)).toBe(true);
    const { connectUrl, settle } = await service.begin();
    await approve(connectUrl);
    expect(await settle()).toMatchObject({ status: 'completed' });
  });

  it('delivers small messages of other addresses and their answers', async () => {
    for (const honest of ['127.0.9.1', '127.0.9.2', '127.0.9.3']) {
      const posted = await sendFrom(honest, 'POST', `${base}/request`, SMALL);
      expect(posted.status).toBe(200);
      const { request_id: id } = JSON.parse(posted.text) as { request_id: string };
      await Promise.all(ATTACKERS.map((address) => sendFrom(address, 'POST', `${base}/request`, LARGE)));
      const taken = await sendFrom('127.0.9.9', 'GET', `${base}/request/${id}`);
      expect(JSON.parse(taken.text)).toEqual(SMALL);
      await Promise.all(ATTACKERS.map((address) => sendFrom(address, 'POST', `${base}/response`, LARGE)));
      expect((await sendFrom('127.0.9.9', 'PUT', `${base}/response/${id}`, SMALL)).status).toBe(201);
      const answered = await sendFrom(honest, 'GET', `${base}/response/${id}`);
      expect(JSON.parse(answered.text)).toEqual({ status: 'completed', response: SMALL });
    }
  });
});
