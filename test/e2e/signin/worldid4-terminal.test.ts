// Rules: spec/worldid4.md#wallets-of-development and spec/sign-in.md#world-id-40
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runIn } from '../../cli/support/cli.ts';
import { AFTER_GUARD_MS, type People, startPeople } from '../../oidc/worldid4/support/people.ts';
import type { SignIn4 } from '../../support/signin/browser4.ts';

/** Longest number of requests that one sign-in takes. */
const MAX_ROUNDS = 6;

describe('sign-in with World ID 4.0 by dev approve', { timeout: 120_000 }, () => {
  let people: People;
  beforeAll(async () => {
    people = await startPeople();
  });
  afterAll(() => people.service.end());

  /** Answers until the sign-in is decided; returns the kind of each answer, or its error code. */
  async function prove(signIn: SignIn4, secret: string, ...argv: readonly string[]): Promise<string[]> {
    const answers: string[] = [];
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const command = ['dev', 'approve', await signIn.link(), '--protocol', '4.0', '--secret', secret];
      const { code, stdout, stderr } = await runIn(
        people.service.app.dataDir,
        [...command, '--json', ...argv],
        { now: Date.now() },
      );
      const [, refusal] = /approve\.refused[^a-z]+message":"(\w+): /.exec(stderr) ?? [];
      if (code !== 0 && refusal === undefined) throw new Error(stderr);
      answers.push(refusal ?? (JSON.parse(stdout) as { readonly kind: string }).kind);
      if ((await signIn.settle()).status !== 'waiting') return answers;
    }
    return answers;
  }

  /** Dates the proofs of the installation back to before the ten minutes of its guard. */
  async function ageInstallation(): Promise<void> {
    const path = join(people.service.app.dataDir, 'wallet-installations', 'default.nullifiers');
    const text = await readFile(path, 'utf8');
    await writeFile(
      path,
      text.replaceAll(/\d{13}$/gm, (time) => `${Number(time) - AFTER_GUARD_MS}`),
    );
  }

  it('is bound at first, then by session, and after the guard by another or a new installation', async () => {
    const client = await people.client({ binding: 'bound' });
    const browser = people.browser(client);
    const first = await browser.begin();
    expect(await prove(first, 'ann')).toEqual(['bound']);
    const { sub } = await first.claims();
    const again = await browser.begin();
    expect(await prove(again, 'ann')).toEqual(['prove-session']);
    expect((await again.claims()).sub).toBe(sub);

    await ageInstallation();
    const elsewhere = people.browser(client);
    const guarded = await elsewhere.begin();
    expect(await prove(guarded, 'ann')).toContain('nullifier_replayed');
    for (const argv of [['--installation', 'tablet'], ['--recover']]) {
      const known = await people.browser(client).begin();
      expect(await prove(known, 'ann', ...argv)).toEqual(['bound']);
      expect((await known.claims()).sub).toBe(sub);
    }
  });

  it('is paired with a wallet of the old kind', async () => {
    const browser = people.browser(await people.client({ binding: 'paired' }));
    const signIn = await browser.begin();
    const old = ['--wallet', 'old'];
    expect(await prove(signIn, 'bob', ...old)).toEqual(['malformed_request', 'create-session', 'uniqueness']);
    const { sub } = await signIn.claims();
    const again = await browser.begin();
    expect(await prove(again, 'bob', ...old)).toEqual(['prove-session']);
    expect((await again.claims()).sub).toBe(sub);
  });

  it('never gives a second person on the same browser the sub of the first', async () => {
    const browser = people.browser(await people.client({ binding: 'bound' }));
    const first = await browser.begin();
    await prove(first, 'carol');
    const { sub } = await first.claims();
    const second = await browser.begin();
    expect((await prove(second, 'dan'))[0]).toBe('generic_error');
    expect((await second.status()).status).not.toBe('completed');
    expect(await prove(await browser.begin(), 'carol')).toEqual(['prove-session']);
    expect(sub).toMatch(/^0x00/);
  });
});
