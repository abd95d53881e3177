import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaksInBytes } from '../e2e/support/plants.ts';
import { relyingParty, tokensOf } from '../e2e/support/relying-party.ts';
import type { PendingSignIn } from '../support/signin/driver.ts';
import { type SigninService, startSigninService } from '../support/signin/service.ts';
import { openRequest, proveRequest } from '../support/test-wallet.ts';

/** Enough for rows to move and pages to split: the erased bytes of a single row are mostly overwritten immediately. */
const SIGN_INS = 30;

describe('the database file', () => {
  let service: SigninService;
  beforeAll(async () => {
    // Its file is searched.
    service = await startSigninService();
  });
  afterAll(() => service?.end());

  /** Returns the bytes of the database files after a checkpoint. */
  async function storedBytes(): Promise<Buffer> {
    await (await service.app.openStore()).close();
    const { dataDir } = service.app;
    const files = readdirSync(dataDir).filter((name) => name.startsWith('proofgate.db'));
    return Buffer.concat(files.map((name) => readFileSync(join(dataDir, name))));
  }

  // SQLite leaves deleted bytes in the free space of its pages unless `secure_delete` is set.
  it('contains no keys or subs of finished sign-ins, not even in its free space', async () => {
    const shop = relyingParty(service.baseUrl, service.web);
    const subs = new Map<string, string>();
    const keys = new Map<string, string>();
    const open: PendingSignIn[] = [];
    for (let index = 0; index < SIGN_INS; index++) {
      const signIn = await service.begin({ state: 's'.repeat(((index * 37) % 500) + 1) });
      const request = await openRequest(signIn.connectUrl);
      const answer = await proveRequest(request.plaintext, { person: `person ${index}` });
      subs.set(`sub ${index}`, answer.nullifier_hash);
      keys.set(`AES key ${index}`, request.link.key.toString('hex'));
      await request.answer(answer);
      expect(await signIn.settle()).toMatchObject({ status: 'completed' });
      open.push(signIn);
      if (index % 3 === 2) await finish(open.splice(0, 2));
    }
    expect(leaksInBytes(await storedBytes(), subs)).toHaveLength(open.length);
    await finish(open);
    const bytes = await storedBytes();
    expect(leaksInBytes(bytes, subs)).toEqual([]);
    expect(leaksInBytes(bytes, keys)).toEqual([]);

    async function finish(signIns: readonly PendingSignIn[]): Promise<void> {
      for (const signIn of signIns) await tokensOf(shop, (await signIn.finish()).parameters.code);
    }
  });
});
