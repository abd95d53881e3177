import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, decodeProtectedHeader, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { issueCode } from '../../../src/oidc/authorize/responder.ts';
import { createKeyOperator, removeKey } from '../../../src/oidc/keys/operate.ts';
import { createSigningKeys, type SigningKeys } from '../../../src/oidc/keys/signing-keys.ts';
import { casesOf } from '../../support/cases.ts';
import { opened } from '../../support/opened.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { startSigninService } from '../../support/signin/service.ts';
import { CACHE, createClock } from './support/key-folder.ts';

const JWKS_MAX_AGE = 3600;
/** Shortest lead that the configuration allows, in seconds. */
const SHORTEST_LEAD = JWKS_MAX_AGE + CACHE + 1;
const SETTINGS = {
  // shorter than the lead, so that each key signs as early as it may
  'keys.rotationPeriodSeconds': '1800',
  'keys.publishLeadSeconds': String(SHORTEST_LEAD),
};
/** Seconds between moments, so that fetches and rotations fall just before and after a lead or max-age. */
const STEPS = [288, 300, 6, 6];
const MOMENTS = casesOf(160, 20);
/** Sign-ins concurrent with each rotation. */
const SIGN_INS = 2;
/** One per moment in the lifetime of a cached set: at each moment one of them fetches a new set. */
const VERIFIERS = 26;
const TOKEN_LIFE = 3600;

interface Tokens {
  readonly accessToken: string;
  readonly idToken: string;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
}

/** A relying party or resource server that caches the key set for its whole max-age. */
interface Verifier {
  /**
   * Verifies both tokens as of the time `at`, in milliseconds since the epoch.
   *
   * @throws JWKSNoMatchingKey and the other errors of jose
   */
  verify(tokens: Tokens, at: number): Promise<void>;
}

const clock = createClock();
/** A second process on the same store, which does the rotations. */
let other: SigningKeys;
let operator: Parameters<typeof removeKey>[1];

const service = opened(() => startSigninService({ settings: SETTINGS, now: clock.now }), 'end');
beforeAll(async () => {
  const { dataDir } = service.app;
  const given = { profile: 'test', dataDir, ...SETTINGS };
  const { config } = await loadConfig({ env: environmentOf(given), cwd: dataDir });
  const store = service.store.signingKeys;
  other = await createSigningKeys({ store, config, now: clock.now });
  operator = createKeyOperator(store, config, clock.now);
});

function createVerifier(): Verifier {
  let known: { readonly set: ReturnType<typeof createLocalJWKSet>; readonly until: number } | undefined;
  return {
    async verify({ accessToken, idToken }, at) {
      if (known === undefined || clock.now() > known.until) {
        const answer = await fetch(`${service.baseUrl}/jwks`);
        const seconds = Number(/max-age=(\d+)/.exec(answer.headers.get('cache-control') ?? '')?.[1]);
        expect(seconds).toBe(JWKS_MAX_AGE);
        const set = createLocalJWKSet((await answer.json()) as JSONWebKeySet);
        known = { set, until: clock.now() + seconds * 1000 };
      }
      const rules = { issuer: service.baseUrl, algorithms: ['RS256'], currentDate: new Date(at) };
      const { clientId } = service.web;
      await jwtVerify(idToken, known.set, { ...rules, typ: 'JWT', audience: clientId });
      await jwtVerify(accessToken, known.set, { ...rules, typ: 'at+jwt', audience: service.baseUrl });
    },
  };
}

/** Ends a sign-in: stores a code as `…/continue` does and exchanges it at /token. */
async function signIn(): Promise<Tokens> {
  const { clientId, redirectUri } = service.web;
  const now = clock.now();
  const accepted = { sub: new Uint8Array(32).fill(0x21), level: 'orb', authTime: now } as const;
  const request = { clientId, redirectUri, responseType: 'code', responseMode: 'query' } as const;
  const code = issueCode({ ...request, scope: ['openid'], requiresOrb: false }, accepted, {}, now + 300_000);
  const spent = { hash: new Uint8Array(randomBytes(32)), expiresAt: now + 1000 };
  expect(await service.store.grants.issue(code.row, spent, now)).toBe(true);
  const answer = await fetch(`${service.baseUrl}/token`, {
    method: 'POST',
    headers: { authorization: basic() },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: code.text,
      redirect_uri: redirectUri,
    }),
  });
  expect(answer.status).toBe(200);
  const body = (await answer.json()) as { access_token: string; id_token: string };
  return { accessToken: body.access_token, idToken: body.id_token, issuedAt: now };
}

