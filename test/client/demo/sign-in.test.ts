import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  beginSignIn,
  RESPONSE_TYPES,
  rememberSignIn,
  type TabStorage,
  takeSignIn,
} from '../../../src/client/demo/begin-sign-in.ts';
import { readAnswer } from '../../../src/client/demo/redeem-answer.ts';
import { challengeOf, halfHash } from '../../../src/client/demo/texts.ts';

const CONFIG = {
  redirectUri: 'https://id.example/demo/callback',
  urls: {
    demo: '',
    authorize: 'https://id.example/authorize',
    token: '/token',
    jwks: '/jwks',
    userinfo: '/userinfo',
    revoke: '/revoke',
  },
};
const CHOICES = {
  clientId: 'app_staging_0',
  responseType: 'code',
  responseMode: '',
  scope: 'openid',
  acrValues: '',
};

/** Creates the storage of one tab. */
function tab(): TabStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

describe('a request of the demo', () => {
  it('has the chosen parameters, with PKCE exactly if a code is returned', async () => {
    for (const { value: responseType } of RESPONSE_TYPES) {
      const { url, pending } = await beginSignIn(CONFIG, { ...CHOICES, responseType });
      const { origin, pathname, searchParams } = new URL(url);
      expect(`${origin}${pathname}`).toBe('https://id.example/authorize');
      const hasCode = responseType.split(' ').includes('code');
      expect(Object.fromEntries(searchParams)).toEqual({
        client_id: 'app_staging_0',
        redirect_uri: 'https://id.example/demo/callback',
        response_type: responseType,
        scope: 'openid',
        state: pending.state,
        nonce: pending.nonce,
        ...(hasCode
          ? {
              code_challenge: createHash('sha256')
                .update(pending.verifier ?? '')
                .digest('base64url'),
              code_challenge_method: 'S256',
            }
          : {}),
      });
      expect(pending.verifier === undefined).toBe(!hasCode);
    }
  });

  it('names mode and level if they were chosen, and never reuses state, nonce or verifier', async () => {
    const choices = { ...CHOICES, responseMode: 'form_post', acrValues: 'orb' };
    const [first, second] = [await beginSignIn(CONFIG, choices), await beginSignIn(CONFIG, choices)];
    const { searchParams } = new URL(first.url);
    expect([searchParams.get('response_mode'), searchParams.get('acr_values')]).toEqual(['form_post', 'orb']);
    const texts = [first, second].flatMap(({ pending }) => [pending.state, pending.nonce, pending.verifier]);
    expect(new Set(texts).size).toBe(6);
    for (const text of texts) expect(text).toMatch(/^[\w-]{43}$/);
  });
});

describe('a pending sign-in', () => {
  const pending = { clientId: 'app_staging_0', state: 's', nonce: 'n', verifier: 'v', responseType: 'code' };

  it('is taken once, by the state, in the tab that began it', () => {
    const [own, other] = [tab(), tab()];
    rememberSignIn(own, pending);
    expect(takeSignIn(other, 's')).toBeUndefined();
    expect(takeSignIn(own, 'another')).toBeUndefined();
    expect(takeSignIn(own, 's')).toEqual(pending);
    expect(takeSignIn(own, 's')).toBeUndefined();
  });

  it('does not interfere with another one of the same tab', () => {
    const own = tab();
    rememberSignIn(own, pending);
    rememberSignIn(own, { ...pending, state: 't', nonce: 'm' });
    expect(takeSignIn(own, 's')?.nonce).toBe('n');
    expect(takeSignIn(own, 't')?.nonce).toBe('m');
  });
});

describe('an answer to the demo', () => {
  it.each([
    ['query', '?code=c%20d&state=s', '', undefined],
    ['fragment', '', '#code=c%20d&state=s', undefined],
    [
      'form_post',
      '',
      '',
      [
        ['code', 'c d'],
        ['state', 's'],
      ] as const,
    ],
  ])('is read from %s', (mode, search, hash, posted) => {
    const answer = readAnswer({ search, hash }, posted);
    expect(answer?.mode).toBe(mode);
    expect(answer?.parameters).toEqual([
      ['code', 'c d'],
      ['state', 's'],
    ]);
    expect([answer?.get('code'), answer?.get('iss')]).toEqual(['c d', undefined]);
  });

  it('is absent when the page is opened by hand', () => {
    expect(readAnswer({ search: '', hash: '' })).toBeUndefined();
    expect(readAnswer({ search: '?', hash: '#' })).toBeUndefined();
  });
});

describe('hashes of the demo', () => {
  it('match the vectors of the standards', async () => {
    // RFC 7636 appendix B; OpenID Connect Core appendix A
    expect(await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
    expect(await halfHash('jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y')).toBe('77QmUPtjPfzWtF2AnpK9RQ');
  });
});
