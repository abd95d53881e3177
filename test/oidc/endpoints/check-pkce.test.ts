// Rules: spec/sign-in.md#pkce-check
import fc from 'fast-check';
import { calculatePKCECodeChallenge } from 'openid-client';
import { describe, expect, it } from 'vitest';
import { checkPkce } from '../../../src/oidc/endpoints/exchange-code.ts';

// RFC 7636 appendix B
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const UNRESERVED = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'];

function codeOf(challenge: string | null, verifier: string | undefined): unknown {
  try {
    checkPkce(challenge, verifier);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ details: { path: 'code_verifier' } });
    return (error as { code?: unknown }).code;
  }
}

describe('checkPkce', () => {
  it('accepts the verifier of RFC 7636, and no verifier if there is no challenge', () => {
    expect(codeOf(CHALLENGE, VERIFIER)).toBeUndefined();
    expect(codeOf(null, undefined)).toBeUndefined();
  });

  it.each([
    [CHALLENGE, undefined, 'token.verifier_missing'],
    [null, VERIFIER, 'token.verifier_unexpected'],
    [null, 'x', 'token.verifier_unexpected'],
    [CHALLENGE, VERIFIER.slice(1), 'token.verifier_malformed'],
    [CHALLENGE, 'a'.repeat(129), 'token.verifier_malformed'],
    [CHALLENGE, `${VERIFIER}+`, 'token.verifier_malformed'],
    [CHALLENGE, `${VERIFIER}\n`, 'token.verifier_malformed'],
    [CHALLENGE, `${VERIFIER}é`, 'token.verifier_malformed'],
    [CHALLENGE, `${VERIFIER}a`, 'token.verifier_differs'],
    [CHALLENGE, CHALLENGE, 'token.verifier_differs'],
    // a digest of another length, for which timingSafeEqual would throw
    [CHALLENGE.slice(4), VERIFIER, 'token.verifier_differs'],
  ])('refuses challenge %s with verifier %s: %s', (challenge, verifier, code) => {
    expect(codeOf(challenge, verifier)).toBe(code);
  });

  it('accepts the challenge of openid-client for any verifier, and refuses any other verifier', async () => {
    const verifiers = fc
      .array(fc.constantFrom(...UNRESERVED), { minLength: 43, maxLength: 128 })
      .map((letters) => letters.join(''));
    await fc.assert(
      fc.asyncProperty(verifiers, verifiers, async (verifier, other) => {
        const challenge = await calculatePKCECodeChallenge(verifier);
        expect(codeOf(challenge, verifier)).toBeUndefined();
        if (other !== verifier) expect(codeOf(challenge, other)).toBe('token.verifier_differs');
      }),
    );
  });
});
