import { beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../../src/semaphore/hex.ts';
import { freePort } from '../../support/free-port.ts';
import { openInteropBrowser } from '../../support/interop/browser.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import type { SignInAnswer, SignInCourse } from '../../support/signin/driver.ts';
import { redeemCode } from '../../support/signin/driver.ts';
import type { SharedSignin } from '../../support/signin/service.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';
import { nullifierOf } from '../../support/test-wallet.ts';
import { type AuthMethod, startRelyingParty } from './relying-party.ts';

/** A library under test, with a program for `startRelyingParty`. */
export interface RelyingPartySubject {
  /** Name of the library, with its language. */
  readonly name: string;
  /** Missing requirement; if set, the tests are skipped and their title says why. */
  readonly missing: string | undefined;
  /** Builds the program if necessary. Returns the program and its arguments. */
  prepare(): Promise<readonly string[]>;
}

// enough for a compiler on a loaded machine
const PREPARE_TIMEOUT_MS = 600_000;

/**
 * Tests sign-ins through a relying party: with each secret method, declined, with a used code, with a wrong
 * secret.
 */
export function describeRelyingParty({ name, missing, prepare }: RelyingPartySubject): void {
  const skip = missing === undefined ? '' : ` [skipped: ${missing}]`;
  describe.skipIf(missing !== undefined)(`${name}${skip}`, { timeout: 180_000 }, () => {
    let command: readonly string[];
    let service: SharedSignin;
    let client: TestClient;
    beforeAll(async () => {
      command = await prepare();
      service = await useSharedSignin();
      client = await service.addClient({ redirectUris: [`http://127.0.0.1:${await freePort()}/callback`] });
    }, PREPARE_TIMEOUT_MS);

    interface Run {
      readonly authMethod?: AuthMethod;
      readonly clientSecret?: string;
      readonly course?: SignInCourse;
      /** Called with the answer on its way to the relying party. */
      readonly onTheWay?: (answer: SignInAnswer) => Promise<unknown>;
    }

    /** Signs in once. Returns status and content of the page of the relying party. */
    async function signIn(run: Run = {}): Promise<{ status: number; page: unknown }> {
      const { authMethod = 'client_secret_basic', clientSecret = client.clientSecret } = run;
      const party = await startRelyingParty(command, {
        issuer: service.baseUrl,
        client: { ...client, clientSecret },
        authMethod,
      });
      try {
        const browser = openInteropBrowser(service.baseUrl);
        const answer = await browser.signIn(party.loginUrl, run.course);
        await run.onTheWay?.(answer);
        const visit = await browser.deliver(answer);
        return { status: visit.status, page: visit.json() };
      } finally {
        await party.end();
      }
    }

    it.each(['client_secret_basic', 'client_secret_post'] as const)(
      'signs in with %s',
      async (authMethod) => {
        const sub = toHex(await nullifierOf('alice', client.clientId));
        const person = {
          sub,
          email: `${sub}@${new URL(service.baseUrl).hostname}`,
          name: 'World ID User',
          [`${service.baseUrl}/v1`]: { verification_level: 'orb' },
        };
        expect(await signIn({ authMethod })).toMatchObject({
          status: 200,
          page: {
            claims: { iss: service.baseUrl, aud: client.clientId, acr: 'orb', ...person },
            userinfo: person,
          },
        });
      },
    );

    it('reports a declined sign-in', async () => {
      expect(await signIn({ course: { declinesWith: 'verification_rejected' } })).toEqual({
        status: 400,
        page: { error: 'access_denied: The person declined in the wallet.' },
      });
    });

    it('reports why a used code is refused', async () => {
      const { status, page } = await signIn({ onTheWay: ({ parameters }) => useUp(parameters.code ?? '') });
      expect(status).toBe(400);
      expect(page).toEqual({ error: expect.stringMatching(/invalid_grant.*Invalid authorization code\./s) });
    });

    it.each(['client_secret_basic', 'client_secret_post'] as const)(
      'reports that its secret, sent by %s, is wrong',
      async (authMethod) => {
        const { status, page } = await signIn({ authMethod, clientSecret: `${client.clientSecret}x` });
        expect(status).toBe(400);
        expect(page).toEqual({
          error: expect.stringMatching(/invalid_client.*Invalid authentication credentials\./s),
        });
      },
    );

    /**
     * Uses a code up: an attempt by its client consumes it even without the verifier
     * (spec/sign-in.md#token-endpoint, use-code).
     */
    async function useUp(code: string): Promise<void> {
      const response = await redeemCode(service.baseUrl, client, code);
      expect(await response.json()).toMatchObject({ error: 'invalid_grant', attribute: 'code_verifier' });
    }
  });
}
