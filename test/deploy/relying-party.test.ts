import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { openInteropBrowser } from '../support/interop/browser.ts';
import { startInterop } from '../support/interop/relying-party.ts';
import { opened } from '../support/opened.ts';
import type { TestClient } from '../support/signin/clients.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DEPLOY } from './support/manifests.ts';

const folder = temporaryFolder('relying-party', afterAll);
let origin: string;
let client: TestClient;
let end: () => Promise<number | null>;

const interop = opened(startInterop, 'end');
beforeAll(async () => {
  origin = `http://127.0.0.1:${await freePort()}`;
  client = await interop.service.addClient({ redirectUris: [`${origin}/callback`] });
  const file = join(folder, 'client-secret');
  writeFileSync(file, `${client.clientSecret}\n`);
  const settings = { ISSUER: interop.issuer, CLIENT_ID: client.clientId, CLIENT_SECRET_FILE: file };
  const child = spawn(process.execPath, [join(DEPLOY, 'compose/relying-party.mjs')], {
    env: { PATH: process.env.PATH ?? '', ...settings, ORIGIN: origin },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  end = async () => {
    child.kill('SIGTERM');
    return (await closed)[0];
  };
  const listening = once(createInterface(child.stdout), 'line');
  await Promise.race([listening, closed.then(([code]) => Promise.reject(new Error(`exit code ${code}`)))]);
});

describe('the relying party of compose.yaml', () => {
  it('signs a person in and shows the claims', async () => {
    const { browser } = interop;
    const home = await browser.visit(origin);
    expect(home.text).toContain('href="/sign-in"');
    const page = await browser.deliver(await browser.signIn(`${origin}/sign-in`));
    expect(page.text).toContain('Signed in.');
    expect(page.text).toContain(await interop.subFor(client));
    expect(page.status).toBe(200);
  });

  it('says why a person who declines is not signed in', async () => {
    const course = { declinesWith: 'verification_rejected' } as const;
    const page = await interop.browser.deliver(await interop.browser.signIn(`${origin}/sign-in`, course));
    expect(page.status).toBe(400);
    expect(page.text).toContain('Not signed in');
  });

  it('takes an answer from the browser that began alone, and once', async () => {
    const answer = await interop.browser.signIn(`${origin}/sign-in`);
    const other = await openInteropBrowser(interop.issuer).deliver(answer);
    expect([other.status, other.text]).toEqual([400, expect.stringContaining('begun no sign-in')]);
    expect((await interop.browser.deliver(answer)).status).toBe(200);
    expect((await interop.browser.deliver(answer)).status).toBe(400);
  });

  it('answers other paths and methods, and ends at a signal', async () => {
    expect((await fetch(`${origin}/other`)).status).toBe(404);
    expect((await fetch(origin, { method: 'POST' })).status).toBe(405);
    expect(await end()).toBe(0);
  });
});
