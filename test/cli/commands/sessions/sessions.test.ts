// Rules: spec/sign-in.md#administration-of-sessions
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AppRow } from '../../../../src/storage/apps/apps.ts';
import { shortDigest } from '../../../../src/storage/audit/audit-writer.ts';
import { openStore } from '../../../../src/storage/open-store.ts';
import type { SessionRow } from '../../../../src/storage/signin/sessions.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { addSession } from '../../../support/signin/add-session.ts';
import { NOW, useCliFolder } from '../../support/cli.ts';

const APP_ID = 'app_369183bd38f1641b6964ab51d7a20434';
const CONFIGURED = 'app_369183bd38f1641b6964ab51d7a20435';
const env = { PROOFGATE_SIGNIN_SESSION_SECONDS: '3600' };

const folder = useCliFolder();
beforeEach(async () => {
  const uris = [
    '--redirect-uri',
    'https://a.example/cb',
    '--backchannel-logout-uri',
    'https://a.example/out',
  ];
  await folder.json(['apps', 'add', '--app-id', APP_ID, ...uris]);
});

async function withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
  const url = `libsql:${join(folder.path, 'proofgate.db')}`;
  const store = await openStore({ url, groupMaxRows: 1, groupMaxDelayMs: 0 }, { writesInline: true });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const add = (person: number, at = NOW): Promise<SessionRow> =>
  withStore(async (store) => {
    const app = await store.apps.findByAppId(APP_ID);
    return await addSession(store, app as AppRow, person, at);
  });
const list = async (): Promise<unknown> =>
  (await folder.json(`sessions list --app ${APP_ID}`, { env })).sessions;
const notices = (): Promise<number | undefined> =>
  withStore(async (store) => (await store.rowCounts()).logout_notices);

describe('sessions list', () => {
  it('shows the live sessions of an app, the latest first, and a digest of each sub', async () => {
    const one = await add(0x11, NOW - 2000);
    const two = await add(0x22, NOW - 1000);
    await add(0x33, NOW - 3_600_000);
    const shown = { app_id: APP_ID, acr: 'device' };
    expect(await list()).toMatchObject([
      {
        ...shown,
        sid: two.sid,
        person: shortDigest(new Uint8Array(32).fill(0x22)),
        auth_time: new Date(NOW - 1000).toISOString(),
      },
      { ...shown, sid: one.sid, person: shortDigest(new Uint8Array(32).fill(0x11)) },
    ]);
    const { stdout } = await folder.run(['sessions', 'list', '--app', APP_ID], { env });
    expect(stdout).toContain(one.sid);
    expect(stdout).not.toContain('2222222222');
  });

  it('shows none while sessions are off, and refuses an unknown app', async () => {
    await add(0x11);
    expect(await folder.json(['sessions', 'list', '--app', APP_ID])).toEqual({ sessions: [] });
    await folder.fails(['sessions', 'list', '--app', CONFIGURED], 1, 'app.unknown', { env });
  });
});

describe('sessions revoke', () => {
  it('ends one session and writes the notice to its app, with a row in the audit log', async () => {
    const [one, two] = [await add(0x11), await add(0x22)];
    const revoke = ['sessions', 'revoke', one.sid, '--yes'];
    expect(await folder.json(revoke, { env })).toEqual({ revoked: 1, sid: one.sid });
    expect(await list()).toMatchObject([{ sid: two.sid }]);
    expect(await notices()).toBe(1);
    const { audit } = await folder.json('audit list --action session.revoked');
    expect(audit).toMatchObject([{ target: APP_ID }]);
    expect(JSON.stringify(audit)).not.toContain(one.sid);
    await folder.fails(revoke, 1, 'session.unknown', { env });
  });

  it('ends all sessions of an app', async () => {
    for (const person of [0x11, 0x22]) await add(person);
    const revoke = ['sessions', 'revoke', '--app', APP_ID, '--yes'];
    expect(await folder.json(revoke, { env })).toEqual({ revoked: 2, app_id: APP_ID });
    expect([await list(), await notices()]).toEqual([[], 2]);
    expect(await folder.json(revoke, { env })).toEqual({ revoked: 0, app_id: APP_ID });
  });

  it('wants either a session or an app', async () => {
    for (const argv of [[], ['sid', '--app', APP_ID]]) {
      await folder.fails(['sessions', 'revoke', ...argv, '--yes'], 2, 'either', { env });
    }
  });
});
