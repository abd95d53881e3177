// Rules: spec/verification.md#root-age and spec/verification.md#proof-variants
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/store.ts';
import { casesOf } from '../../support/cases.ts';
import { loadAddon } from '../../support/crypto/crypto-modules.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { addApps, HTTP_ENTRIES, rootOf } from '../support/registered-app.ts';
import { variantsOf } from '../support/variants.ts';
import { bodyOf, itemOf, vector } from '../support/vectors.ts';
import { expectError, expectHeaders, onlyResult, post } from '../support/verify-client.ts';

const START = Date.UTC(2026, 0, 15, 9, 30);
const YEAR_SECONDS = 365 * 86_400;
const OTHER_APP = 'app_10eb12bd96d8f7202892ff25f094c803';
const ITEMS_FAILED = { code: 'all_verifications_failed', detail: 'All proof verifications failed.' };

describe.each(['native', 'wasm'])('POST /api/v4/verify on %s', (backend) => {
  describe.skipIf(backend === 'native' && loadAddon() === undefined)('with the addon that it needs', () => {
    let app: StartedApp;
    let store: Store;
    let now = START;
    beforeAll(async () => {
      app = await startApp({
        settings: { 'engine.backend': backend },
        now: () => now,
      });
      store = await app.openStore();
      await addApps(store, [...HTTP_ENTRIES, { ...vector(0), app_id: OTHER_APP }], START);
      for (const entry of HTTP_ENTRIES) await store.roots.put([rootOf(entry, START)]);
    });
    afterAll(async () => {
      await store.close();
      await app.stop();
    });

    // First: beyond a hundred refusals with one code the log has no line for each.
    describe('age of the root', () => {
      const entry = vector(2);
      it.each([
        ['superseded, received 604,801 s ago', 604_801, false, undefined, 'root_too_old'],
        ['superseded, received 604,799 s ago', 604_799, false, undefined, 'ok'],
        ['current, received a year ago', YEAR_SECONDS, true, undefined, 'ok'],
        ['superseded, max_age 3600, 3,601 s', 3601, false, 3600, 'root_too_old'],
        ['superseded, max_age 3600, 3,599 s', 3599, false, 3600, 'ok'],
        ['current, max_age 3600, a year', YEAR_SECONDS, true, 3600, 'ok'],
      ] as const)('%s (%i s, %s, %s): %s', async (_name, ageSeconds, isCurrent, maxAge, expected) => {
        now += 60_000;
        const receivedAt = now - ageSeconds * 1000;
        await store.roots.put([rootOf(entry, receivedAt, { supersededAt: isCurrent ? null : now })]);
        const changes = maxAge === undefined ? {} : { max_age: maxAge };
        const body = bodyOf(entry, { responses: [itemOf(entry, changes)] });
        const reply = await post(app.publicUrl, entry.rp_id ?? '', body);
        const result = onlyResult(reply);
        if (expected === 'ok') {
          expect(result).toMatchObject({ success: true });
          return;
        }
        expect(result).toEqual({
          identifier: 'orb',
          success: false,
          nullifier: entry.nullifier_hash,
          code: 'root_too_old',
          detail: 'The provided merkle root is too old. Please generate a new proof and try again.',
        });
        expect(app.log()).toContain(`"rootAgeSeconds":${ageSeconds},"maxAgeSeconds":${maxAge ?? 604_800}`);
      });
    });

    const entries = HTTP_ENTRIES.slice(0, backend === 'native' ? undefined : casesOf(HTTP_ENTRIES.length, 1));
    describe.each([...entries.entries()])('variants of entry %i', (_index, entry) => {
      it.each(variantsOf(entry, OTHER_APP))('$name', async ({ body, expected, id }) => {
        const reply = await post(app.publicUrl, id ?? entry.rp_id ?? '', body);
        if (expected === 'ok') {
          expect(reply.status).toBe(200);
          expectHeaders(reply.headers);
          expect(onlyResult(reply)).toEqual({
            identifier: 'orb',
            success: true,
            nullifier: entry.nullifier_hash,
          });
          return;
        }
        const [sent] = body.responses as [{ identifier: string; nullifier: string }];
        expectError(reply, 400, {
          ...ITEMS_FAILED,
          app_id: id ?? entry.app_id,
          results: [{ identifier: sent.identifier, success: false, nullifier: sent.nullifier, ...expected }],
        });
      });
    });

    it('answers each of several items in one request separately', async () => {
      const entry = vector(0);
      const variants = variantsOf(entry, OTHER_APP).filter(
        ({ id, name }) => id === undefined && name !== 'another action',
      );
      const responses = variants.map(({ body }) => (body.responses as unknown[])[0]);
      const reply = await post(app.publicUrl, entry.rp_id ?? '', bodyOf(entry, { responses }));
      expect(reply.status).toBe(200);
      const results = reply.body.results as { success: boolean; nullifier: string; code?: string }[];
      expect(results.map(({ success, code }) => (success ? 'ok' : code))).toEqual(
        variants.map(({ expected }) => (expected === 'ok' ? 'ok' : expected.code)),
      );
      const sent = responses as { nullifier: string }[];
      expect(results.map(({ nullifier }) => nullifier)).toEqual(sent.map(({ nullifier }) => nullifier));
    });

    it('logs no value of a request', () => {
      const log = app.log();
      for (const { proof, nullifier_hash, signal_hash, merkle_root } of HTTP_ENTRIES) {
        for (const secret of [proof.slice(2, 66), nullifier_hash, signal_hash, merkle_root]) {
          expect(log).not.toContain(secret.replace('0x', ''));
        }
      }
    });
  });
});
