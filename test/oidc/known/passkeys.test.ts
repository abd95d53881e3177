// Rules: spec/sign-in.md#passkeys
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config/settings/types.ts';
import { createPasskeys } from '../../../src/oidc/known/passkeys.ts';
import { opened } from '../../support/opened.ts';
import type { Browser4, SignIn4 } from '../../support/signin/browser4.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { redeemCode } from '../../support/signin/driver.ts';
import { Wallet4 } from '../../support/signin/wallet4.ts';
import { challengeOf, offerOf, postJson, startKnownService } from './support/known-service.ts';
import { type Faults, SoftPasskey } from './support/soft-passkey.ts';

const service = opened(startKnownService, 'end');
let people = 0;

/** A person with a wallet who has signed in and saved a passkey. */
interface Known {
  readonly client: TestClient;
  readonly wallet: Wallet4;
  readonly sub: string;
  readonly passkey: SoftPasskey;
}

async function knownPerson(client?: TestClient): Promise<Known> {
  const to = client ?? (await service.addClient());
  const wallet = new Wallet4({ person: `passkey ${people++}` });
  const browser = service.browser(to);
  const signIn = await browser.begin();
  await service.prove(signIn, wallet);
  const passkey = await service.savePasskey(signIn, browser);
  const { sub = '' } = await signIn.claims();
  return { client: to, wallet, sub, passkey };
}

async function use(signIn: SignIn4, browser: Browser4, body: unknown): Promise<Response> {
  return await postJson(browser, `${signIn.path}/passkey`, body);
}

async function expectRefusal(response: Response): Promise<void> {
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: 'access_denied',
    error_description: 'The passkey is not accepted.',
    code: 'passkey_refused',
    detail: 'The passkey is not accepted.',
    attribute: null,
  });
}

describe('a passkey', () => {
  it('finds a person in a browser that does not know that person, whose wallet then proves the session', async () => {
    const { client, wallet, sub, passkey } = await knownPerson();
    const browser = service.browser(client);
    const signIn = await browser.begin();
    expect(await signIn.page()).not.toContain('Your passkey is known here');
    expect((await use(signIn, browser, passkey.use(await challengeOf(signIn)))).status).toBe(204);
    expect(await signIn.page()).toContain('Your passkey is known here');
    expect(await service.prove(signIn, wallet)).toBe('4.0');
    expect((await signIn.claims()).sub).toBe(sub);
    // the browser is known from now on
    expect(await (await browser.begin()).page()).toContain('This browser was here before');
  });

  it('signs nobody in without the wallet of the person', async () => {
    const { client, passkey } = await knownPerson();
    const browser = service.browser(client);
    const signIn = await browser.begin();
    await use(signIn, browser, passkey.use(await challengeOf(signIn)));
    expect(await signIn.status()).toMatchObject({ status: 'waiting' });
    expect(await service.prove(signIn, new Wallet4({ person: 'thief' }))).toBe('generic_error');
    expect(await signIn.status()).toMatchObject({ status: 'failed' });
  });

  it('finds a person whom the wallet does not prove again', async () => {
    const { client, wallet, sub, passkey } = await knownPerson();
    const later = wallet.installAnew({ now: () => Date.now() + 3_600_000 });
    for (const [nullifier, at] of wallet.proven) later.proven.set(nullifier, at);
    const browser = service.browser(client);
    const signIn = await browser.begin();
    expect(await service.prove(signIn, later)).toBe('nullifier_replayed');
    await use(signIn, browser, passkey.use(await challengeOf(signIn)));
    await service.prove(signIn, later);
    expect((await signIn.claims()).sub).toBe(sub);
  });

  it('is followed from a browser that knows somebody else, and left again', async () => {
    const { client, passkey } = await knownPerson();
    const browser = service.browser(client);
    const first = await browser.begin();
    await service.prove(first, new Wallet4({ person: 'other on this browser' }));
    await first.finish();
    const signIn = await browser.begin();
    expect(await signIn.page()).toContain('This browser was here before');
    await use(signIn, browser, passkey.use(await challengeOf(signIn)));
    expect(await signIn.page()).toContain('Your passkey is known here');
    await signIn.post('other', { way: 'other' });
    expect(await signIn.page()).toContain('This browser was here before');
  });

  it('is kept as long as its session once that is proven after its use', async () => {
    const { client, wallet, sub, passkey } = await knownPerson();
    const id = Uint8Array.from(Buffer.from(sub.slice(2), 'hex'));
    const expiry = async (): Promise<number> => {
      const { pointers } = await service.store.people.of(client.clientId, id, 0);
      return pointers.find(({ kind }) => kind === 'passkey')?.expiresAt ?? 0;
    };
    const before = await expiry();
    service.clock.offsetMs += 3_600_000;
    const browser = service.browser(client);
    const signIn = await browser.begin();
    await use(signIn, browser, passkey.use(await challengeOf(signIn)));
    expect(await expiry()).toBe(before);
    await service.prove(signIn, wallet);
    expect((await expiry()) - before).toBeGreaterThanOrEqual(3_600_000);
  });

  it('finds the person by another session when its own has been deleted in favour of newer ones', async () => {
    const { client, wallet, sub, passkey } = await knownPerson();
    for (let index = 0; index < 20; index++) {
      service.clock.offsetMs += 1000;
      const signIn = await service.browser(client).begin();
      await service.prove(signIn, wallet.installAnew());
    }
    const browser = service.browser(client);
    const signIn = await browser.begin();
    await use(signIn, browser, passkey.use(await challengeOf(signIn)));
    await service.prove(signIn, wallet);
    expect((await signIn.claims()).sub).toBe(sub);
  });
});

