/** Requests of IDKit 4 that a person opens by typing a code, whose id and key follow from the code. */
import { hkdfSync } from 'node:crypto';
import { IDKit, proofOfHuman } from '@worldcoin/idkit-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type IdkitApp, startIdkitApp } from '../support/interop/idkit.ts';
import { parseLink } from '../support/test-wallet.ts';

/** Also the life of a message at the bridge (spec/sign-in.md#bridge-calls). */
const LIFE_SECONDS = 900;
const ID = /^[0-9a-f]{64}$/;
const CODE = /^[0-9A-HJKMNP-TV-Z]{6}$/;

let app: IdkitApp;
beforeAll(async () => {
  app = await startIdkitApp();
});
afterAll(async () => {
  await app?.end();
});

const ask = () =>
  IDKit.requestWithInviteCode({ ...app.config('vote'), action: 'vote', allow_legacy_proofs: true }).preset(
    proofOfHuman({ signal: 'yes' }),
  );

const derive = (code: string, info: string): Buffer => Buffer.from(hkdfSync('sha256', code, '', info, 32));

/** Has the next request to create find its id taken, as by another person with the same code. Returns the ids. */
function takeNextId(): string[] {
  const ids: string[] = [];
  const { fetch: send } = globalThis;
  globalThis.fetch = async (input, init) => {
    if (!(input instanceof Request) || input.method !== 'POST') return await send(input, init);
    const { request_id } = (await input.clone().json()) as { readonly request_id: string };
    ids.push(request_id);
    if (ids.length === 1) {
      const body = JSON.stringify({ iv: 'another', payload: 'request', request_id });
      expect((await send(input.url, { method: 'POST', body })).status).toBe(200);
    }
    return await send(input, init);
  };
  onTestFinished(() => {
    globalThis.fetch = send;
  });
  return ids;
}

describe('a request with an invite code', () => {
  it('passes the bridge to a wallet that knows the code alone', async () => {
    const now = (): number => Math.floor(Date.now() / 1000);
    const before = now();
    const request = await ask();
    expect(request.expiresAt).toBeGreaterThanOrEqual(before + LIFE_SECONDS);
    expect(request.expiresAt).toBeLessThanOrEqual(now() + LIFE_SECONDS);
    const members = new URL(request.connectorURI).searchParams;
    expect(members.get('a')).toBe(app.appId);
    const code = members.get('c') ?? '';
    expect(code).toMatch(CODE);
    const { requestId, key } = parseLink(request.connectorURI);
    expect(requestId).toMatch(ID);
    expect([requestId, key]).toEqual([derive(code, 'dx').toString('hex'), derive(code, 'key')]);
    const result = await app.answer(request);
    expect(await app.verify(result)).toMatchObject({ status: 200, body: { protocol_version: '4.0' } });
  });

  it('is made again under another code when the bridge answers 409', async () => {
    const ids = takeNextId();
    const request = await ask();
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    expect(parseLink(request.connectorURI).requestId).toBe(ids[1]);
    expect((await app.verify(await app.answer(request))).status).toBe(200);
  });
});
