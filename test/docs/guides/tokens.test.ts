import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Interop, startInterop } from '../../support/interop/relying-party.ts';
import { runShell } from './support/program.ts';
import { GUIDE_ADDRESS, jsonSnippet, makeScratch, ROOT, type Scratch } from './support/snippets.ts';

const NONCE = 'n-0S6_WzA2Mj';

interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
}

describe('the guide tokens.md', () => {
  let interop: Interop;
  let scratch: Scratch;
  let tokens: Tokens;

  beforeAll(async () => {
    interop = await startInterop();
    scratch = makeScratch();
    tokens = await signIn();
  });
  afterAll(async () => {
    await interop?.end();
    scratch?.end();
  });

  async function signIn(): Promise<Tokens> {
    const { web, service, issuer } = interop;
    const { parameters } = await service.complete({ scope: 'openid email profile', nonce: NONCE });
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${web.clientId}:${web.clientSecret}`)}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: parameters.code ?? '',
        redirect_uri: web.redirectUri,
      }),
    });
    return (await response.json()) as Tokens;
  }

  /** Runs a shell block with the variables of the reader. Returns its output as JSON; undefined if it is empty. */
  async function run(file: string, secret = interop.web.clientSecret): Promise<unknown> {
    const { clientId } = interop.web;
    const variables = { CLIENT_ID: clientId, CLIENT_SECRET: secret, ACCESS_TOKEN: tokens.access_token };
    const { code, stdout, stderr } = await runShell(scratch, 'tokens', [file], {
      baseUrl: interop.issuer,
      env: variables,
    });
    expect(code, stderr).toBe(0);
    return stdout === '' ? undefined : JSON.parse(stdout);
  }

  /** Expects the members of a block, in order, with its texts where they do not depend on the sign-in. */
  function expectShown(actual: unknown, file: string): void {
    const text = JSON.stringify(jsonSnippet('tokens', file)).replaceAll(GUIDE_ADDRESS, interop.issuer);
    const shown = JSON.parse(text) as Record<string, unknown>;
    const real = actual as Record<string, unknown>;
    expect(Object.keys(real)).toEqual(Object.keys(shown));
    const own = ['sub', 'aud', 'client_id', 'iat', 'exp', 'jti', 'auth_time', 'at_hash', 'email'];
    for (const [name, value] of Object.entries(shown)) {
      if (own.includes(name)) expect(typeof real[name], name).toBe(typeof value);
      else expect(real[name], name).toEqual(value);
    }
  }

  /** Runs `checkIdToken` for tokens and nonces as a client. Returns what it gives, or the message of its error. */
  async function check(
    cases: readonly (readonly [idToken: string, nonce: string, clientId: string])[],
  ): Promise<unknown> {
    scratch.add('tokens', 'check-id-token.ts');
    scratch.write(
      'caller.ts',
      `const cases = JSON.parse(process.argv[2] ?? '') as [string, string, string][];
const results: unknown[] = [];
for (const [idToken, nonce, clientId] of cases) {
  process.env.CLIENT_ID = clientId;
  const { checkIdToken } = await import('./check-id-token.ts?' + clientId);
  results.push(await checkIdToken(idToken, nonce).catch((error: Error) => error.message));
}
console.log(JSON.stringify(results));`,
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(ROOT, 'node_modules/tsx/dist/cli.mjs'), 'caller.ts', JSON.stringify(cases)],
      {
        cwd: scratch.folder,
        env: { PATH: process.env.PATH, PROOFGATE_URL: interop.issuer },
      },
    );
    return JSON.parse(stdout);
  }

  it('shows the claims of an ID token, and their lives', () => {
    const claims = decodeJwt(tokens.id_token);
    expectShown(claims, 'id-token.json');
    const access = decodeJwt(tokens.access_token);
    const lives = [claims, access].map(({ iat = 0, exp = 0 }) => exp - iat);
    expect(lives).toEqual([3600, 3600]);
    expect([claims.aud, access.aud]).toEqual([interop.web.clientId, interop.issuer]);
  });

  it('checks an ID token', async () => {
    const { id_token, access_token } = tokens;
    const { clientId } = interop.web;
    const cases = [
      [id_token, NONCE, clientId],
      [id_token, 'other', clientId],
      [access_token, NONCE, clientId],
      [id_token, NONCE, 'app_other'],
    ] as const;
    expect(await check(cases)).toEqual([
      { sub: await interop.subFor(), level: 'orb' },
      'the nonce is not the one of this sign-in',
      expect.stringMatching(/claim/),
      'unexpected "aud" claim value',
    ]);
  });

  it('asks for the person, asks whether the token is valid, and revokes it', async () => {
    const person = (await run('userinfo.sh')) as Record<string, unknown>;
    expect(person).toMatchObject({ sub: await interop.subFor(), name: 'World ID User' });
    expectShown(await run('introspect.sh'), 'active.json');
    expect(await run('introspect.sh', 'wrong')).toMatchObject({ error: 'invalid_client' });
    expect(await run('revoke.sh')).toBeUndefined();
    expectShown(await run('introspect.sh'), 'inactive.json');
    expect(await run('userinfo.sh')).toMatchObject({ error: 'invalid_token', code: 'invalid_token' });
  });
});
