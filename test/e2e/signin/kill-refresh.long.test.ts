// Rules: spec/sign-in.md#refresh-tokens
import { afterAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { type KillableSignin, startKillableSignin } from '../../support/signin/killable-signin.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { approve } from '../../support/test-wallet.ts';

/** `KILLS=50` makes the run longer. */
const KILLS = Number(process.env.KILLS ?? 2);
const dataDir = temporaryFolder('refresh-kill', afterAll);

describe('a process that is killed with SIGKILL right after an answer of /token', () => {
  const service = opened(() => startKillableSignin(dataDir), 'kill');
  const client = opened(() => service.addClient({ refreshTokens: true }));

  /** Signs in with offline_access; returns the refresh token. */
  async function begin(): Promise<string> {
    const { clientId: client_id, redirectUri: redirect_uri } = client;
    const scope = 'openid offline_access';
    const signIn = await service.begin({ client_id, redirect_uri, scope });
    await signIn.agree(['offline']);
    await approve(signIn.connectUrl);
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    const { code = '' } = (await signIn.finish()).parameters;
    const { status, body } = await service.token(client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
    });
    expect([status, body.scope]).toEqual([200, scope]);
    return body.refresh_token ?? '';
  }
  const refresh = (token: string): ReturnType<KillableSignin['token']> =>
    service.token(client, { grant_type: 'refresh_token', refresh_token: token });
  const restart = async (): Promise<void> => {
    await service.kill();
    await service.start();
  };

  it(
    `has the new token in force, and none of two, over ${KILLS} kills`,
    async () => {
      for (let round = 0; round < KILLS; round++) {
        let old = await begin();
        if (round % 2 === 1) {
          await restart();
          old = (await refresh(old)).body.refresh_token ?? '';
        }
        const answered = await refresh(old);
        await restart();
        expect(answered.status).toBe(200);
        const next = await refresh(answered.body.refresh_token ?? '');
        expect(next.status).toBe(200);
        // The one before it is known to have been used, and ends the family, durably too.
        expect((await refresh(old)).body).toMatchObject({ error: 'invalid_grant' });
        await restart();
        expect((await refresh(next.body.refresh_token ?? '')).body).toMatchObject({ error: 'invalid_grant' });
        expect(await service.userinfo(next.body.access_token ?? '')).toBe(401);
      }
    },
    60_000 + KILLS * 60_000,
  );
});
