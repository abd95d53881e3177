/** The example that a development service starts with. */
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/store.ts';
import { exampleCurl, seedDevelopment } from '../../../src/verification/offline/development-seed.ts';
import { openTempStore } from '../support/temp-store.ts';

const NOW = Date.UTC(2026, 0, 15);
const PLACE = { environment: 'production', tree: 'orb' } as const;

describe('the development seed', () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  let store: Store;

  beforeEach(async () => {
    opened = await openTempStore();
    store = opened.store;
  });

  afterEach(() => opened.close());

  it('puts the example app, which may verify, and its root, which is current', async () => {
    await seedDevelopment(store, NOW);
    const [root] = await store.roots.listCurrent();
    expect(root).toMatchObject({ ...PLACE, source: 'development', receivedAt: NOW, supersededAt: null });
    const rpId = /\/verify\/(rp_[0-9a-f]{16})'/.exec(exampleCurl('https://verify.test'))?.[1] ?? '';
    expect(await store.apps.findByRpId(rpId)).toMatchObject({ verification: 'registered', status: 'active' });
  });

  it('changes nothing the second time', async () => {
    await seedDevelopment(store, NOW);
    const before = await store.roots.listCurrent();
    await seedDevelopment(store, NOW + 1000);
    expect(await store.roots.listCurrent()).toEqual(before);
  });

  it('leaves the current root of an operator current', async () => {
    const root = new Uint8Array(32).fill(1);
    const row = { ...PLACE, root, receivedAt: NOW - 1000, supersededAt: null, keyId: null };
    await store.roots.put([{ ...row, source: 'operator' }]);
    await seedDevelopment(store, NOW);
    const current = await store.roots.listCurrent();
    expect(current.map(({ source }) => source)).toEqual(['operator']);
  });
});

describe('the command that verifies the example', () => {
  it.each(['https://verify.test', "https://verify.test/it's/here"])(
    'is one that a shell reads as meant, for %s',
    async (verifyUrl) => {
      const command = exampleCurl(verifyUrl);
      const words = execFileSync('sh', ['-c', command.replace(/^curl/, 'printf "%s\\n"')], {
        encoding: 'utf8',
      });
      const [flags, url, option, header, data, body] = words.split('\n');
      expect(url).toMatch(new RegExp(`^${verifyUrl}/api/v4/verify/rp_[0-9a-f]{16}$`));
      expect([flags, option, header, data]).toEqual(['-sS', '-H', 'Content-Type: application/json', '-d']);
      expect(JSON.parse(body ?? '')).toMatchObject({
        protocol_version: '3.0',
        responses: [{ identifier: 'orb' }],
      });
    },
  );
});
