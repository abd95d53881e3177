// Rules: spec/worldid4.md#wallets-of-development and spec/sign-in.md#development-wallet
import { describe, expect, it } from 'vitest';
import type { WalletAnswer4 } from '../../src/development/worldid4/answer-proof-request.ts';
import type { JsonObject } from '../../src/json.ts';
import { runIn } from '../cli/support/cli.ts';
import { bodyOf, FORMS, itemFor, plaintextFor, proofRequest } from '../development/support/proof-request.ts';
import { BROWSER_TEST } from '../support/browser/browser.ts';
import { expectAccessibleLayout } from '../support/browser/page-states.ts';
import { openWallet, type WalletDriver } from '../support/browser/wallet-driver.ts';
import { useSharedApp } from '../support/signin/shared-service.ts';
import { type PutRequest, putSignInRequest } from '../support/signin/sign-in-request.ts';
import { isWalletAbsent, useWalletService, WALLET_SKIP } from '../support/wallet-service.ts';

/** App of a new data folder, whose OPRF key a start with World ID 4.0 adds. */
const [APP, RP] = ['app_staging_7d23b838b02776cebd87b86ac3248641', 'rp_319b46aa7eae89bf'] as const;
const APPROVE = 'Approve';
const REFUSED = 'The wallet refused';
const SENT = 'Answer sent';

