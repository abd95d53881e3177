/** A person with a browser signs in to an app, over a network that is cut at one moment. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { openChromium } from '../../support/browser/browser.ts';
import { CutNetwork } from '../../support/browser/cut-network.ts';
import { freePort } from '../../support/free-port.ts';
import { type LocalServer, serveLocally } from '../../support/server/local-server.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import { type CutCase, commitsPage, isEarly, losesPage, STEPS } from './cut-cases.ts';
import { Person, PHONE_URI, type Surroundings } from './cut-person.ts';

/** A service and an app behind a network that can be cut. */
export interface CutScene {
  readonly network: CutNetwork;
  /** Opens the app in a browser of a new person, who then presses its link to sign in. */
  open(given?: Pick<CutCase, 'mode' | 'onPhone' | 'isPushed'>): Promise<Person>;
  /** Signs in with one cut; expects that the app gets one good code by one proof. */
  run(given: CutCase): Promise<void>;
  end(): Promise<void>;
}

/** Starts the scene. */
export async function startCutScene(): Promise<CutScene> {
  const network = new CutNetwork();
  const received: Readonly<Record<string, string>>[] = [];
  const app = await serveApp(received);
  const appRelay = await network.relay(() => app.origin);
  const port = await freePort();
  const relay = await network.relay(() => `http://127.0.0.1:${port}`);
  const service = await startSigninService({
    settings: { baseUrl: relay.origin, 'server.port': String(port) },
  });
  const web = await service.addClient({ redirectUris: [`${appRelay.origin}/cb`] });
  const phone = await service.addClient({ applicationType: 'native', redirectUris: [PHONE_URI] });
  const browser = await openChromium();
  const around: Surroundings = { network, service, received, browser };
  const open: CutScene['open'] = async (given = {}) => {
    const client = given.onPhone ? phone : web;
    const context = await browser.newContext();
    context.setDefaultTimeout(60_000);
    onTestFinished(async () => {
      network.restore();
      await context.close();
    });
    const state = randomUUID();
    const begin = await addressOf(given, client, state, service);
    const page = await context.newPage();
    await page.goto(`${appRelay.origin}/?${new URLSearchParams({ to: begin })}`);
    return new Person(page, { state, client }, around);
  };
  return {
    network,
    open,
    run: async (given) => await run(given, await open(given), network),
    async end() {
      await browser.close();
      for (const server of [relay, appRelay, app]) await server.close();
      await service.end();
    },
  };
}

async function run(given: CutCase, person: Person, network: CutNetwork): Promise<void> {
  const { step, moment, next } = given;
  const { page } = person;
  if (!isEarly(step)) {
    await person.press('Sign in');
    // The page must not ask before the network is about to be cut.
    await page.locator('#wallet-link').waitFor();
    await page.waitForLoadState();
    network.fail();
    await person.prove();
  }
  const isFetched = ['style', 'script', 'status'].includes(step);
  const failed = isFetched ? page.waitForEvent('requestfailed') : undefined;
  const cut = network.cutAt(STEPS[step], moment);
  network.restore();
  if (isEarly(step)) await person.press('Sign in');
  else await person.hurry();
  await cut;
  if (commitsPage(given)) {
    const isAfter = (url: string): boolean => !(step === 'callback' && url.endsWith('/continue'));
    await page.waitForEvent('framenavigated', (frame) => isAfter(frame.url()));
  }
  await failed;
  if (losesPage(given)) await expect.poll(() => page.url(), { timeout: 60_000 }).toMatch(/^chrome-error:/);
  if (step === 'status' && moment !== 'after the answer') {
    await page.getByText('No answer from the sign-in service at the moment.').waitFor();
  }
  network.restore();
  await person.does(next);
  const proofs = await person.expectArrival();
  // Who begins anew at the app proves anew; a pushed request leads to the sign-in that was begun with it.
  const isNew = next === 'goes back' && person.beganAnew && !isEarly(step) && !given.isPushed;
  expect(proofs).toBe(isNew ? 2 : 1);
}

/** Returns the address by which the app begins the sign-in. */
async function addressOf(
  { mode = 'query', isPushed = false }: Partial<CutCase>,
  { clientId, clientSecret, redirectUri }: TestClient,
  state: string,
  { baseUrl }: SigninService,
): Promise<string> {
  const request = {
    response_type: 'code',
    scope: 'openid',
    client_id: clientId,
    redirect_uri: redirectUri,
    response_mode: mode,
    state,
  };
  if (!isPushed) return `${baseUrl}/authorize?${new URLSearchParams(request)}`;
  const body = new URLSearchParams({ ...request, client_secret: clientSecret });
  const pushed = await fetch(`${baseUrl}/par`, { method: 'POST', body });
  expect(pushed.status).toBe(201);
  const { request_uri } = (await pushed.json()) as { readonly request_uri: string };
  return `${baseUrl}/authorize?${new URLSearchParams({ client_id: clientId, request_uri })}`;
}

/** Serves an app: a page with a link to `to`, and the page at which people arrive. */
async function serveApp(received: Readonly<Record<string, string>>[]): Promise<LocalServer> {
  return await serveLocally(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://app');
    const isCallback = pathname === '/cb';
    if (isCallback) received.push(Object.fromEntries([...searchParams, ...(await formOf(request))]));
    const begin = (searchParams.get('to') ?? '').replaceAll('&', '&amp;');
    const content = isCallback ? '<h1>The app</h1>' : `<h1>Start</h1><a href="${begin}">Sign in</a>`;
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>App</title><link rel="icon" href="data:,">${content}`);
  });
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
