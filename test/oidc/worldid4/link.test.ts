// Rules: spec/sign-in.md#both-versions
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignIn4 } from '../../support/signin/browser4.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { Wallet4 } from '../../support/signin/wallet4.ts';
import { openRequest, proveRequest } from '../../support/test-wallet.ts';
import { AFTER_GUARD_MS, type People, startPeople } from './support/people.ts';

let people: People;
let client: TestClient;

beforeAll(async () => {
  people = await startPeople();
  client = await people.client({ binding: 'bound', linkWorldIds: true });
});

afterAll(() => people.service.end());

let persons = 0;
const somebody = (has: readonly ('3.0' | '4.0')[], now?: () => number): Wallet4 =>
  new Wallet4({ person: `link ${persons++}`, has, ...(now === undefined ? {} : { now }) });

/** Signs in with the box ticked: first with one wallet, then with the other. */
async function link(first: Wallet4, second: Wallet4, browser = people.browser(client)) {
  const signIn = await browser.begin();
  expect(await signIn.page()).toContain('name="link"');
  await signIn.post('agree', { link: 'on' });
  await first.answer(await signIn.link(), people.service.store);
  expect(await signIn.settle()).toMatchObject({ status: 'waiting' });
  expect(await signIn.page()).toContain('Identity confirmed. Now show your World ID');
  return { signIn, answers: await people.prove(signIn, second) };
}

const subOf = async (signIn: SignIn4): Promise<string> => String((await signIn.claims()).sub);
const signInWith = (wallet: Wallet4): Promise<string> => people.signIn(people.browser(client), wallet);

describe('a person who adds the other version of World ID', () => {
  it.each([
    ['3.0', '4.0'],
    ['4.0', '3.0'],
  ] as const)('to %s is the same one by both from then on', async (one, other) => {
    const [first, second] = [somebody([one]), somebody([other])];
    const { signIn, answers } = await link(first, second);
    expect(answers).toEqual([other]);
    const claims = await signIn.claims();
    expect('amr' in claims).toBe(one === '4.0');
    expect(await signInWith(first)).toBe(claims.sub);
    expect(await signInWith(second)).toBe(claims.sub);
    const rows = await people.service.store.audit.list(
      { target: client.clientId, action: 'person.linked' },
      1,
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(String(claims.sub).slice(2));
  });

  it('keeps what found the other one: its session is that of the sub that stays', async () => {
    const clock = { now: Date.now() };
    const [three, four] = [somebody(['3.0']), somebody(['4.0'], () => clock.now)];
    const browser = people.browser(client);
    const former = await people.signIn(browser, four);
    clock.now += AFTER_GUARD_MS;
    const signIn = await browser.begin();
    await signIn.post('other', { way: '3.0' });
    await signIn.post('agree', { link: 'on' });
    const opened = await openRequest(await signIn.link());
    await opened.answer(await proveRequest(opened.plaintext, { person: `link ${persons - 2}` }));
    expect(await signIn.settle()).toMatchObject({ status: 'waiting' });
    expect(await signIn.page()).toContain('This browser was here before');
    expect(await people.prove(signIn, four)).toEqual(['4.0']);
    const sub = await subOf(signIn);
    expect(sub).not.toBe(former);
    expect(await people.signIn(browser, four)).toBe(sub);
    expect(await signInWith(three)).toBe(sub);
    const hinted = await people.browser(client).begin({ login_hint: sub });
    expect(await people.prove(hinted, four)).toEqual(['4.0']);
    expect(await subOf(hinted)).toBe(sub);
  });

  it('may go on without it, and is signed in whatever the second wallet says', async () => {
    const first = somebody(['4.0']);
    for (const refuses of [true, false]) {
      const signIn = await people.browser(client).begin();
      await signIn.post('agree', { link: 'on' });
      await first.answer(await signIn.link(), people.service.store);
      await signIn.settle();
      if (refuses) {
        const { answer } = await openRequest(await signIn.link());
        await answer({ error_code: 'credential_unavailable' });
        expect(await signIn.settle()).toMatchObject({ status: 'failed' });
      }
      await signIn.post('cancel');
      expect(await subOf(signIn)).toBe(await signInWith(first));
    }
  });

  it('adds one of the other version only, and nothing unless the client allows it', async () => {
    const [first, second] = [somebody(['3.0']), somebody(['3.0'])];
    const signIn = await people.browser(client).begin();
    await signIn.post('agree', { link: 'on' });
    await first.answer(await signIn.link(), people.service.store);
    await signIn.settle();
    await signIn.post('other', { way: '3.0' });
    expect(await people.prove(signIn, second)).toEqual(['world_id_4_not_available']);
    await signIn.post('cancel');
    await signIn.claims();
    expect(await signInWith(second)).not.toBe(await signInWith(first));

    const plain = await people.client({ binding: 'bound' });
    const other = await people.browser(plain).begin();
    expect(await other.page()).not.toContain('name="link"');
    await other.post('agree', { link: 'on' });
    expect(await people.prove(other, somebody(['4.0']))).toEqual(['4.0']);
  });

  it('of a client whose people are paired with sessions does so in the same steps', async () => {
    const paired = await people.client({ binding: 'paired', linkWorldIds: true });
    const [three, four] = [somebody(['3.0']), somebody(['4.0'])];
    const signIn = await people.browser(paired).begin();
    await signIn.post('other', { way: '3.0' });
    await signIn.post('agree', { link: 'on' });
    await three.answer(await signIn.link(), people.service.store);
    await signIn.settle();
    expect(await people.prove(signIn, four)).toEqual(['4.0', '4.0']);
    const sub = await subOf(signIn);
    expect(await people.signIn(people.browser(paired), four)).toBe(sub);
  });

  it('is expected by its hint as the one who stays', async () => {
    const [first, second] = [somebody(['3.0']), somebody(['4.0'])];
    const { signIn } = await link(first, second);
    const { token, sub } = await signIn.tokens();
    for (const wallet of [first, second]) {
      const hinted = await people.browser(client).begin({ id_token_hint: token });
      if (wallet === first) await hinted.post('other', { way: '3.0' });
      await people.prove(hinted, wallet);
      expect(await subOf(hinted)).toBe(sub);
    }
  });
});
