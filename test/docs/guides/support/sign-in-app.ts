/** Apps of the guide `sign-in.md` with a back end, which show the person at a page of their own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../support/free-port.ts';
import { openInteropBrowser } from '../../../support/interop/browser.ts';
import { type Interop, startInterop } from '../../../support/interop/relying-party.ts';
import type { TestClient } from '../../../support/signin/clients.ts';
import { type RunningProgram, startByShell } from './program.ts';
import { GUIDE_ADDRESS, makeScratch, type Scratch } from './snippets.ts';

/** An app of the guide. */
export interface GuideApp {
  /** Its framework, with the language. */
  readonly name: string;
  /** Missing requirement; if set, the tests are skipped and their title says why. */
  readonly missing: string | undefined;
  /** Files of the guide that it consists of. */
  readonly files: readonly string[];
  /** Shell block that starts it. */
  readonly start: string;
  /** Path of the redirect URI, as the table of the guide has it. */
  readonly callback: string;
  /** Address of the page after a person declined, below the address of the app. */
  readonly afterDecline: RegExp;
  readonly prepare?: (scratch: Scratch) => void;
}

/** Values of a test for the placeholders of the guide. */
export function valuesFor(issuer: string, { clientId, clientSecret }: TestClient): Record<string, string> {
  return { [GUIDE_ADDRESS]: issuer, 'app_…': clientId, 'sk_…': clientSecret };
}

/** Tests sign-ins at an app whose page `/me` asks for a sign-in and shows `{sub, level}`. */
export function describeApp({
  name,
  missing,
  files,
  start,
  callback,
  afterDecline,
  prepare,
}: GuideApp): void {
  const skip = missing === undefined ? '' : ` [skipped: ${missing}]`;
  describe.skipIf(missing !== undefined)(`the app of sign-in.md in ${name}${skip}`, () => {
    const scratch = makeScratch();
    let interop: Interop;
    let client: TestClient;
    let app: RunningProgram & { readonly origin: string };
    let origin: string;
    beforeAll(async () => {
      interop = await startInterop();
      const port = await freePort();
      origin = `http://localhost:${port}`;
      // the libraries send PKCE, which this client demands
      client = await interop.service.addClient({
        redirectUris: [`${origin}${callback}`],
        requirePkce: true,
      });
      for (const file of files) scratch.add('sign-in', file);
      prepare?.(scratch);
      const values = valuesFor(interop.issuer, client);
      app = await startByShell(scratch, { guide: 'sign-in', file: start, values, port });
    }, 300_000);
    afterAll(async () => {
      await app?.end();
      await interop?.end();
      scratch.end();
    });

    it.each(['orb', 'device'] as const)('signs a person in with level %s', async (tree) => {
      const browser = openInteropBrowser(interop.issuer);
      const back = await browser.deliver(await browser.signIn(`${origin}/me`, { tree }));
      expect([back.url.split('?')[0], back.json()]).toEqual([
        `${origin}/me`,
        { sub: await interop.subFor(client), level: tree },
      ]);
    });

    it('refuses an answer in another browser than the one that asked', async () => {
      const answer = await openInteropBrowser(interop.issuer).signIn(`${origin}/me`);
      const stranger = await openInteropBrowser(interop.issuer).deliver(answer);
      expect(stranger.text).not.toContain(await interop.subFor(client));
    });

    it('shows a page when the person declines, and no session', async () => {
      const browser = openInteropBrowser(interop.issuer);
      const answer = await browser.signIn(`${origin}/me`, { declinesWith: 'verification_rejected' });
      const back = await browser.deliver(answer);
      expect(back.url.slice(origin.length)).toMatch(afterDecline);
      expect(back.text).not.toContain(await interop.subFor(client));
      // the next visit asks again
      await browser.signIn(`${origin}/me`);
    });
  });
}