describe.skipIf(isWalletAbsent)(
  `World ID 4.0 requests answered in the wallet page${WALLET_SKIP}`,
  BROWSER_TEST,
  () => {
    const service = useWalletService({
      settings: { 'verify.worldid4.enabled': 'true', 'verify.worldid4.boundSessions': 'true' },
    });
    const requestFor = (form: JsonObject = {}): ReturnType<typeof proofRequest> =>
      proofRequest(RP, Date.now(), form);

    /** Opens the page with an identity of a secret. */
    async function openAs(secret: string): Promise<WalletDriver> {
      const wallet = await openWallet(service.browser, service.app.publicUrl);
      await wallet.create(secret, secret);
      return wallet;
    }

    /** Puts a request on the bridge and opens it in the page, up to the consent. */
    async function ask(
      { page, signIn }: WalletDriver,
      request: JsonObject,
      change: JsonObject = {},
    ): Promise<PutRequest> {
      const plaintext = plaintextFor(request, {
        app_id: APP,
        action_description: 'Sign in to Demo Shop (shop.example)',
        ...change,
      });
      const put = await putSignInRequest(service.app.publicUrl, plaintext);
      await page.goto(`${service.app.publicUrl}/wallet#${put.members}`);
      await signIn.getByRole('heading', { name: 'An app asks for a proof' }).waitFor();
      return put;
    }

    /** Asks, approves, and returns what the app received. */
    async function approved(
      wallet: WalletDriver,
      request: JsonObject,
      heading = SENT,
      change: JsonObject = {},
    ): Promise<JsonObject> {
      const put = await ask(wallet, request, change);
      await wallet.answer(APPROVE, heading);
      return await received(put);
    }
    async function received(put: PutRequest): Promise<JsonObject> {
      const { answer } = await put.take();
      if (answer === undefined) throw new Error('expected an answer');
      return answer;
    }

    async function verify(answer: JsonObject, request: JsonObject): Promise<JsonObject> {
      const response = await fetch(`${service.app.publicUrl}/api/v4/verify/${RP}`, {
        method: 'POST',
        body: JSON.stringify(bodyOf(answer as unknown as WalletAnswer4, request)),
      });
      return (await response.json()) as JsonObject;
    }
    const responseOf = (answer: JsonObject): WalletAnswer4['proof_response'] =>
      (answer as unknown as WalletAnswer4).proof_response;
    const nullifierOf = (answer: JsonObject): string | undefined =>
      responseOf(answer).responses[0]?.nullifier;

    it('begin a session and prove it later, which another person cannot', async () => {
      const wallet = await openAs('alice');
      const creation = requestFor(FORMS['session create']);
      const put = await ask(wallet, creation);
      for (const text of ['Sign in to Demo Shop (shop.example)', 'A new session', RP, 'proof_of_human'])
        await wallet.signIn.getByText(text).first().waitFor();
      await expectAccessibleLayout(wallet.page, 'worldid4-consent-session');
      await wallet.answer(APPROVE, SENT);
      await expectAccessibleLayout(wallet.page, 'worldid4-sent');
      const created = await received(put);
      const { session_id } = responseOf(created);
      expect(await verify(created, creation)).toMatchObject({ success: true, session_id });

      const returning = (): ReturnType<typeof proofRequest> =>
        requestFor({ proof_type: 'session', session_id, action: null });
      const known = returning();
      await ask(wallet, known);
      await wallet.signIn.getByText('A session that you began earlier').waitFor();
      const proven = await approved(wallet, known);
      expect(await verify(proven, known)).toMatchObject({ success: true, session_id });

      await wallet.create('bob', 'bob');
      expect(await approved(wallet, returning(), REFUSED)).toEqual({ error_code: 'generic_error' });
      await wallet.signIn.getByText('The session is of another person or relying party').waitFor();
      await expectAccessibleLayout(wallet.page, 'worldid4-refused');
      await wallet.end();
    });

    it('prove the same uniqueness for ten minutes, then only on another or a new installation', async () => {
      const wallet = await openAs('erin');
      const { page, signIn } = wallet;
      const first = requestFor();
      await ask(wallet, first);
      await signIn.getByText('“This browser” has not proved this yet.').waitFor();
      const proved = await approved(wallet, first);
      expect(await verify(proved, first)).toMatchObject({ message: 'Proof verified successfully' });
      const nullifier = nullifierOf(proved);
      const bound = requestFor(FORMS.bound);
      await ask(wallet, bound);
      await signIn.getByText('and proves it again until').waitFor();
      const again = await approved(wallet, bound);
      expect(nullifierOf(again)).toBe(nullifier);
      expect(await verify(again, bound)).toMatchObject({ message: expect.stringContaining('reuse') });

      await page.clock.setFixedTime(Date.now() + 600_001);
      const put = await ask(wallet, requestFor());
      await signIn.getByText('“This browser” first proved this on').waitFor();
      await signIn.getByText('and refuses it until').waitFor();
      await expectAccessibleLayout(page, 'worldid4-consent-refused');
      await wallet.answer(APPROVE, REFUSED);
      await signIn.getByText('The app is told “nullifier_replayed”.').waitFor();
      expect(await received(put)).toEqual({ error_code: 'nullifier_replayed' });
      // Sessions are never refused.
      expect(await approved(wallet, requestFor(FORMS['session create']))).toHaveProperty('proof_response');

      const installation = page.locator('section[aria-labelledby="installation"]');
      await installation.getByText('then refused until').waitFor();
      await installation.getByText('Another installation').click();
      await installation.getByLabel('Name').fill('Tablet');
      await installation.getByRole('button', { name: 'Add installation' }).click();
      await installation.getByText('It has proved no uniqueness yet.').waitFor();
      await expectAccessibleLayout(page, 'worldid4-installations');
      expect(nullifierOf(await approved(wallet, requestFor()))).toBe(nullifier);

      // The wallet of this browser still refuses, also after a reload, until it is installed anew.
      await page.reload();
      await ask(wallet, requestFor());
      await signIn.getByLabel('Answer with').selectOption('This browser');
      await signIn.getByText('and refuses it until').waitFor();
      await wallet.answer('Decline', 'Declined');
      await installation.getByRole('button', { name: 'Install anew (recover)…' }).click();
      await page.getByRole('button', { name: 'Install anew', exact: true }).click();
      await installation.getByText('“This browser” knows nothing of earlier proofs.').waitFor();
      expect(nullifierOf(await approved(wallet, requestFor()))).toBe(nullifier);
      await wallet.end();
    });

    it('have the nullifier that the same secret has in a command', async () => {
      const wallet = await openAs('carol');
      const nullifier = nullifierOf(await approved(wallet, requestFor()));
      await wallet.end();
      const put = await putSignInRequest(service.app.publicUrl, plaintextFor(requestFor(), { app_id: APP }));
      const link = `${service.app.publicUrl}/wallet#${put.members}`;
      const { code, stderr } = await runIn(
        service.dataDir,
        ['dev', 'approve', link, '--secret', 'carol', '--protocol', '4.0'],
        { now: Date.now() },
      );
      expect(code, stderr).toBe(0);
      expect(nullifierOf(await received(put))).toBe(nullifier);
    });

    it('are read as the kind of the wallet does', async () => {
      const wallet = await openAs('dave');
      const malformed = { error_code: 'malformed_request' };
      expect(await approved(wallet, requestFor(FORMS.create_session), REFUSED)).toEqual(malformed);
      expect(await approved(wallet, requestFor(FORMS.bound))).toHaveProperty('proof_response');
      const installation = wallet.page.locator('section[aria-labelledby="installation"]');
      await installation.getByRole('radio', { name: 'Old' }).check();
      expect(await approved(wallet, requestFor(FORMS.create_session))).toHaveProperty('proof_response');
      expect(await approved(wallet, requestFor(FORMS.bound), REFUSED)).toEqual(malformed);
      expect(await approved(wallet, requestFor({ salt: 1 }), REFUSED)).toEqual(malformed);
      expect(await approved(wallet, {}, REFUSED, { action: 'vote' })).toEqual(malformed);
      await wallet.end();
    });

    it('are answered by 3.0 if the app allows it and the person chooses it', async () => {
      const wallet = await openAs('frank');
      await wallet.enrol('Orb');
      const both = { allow_legacy_proofs: true };
      const four = await approved(wallet, requestFor(), SENT, both);
      expect(four).toHaveProperty('proof_response');
      const put = await ask(wallet, requestFor(), both);
      await expectAccessibleLayout(wallet.page, 'worldid4-consent-both');
      await wallet.signIn.getByRole('radio', { name: 'World ID 3.0' }).check();
      expect(await wallet.signIn.getByLabel('Answer with').isVisible()).toBe(false);
      await wallet.answer(APPROVE, SENT);
      const three = await received(put);
      expect(three).toHaveProperty('merkle_root');
      await ask(wallet, requestFor());
      expect(await wallet.signIn.getByRole('radio', { name: 'World ID 3.0' }).isVisible()).toBe(false);
      await wallet.end();
    });

    it('are refused, declined, or answered by an error, as the person chooses', async () => {
      const wallet = await openAs('grace');
      const { signIn } = wallet;
      const declined = await ask(wallet, requestFor());
      await wallet.answer('Decline', 'Declined');
      expect(await received(declined)).toEqual({ error_code: 'user_rejected' });

      const items = [itemFor('proof_of_human', 1), itemFor('passport', 9303)];
      const either = { proof_requests: items, constraints: { any: ['passport', 'proof_of_human'] } };
      const lacking = await ask(wallet, requestFor(either));
      await signIn.getByText('passport or proof_of_human').waitFor();
      for (const name of ['passport', 'proof_of_human'])
        await signIn.getByRole('checkbox', { name }).uncheck();
      await wallet.answer(APPROVE, REFUSED);
      expect(await received(lacking)).toEqual({ error_code: 'credential_unavailable' });

      const failing = await ask(wallet, requestFor());
      await signIn.getByText('Answer by an error').click();
      await signIn.getByLabel('Error code').selectOption('world_id_4_not_available');
      await expectAccessibleLayout(wallet.page, 'worldid4-error-form');
      await wallet.answer('Send error', 'Error sent');
      expect(await received(failing)).toEqual({ error_code: 'world_id_4_not_available' });
      await wallet.end();
    });

    it('lead back to the app, if it names an address of the web', async () => {
      const wallet = await openAs('heidi');
      const { signIn } = wallet;
      const back = { return_to_url: 'https://shop.example/back?x=1' };
      const link = signIn.getByRole('link', { name: 'Back to the app' });
      await approved(wallet, requestFor(), SENT, back);
      expect(await link.getAttribute('href')).toBe(back.return_to_url);
      await expectAccessibleLayout(wallet.page, 'worldid4-back');
      await approved(wallet, requestFor(), SENT, { return_to_url: 'javascript:alert(1)' });
      expect(await link.count()).toBe(0);
      const put = await putSignInRequest(service.app.publicUrl, plaintextFor(requestFor(), back));
      const members = `${put.members}&return_to=${encodeURIComponent('http://127.0.0.1:1/tapped')}`;
      await wallet.page.goto(`${service.app.publicUrl}/wallet#${members}`);
      await wallet.answer('Decline', 'Declined');
      expect(await link.getAttribute('href')).toBe('http://127.0.0.1:1/tapped');
      await wallet.end();
    });

    it('are refused while World ID 4.0 is switched off', async () => {
      const { publicUrl } = await useSharedApp();
      const wallet = await openWallet(service.browser, publicUrl);
      await wallet.create('ivan', 'ivan');
      expect(await wallet.page.locator('section[aria-labelledby="installation"]').count()).toBe(0);
      const put = await putSignInRequest(publicUrl, plaintextFor(requestFor()));
      await wallet.openLink(`${publicUrl}/wallet#${put.members}`);
      await wallet.answer(APPROVE, REFUSED);
      expect(await received(put)).toEqual({ error_code: 'world_id_4_not_available' });
      await wallet.end();
    });
  },
);