describe('a passkey is refused, and the attempt goes on,', () => {
  let known: Known;
  let browser: Browser4;
  let signIn: SignIn4;

  beforeEach(async () => {
    known = await knownPerson();
    browser = service.browser(known.client);
    signIn = await browser.begin();
  });

  const FAULTS: readonly (readonly [title: string, faults: Faults])[] = [
    ['with the signature of another key', { isForged: true }],
    ['at another origin', { origin: 'http://localhost:1' }],
    ['for another host', { rpId: 'example.org' }],
    ['in a frame of another site', { crossOrigin: true }],
    ['that was made and not used', { type: 'webauthn.create' }],
    ['with a user handle that nobody has', { userHandle: 'A'.repeat(43) }],
    ['with the id of another passkey', { id: 'AAAA' }],
  ];
  it.for(FAULTS)('%s', async ([, faults]) => {
    const challenge = await challengeOf(signIn);
    await expectRefusal(await use(signIn, browser, known.passkey.use(challenge, faults)));
    const good = known.passkey.use(challenge);
    expect((await use(signIn, browser, good)).status).toBe(204);
    // the attempt is over, and its challenge with it
    await expectRefusal(await use(signIn, browser, good));
  });

  it('of another app', async () => {
    const { passkey } = await knownPerson();
    await expectRefusal(await use(signIn, browser, passkey.use(await challengeOf(signIn))));
  });

  it('with the challenge of another sign-in', async () => {
    const other = await browser.begin();
    await expectRefusal(await use(signIn, browser, known.passkey.use(await challengeOf(other))));
  });

  it('with the challenge of an earlier attempt', async () => {
    const challenge = await challengeOf(signIn);
    await signIn.post('retry');
    await expectRefusal(await use(signIn, browser, known.passkey.use(challenge)));
  });

  it('whose counter does not grow: it may have been copied', async () => {
    expect((await use(signIn, browser, known.passkey.use(await challengeOf(signIn)))).status).toBe(204);
    const again = known.passkey.use(await challengeOf(signIn), { counter: 1 });
    await expectRefusal(await use(signIn, browser, again));
  });

  it('that was forgotten', async () => {
    const sub = Uint8Array.from(Buffer.from(known.sub.slice(2), 'hex'));
    await service.store.people.forget(known.client.clientId, sub);
    await expectRefusal(await use(signIn, browser, known.passkey.use(await challengeOf(signIn))));
  });

  it('that was not used for too long', async () => {
    service.clock.offsetMs += 400 * 86_400_000;
    onTestFinished(() => {
      service.clock.offsetMs -= 400 * 86_400_000;
    });
    signIn = await browser.begin();
    await expectRefusal(await use(signIn, browser, known.passkey.use(await challengeOf(signIn))));
  });

  it('of another person than the app expects', async () => {
    const first = await service.browser(known.client).begin();
    await service.prove(first, new Wallet4({ person: 'expected' }));
    const { code } = await first.finish();
    const tokens = await redeemCode(service.baseUrl, known.client, code);
    const { id_token: hint } = (await tokens.json()) as { readonly id_token: string };
    signIn = await browser.begin({ id_token_hint: hint });
    await expectRefusal(await use(signIn, browser, known.passkey.use(await challengeOf(signIn))));
  });

  it('in a sign-in that is over', async () => {
    const challenge = await challengeOf(signIn);
    await service.prove(signIn, new Wallet4({ person: 'somebody' }));
    await expectRefusal(await use(signIn, browser, known.passkey.use(challenge)));
  });

  it.for([
    ['that is no JSON', 'passkey'],
    ['that is no object', '[]'],
    ['without a signature', '{"id":"AAAA"}'],
    ['with a text that is too long', JSON.stringify({ id: 'A'.repeat(1365) })],
    ['with a text that is no base64url', JSON.stringify({ id: 'A=' })],
  ])('%s', async ([, body]) => {
    await expectRefusal(await use(signIn, browser, body));
  });
});

