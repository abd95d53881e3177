import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/apps/apps.ts';
import { parseRoot } from '../../src/membership/roots/roots.ts';
import { loadAddon } from '../support/crypto/crypto-modules.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { onlyResult, post, type VerifyReply } from '../verification/support/verify-client.ts';
import { FIXTURES, type Fixture, fixture, requestOf } from './support/fixtures.ts';

const NEW = 'Proof verified successfully';
const REUSE = 'Proof verified successfully (nullifier reuse)';

describe.each(['native', 'wasm'])('POST /api/v4/verify with proofs under dev-depth30, on %s', (backend) => {
  describe.skipIf(backend === 'native' && loadAddon() === undefined)('with the addon that it needs', () => {
    let app: StartedApp;
    beforeAll(async () => {
      app = await startApp({ settings: { 'engine.backend': backend } });
      const store = await app.openStore();
      for (const appId of new Set(FIXTURES.map(({ app_id }) => app_id))) {
        await createApp(store.apps, { appId }, Date.now());
      }
      for (const { tree, merkle_root: root } of FIXTURES) {
        const row = parseRoot({ environment: 'staging', tree, root, key: 'dev-depth30' }, Date.now());
        await store.roots.put([row]);
      }
      await store.close();
    });
    afterAll(() => app.stop());

    const send = (entry: Fixture, change: Record<string, unknown> = {}): Promise<VerifyReply> =>
      post(app.publicUrl, entry.rp_id, { ...requestOf(entry), ...change });

    it('accepts a proof, and the same person under a later root as a reuse with the first date', async () => {
      const first = await send(fixture(0));
      expect(first).toMatchObject({
        status: 200,
        body: {
          success: true,
          message: NEW,
          nullifier: fixture(0).nullifier_hash,
          environment: 'staging',
        },
      });
      const { created_at } = first.body;
      for (const entry of [fixture(1), fixture(0)]) {
        expect((await send(entry)).body).toMatchObject({ success: true, message: REUSE, created_at });
      }
    });

    it.each([
      ['another person', 2],
      ['a request without a signal', 3],
      ['the compressed form', 4],
      ['the tree device', 5],
    ])('accepts %s as new', async (_, index) => {
      const entry = fixture(index);
      const { status, body } = await send(entry);
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: true, message: NEW, nullifier: entry.nullifier_hash });
    });

    it('accepts the default signal when it is spelled out', async () => {
      const entry = fixture(3);
      const [item] = requestOf(entry).responses as [Record<string, unknown>];
      const reply = await send(entry, { responses: [{ ...item, signal_hash: entry.signal_hash }] });
      expect(onlyResult(reply)).toMatchObject({ success: true });
    });

    it('refuses a proof for another action, another app or another tree', async () => {
      const other = await send(fixture(0), { action: 'other' });
      expect(onlyResult(other)).toMatchObject({ success: false, code: 'invalid_proof' });
      const wrongApp = await post(app.publicUrl, fixture(3).rp_id, requestOf(fixture(0)));
      expect(onlyResult(wrongApp)).toMatchObject({ success: false, code: 'invalid_proof' });
      const [item] = requestOf(fixture(0)).responses as [Record<string, unknown>];
      const wrongTree = await send(fixture(0), { responses: [{ ...item, identifier: 'device' }] });
      expect(onlyResult(wrongTree)).toMatchObject({ success: false, code: 'invalid_merkle_root' });
    });

    it("knows none of the fixtures' roots in production", async () => {
      const reply = await send(fixture(0), { environment: 'production' });
      expect(onlyResult(reply)).toMatchObject({ success: false, code: 'invalid_merkle_root' });
    });
  });
});
