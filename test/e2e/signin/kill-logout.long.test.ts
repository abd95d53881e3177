import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KillableSignin, startKillableSignin } from '../../support/signin/killable-signin.ts';
import { claimsOf, signInToStay, silently } from '../../support/signin/stay.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { pollUntil } from '../../support/until.ts';
import { type Receiver, startReceiver } from '../../webhooks/support/receiver.ts';

const ROUNDS = 3;
/** The lease of an attempt that a kill cut off is 40 s of each round. */
const TIMEOUT_MS = 180_000 + ROUNDS * 40_000;

describe('the service killed with SIGKILL right after the answer', () => {
  const dataDir = temporaryFolder('logout-kill', afterAll);
  let service: KillableSignin;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startKillableSignin(dataDir, { PROOFGATE_SIGNIN_SESSION_SECONDS: '3600' });
  });

  afterAll(async () => {
    const code = await service?.stop();
    await receiver?.close();
    expect(code).toBe(0);
  });

  it('of a sign-in still has its session', async () => {
    const { cookie } = await signInToStay(service.baseUrl, service.client);
    await service.kill();
    await service.start();
    expect(await silently(service.baseUrl, service.client, cookie)).toBe('signed in');
  });

  it(`of a sign-out has no session any more, and tells the app, over ${ROUNDS} kills`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const client = await service.addClient({ backchannelLogoutUri: receiver.url });
    const told = (): unknown[] =>
      receiver.received.map(({ body }) => {
        const token = new URLSearchParams(body).get('logout_token') ?? '';
        return claimsOf(token).sid;
      });
    for (let round = 0; round < ROUNDS; round++) {
      const { cookie, idToken, sid } = await signInToStay(service.baseUrl, client);
      const query = new URLSearchParams({ id_token_hint: idToken });
      const { status } = await fetch(`${service.baseUrl}/logout?${query}`);
      await service.kill();
      await service.start();
      expect(status).toBe(200);
      expect(await silently(service.baseUrl, client, cookie)).toBe('login_required');
      // An attempt that the kill cut off is made again when its lease has ended.
      await pollUntil(() => told().includes(sid));
    }
  });
});