describe('POST /authorize/{txn}/passkey', () => {
  it('takes no request of another origin, without the cookie, that is not JSON, or of more than 12 KiB', async () => {
    const { client, passkey } = await knownPerson();
    const browser = service.browser(client);
    const signIn = await browser.begin();
    const url = `${signIn.path}/passkey`;
    const good = passkey.use(await challengeOf(signIn));
    const codeOf = async (response: Response) => [
      response.status,
      ((await response.json()) as { code: string }).code,
    ];
    expect(await codeOf(await postJson(browser, url, good, { Origin: 'https://evil.example' }))).toEqual([
      403,
      'session_not_found',
    ]);
    expect(await codeOf(await postJson(browser, url, good, { 'Sec-Fetch-Site': 'same-site' }))).toEqual([
      403,
      'session_not_found',
    ]);
    expect(await codeOf(await postJson(service.browser(client), url, good))).toEqual([
      403,
      'session_not_found',
    ]);
    const form = await browser.go(url, { method: 'POST', body: new URLSearchParams(good) });
    expect(await codeOf(form)).toEqual([400, 'invalid_content_type']);
    expect(await codeOf(await postJson(browser, url, { ...good, more: 'A'.repeat(12_288) }))).toEqual([
      413,
      'request_too_large',
    ]);
    expect((await postJson(browser, url, good)).status).toBe(204);
  });
});

describe('a new passkey', () => {
  let browser: Browser4;
  let signIn: SignIn4;

  beforeEach(async () => {
    browser = service.browser(await service.addClient());
    signIn = await browser.begin();
  });

  it.for<readonly [title: string, faults: Faults]>([
    ['at another origin', { origin: 'http://localhost:1' }],
    ['for another host', { rpId: 'example.org' }],
    ['in a frame of another site', { crossOrigin: true }],
    ['with an attestation of hardware, which would lead to addresses outside', { attestedBy: 'certificate' }],
    ['with a user handle of its own', { userHandle: 'A'.repeat(43) }],
    ['with another id', { id: 'AAAA' }],
  ])('is refused %s', async ([, faults]) => {
    await service.prove(signIn, new Wallet4({ person: `maker ${people++}` }));
    const offer = await offerOf(signIn, browser);
    const passkey = new SoftPasskey(service.baseUrl);
    await expectRefusal(await postJson(browser, offer.url, passkey.make(offer, faults)));
    expect((await postJson(browser, offer.url, passkey.make(offer))).status).toBe(204);
  });

  it('is accepted with an attestation by its own key, which browsers pass on', async () => {
    await service.prove(signIn, new Wallet4({ person: `maker ${people++}` }));
    const offer = await offerOf(signIn, browser);
    const made = new SoftPasskey(service.baseUrl).make(offer, { attestedBy: 'itself' });
    expect((await postJson(browser, offer.url, made)).status).toBe(204);
  });

  it('is refused with the offer of another sign-in', async () => {
    const other = await browser.begin();
    await service.prove(signIn, new Wallet4({ person: 'two at once' }));
    await service.prove(other, new Wallet4({ person: 'two at once' }));
    const { url } = await offerOf(signIn, browser);
    const offer = await offerOf(other, browser);
    await expectRefusal(await postJson(browser, url, new SoftPasskey(service.baseUrl).make(offer)));
  });

  it('is refused before the proof, after World ID 3.0, and once everything is forgotten', async () => {
    const passkey = new SoftPasskey(service.baseUrl);
    await service.prove(signIn, new Wallet4({ person: 'forgetful' }));
    const offer = await offerOf(signIn, browser);
    await signIn.post('known/forget', { id: 'all' });
    await expectRefusal(await postJson(browser, offer.url, passkey.make(offer)));
    const older = await browser.begin();
    await expectRefusal(await postJson(browser, `${older.path}/known/passkey`, passkey.make(offer)));
    await service.prove(older, new Wallet4({ person: 'older', has: ['3.0'] }));
    expect((await browser.go(`${older.path}/known`)).headers.get('location')).toBe(
      new URL(older.path).pathname,
    );
    await expectRefusal(await postJson(browser, `${older.path}/known/passkey`, passkey.make(offer)));
  });
});

describe('passkeys', () => {
  it.for([
    ['https://id.example.org/base', 'id.example.org'],
    ['https://id.example.org:8443', 'id.example.org'],
    ['http://localhost:8080', 'localhost'],
    ['http://id.example.org', undefined],
    ['http://127.0.0.1:8080', undefined],
    ['https://192.0.2.1', undefined],
    ['https://[2001:db8::1]', undefined],
  ] as const)('at %s are of %s', ([baseUrl, rpId]) => {
    const masterKey = Buffer.alloc(32, 1).toString('base64url');
    const keys = { masterKey } as Config['keys'];
    const config = { baseUrl, keys, profile: 'production', dataDir: '', apps: {} as Config['apps'] } as const;
    expect(createPasskeys(config)?.rpId).toBe(rpId);
  });
});