function basic(): string {
  const { clientId, clientSecret } = service.web;
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

async function userInfoStatus({ accessToken }: Tokens): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await fetch(`${service.baseUrl}/userinfo`, { headers })).status;
}

async function isActive({ accessToken }: Tokens): Promise<boolean> {
  const answer = await fetch(`${service.baseUrl}/introspect`, {
    method: 'POST',
    headers: { authorization: basic() },
    body: new URLSearchParams({ token: accessToken }),
  });
  return ((await answer.json()) as { active: boolean }).active;
}

const kidOf = ({ accessToken }: Tokens): string => decodeProtectedHeader(accessToken).kid ?? '';

/** Returns the newest of these tokens for each key that signed one. */
function onePerKey(tokens: readonly Tokens[]): Iterable<Tokens> {
  return new Map(tokens.map((held) => [kidOf(held), held])).values();
}

function isAlive({ issuedAt }: Tokens): boolean {
  return clock.now() < issuedAt + TOKEN_LIFE * 1000;
}

describe('rotation while others hold a cached key set', () => {
  let tokens: Tokens[] = [];
  const verifiers: Verifier[] = [];

  it('refuses no valid token, at verifiers with cached sets of any age or at /userinfo', async () => {
    const signers = new Set<string>();
    const begin = clock.now();
    for (let moment = 0; moment < MOMENTS; moment++) {
      if (verifiers.length < VERIFIERS) verifiers.push(createVerifier());
      const [fresh] = await Promise.all([
        Promise.all(Array.from({ length: SIGN_INS }, signIn)),
        other.rotateIfDue(),
        ...tokens.slice(0, 2).map(async (held) => expect(await userInfoStatus(held)).toBe(200)),
      ]);
      tokens.push(...fresh);
      for (const token of fresh) signers.add(kidOf(token));
      for (const verifier of verifiers) {
        for (const held of onePerKey(tokens)) await verifier.verify(held, clock.now());
      }
      for (const held of [tokens[0], tokens.at(-1)]) {
        if (held !== undefined) expect(await userInfoStatus(held)).toBe(200);
      }
      clock.advance(STEPS[moment % STEPS.length] ?? 0);
      tokens = tokens.filter(isAlive);
    }
    const rotations = Math.floor((clock.now() - begin) / 1000 / (SHORTEST_LEAD + 600));
    expect(signers.size).toBeGreaterThan(rotations);
  });

  it('invalidates the tokens of a removed key, and no others', async () => {
    const rows = await service.store.signingKeys.list('signin', clock.now());
    const before = (await Promise.all(Array.from({ length: SIGN_INS }, signIn))).filter(isAlive);
    const [victim] = before;
    if (victim === undefined) throw new Error('no token');
    expect(kidOf(victim)).toBe(rows[0]?.kid);
    expect(await userInfoStatus(victim)).toBe(200);
    const issuedAt = clock.now();

    await removeKey(kidOf(victim), operator);
    clock.advance(CACHE);
    const { keys } = (await (await fetch(`${service.baseUrl}/jwks`)).json()) as JSONWebKeySet;
    expect(keys.map(({ kid }) => kid)).not.toContain(kidOf(victim));
    for (const dead of before) {
      expect(await userInfoStatus(dead)).toBe(401);
      expect(await isActive(dead)).toBe(false);
    }
    const after = await signIn();
    expect(kidOf(after)).toBe(rows[1]?.kid);
    expect(await userInfoStatus(after)).toBe(200);
    expect(await isActive(after)).toBe(true);

    clock.advance(JWKS_MAX_AGE + 1);
    for (const verifier of verifiers) {
      // verified as of their issue, so that only the key can make them invalid, not their age
      await expect(verifier.verify(victim, issuedAt)).rejects.toBeInstanceOf(errors.JWKSNoMatchingKey);
      await expect(verifier.verify(after, issuedAt)).resolves.toBeUndefined();
    }
  });
});
