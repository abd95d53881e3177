// Rules: spec/worldid4.md#items, spec/worldid4.md#answers and spec/worldid4.md#sessions
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/store.ts';
import { loadAddon } from '../../support/crypto/crypto-modules.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { expectHeaders, post } from '../support/verify-client.ts';
import { type HttpCase, seedTrapdoor, WORLDID4, WORLDID4_SETTINGS } from '../support/worldid4.ts';

const { cases } = WORLDID4.trapdoor;

function describeCases(
  name: string,
  isAbsent: boolean,
  settings: () => Promise<Record<string, string>>,
): void {
  describe.skipIf(isAbsent)(`requests of World ID 4.0, in their order, ${name}`, () => {
    let app: StartedApp;
    let store: Store;
    beforeAll(async () => {
      app = await startApp({ settings: { ...WORLDID4_SETTINGS, ...(await settings()) } });
      store = await app.openStore();
      await seedTrapdoor(store, Date.now());
    });
    afterAll(async () => {
      await store?.close();
      await app?.stop();
    });

    it.each(cases)('$name', async ({ path, request, expect: { status, body } }: HttpCase) => {
      const reply = await post(app.publicUrl, path.slice('/api/v4/verify/'.length), request);
      expect(reply.body).toMatchObject(body);
      expect(reply.status).toBe(status);
      expectHeaders(reply.headers);
    });

    it('are logged and counted with protocol version and kind, without values', async () => {
      const metrics = await (await fetch(`${app.adminUrl}/metrics`)).text();
      for (const [code, count] of [
        ['ok', 3],
        ['reuse', 2],
      ]) {
        const labels = `status="200",code="${code}",protocol="4.0",kind="session"`;
        expect(metrics).toContain(`proofgate_verify_requests_total{${labels}} ${count}`);
      }
      expect(metrics).toMatch(
        /verify_items_total\{identifier="passport",environment="staging",code="ok",backend="\w+",protocol="4\.0",kind="uniqueness"\} 3/,
      );
      expect(metrics).toContain(
        'proofgate_verify_root_age_seconds_count{environment="staging",tree="account",accepted="false"} 1',
      );
      expect(metrics).toContain('{status="400",code="validation_error",protocol="none",kind="none"} 5');
      const log = app.log();
      expect(log).toContain(
        '"protocol":"4.0","kind":"session","items":1,"itemCodes":"worldid_item.commitment_zero"',
      );
      const { nonce, session_id: session_ } = cases.find(({ name: n }) => n === 'session')?.request ?? {};
      for (const value of [nonce, session_]) expect(log).not.toContain(String(value).slice(10, 60));
    });
  });
}

for (const backend of ['native', 'wasm']) {
  describeCases(`on ${backend}`, backend === 'native' && loadAddon() === undefined, async () => ({
    'engine.backend': backend,
  }));
}

describe(`PostgreSQL${POSTGRES_SKIP}`, () => {
  let server: PostgresServer | undefined;
  afterAll(() => server?.remove());

  describeCases('with PostgreSQL', POSTGRES_BIN === undefined, async () => {
    server = await PostgresServer.create({ fsync: 'off' });
    return { 'storage.url': server.url(await server.createDatabase()) };
  });
});
