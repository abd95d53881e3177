import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { KEYS, NOW, SAMPLE, signed } from './support.ts';

describe('verifyCredential outside Node', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('fetches one module at the first check, tries again after a failure, and answers as in Node', async () => {
    // With a module of its own: the hash functions of the web keep one instance for the thread.
    vi.resetModules();
    const { verifyCredential } = await import('../../../src/library/credential-web.ts');
    const fetched: string[] = [];
    const options = { issuerKeys: KEYS, now: NOW };
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
    await expect(verifyCredential(SAMPLE.base64, options)).rejects.toMatchObject({
      name: 'ProofgateError',
      code: 'engine.backend_unavailable',
    });
    vi.stubGlobal('fetch', async (url: URL) => {
      fetched.push(url.pathname.replace(/^.*\//, ''));
      return new Response(readFileSync(url), { headers: { 'content-type': 'application/wasm' } });
    });
    const [valid, changed] = await Promise.all([
      verifyCredential(SAMPLE.base64, options),
      verifyCredential(SAMPLE.json.replace('"expires_at":1', '"expires_at":2'), options),
    ]);
    expect(valid).toMatchObject({
      valid: true,
      hash: SAMPLE.hash,
      credential: { expiresAt: 1_794_608_000n },
    });
    expect(changed).toMatchObject({ valid: false, code: 'credential.signature' });
    expect(await verifyCredential(signed({ id: 7n }), options)).toMatchObject({ valid: true });
    expect(fetched).toEqual([expect.stringMatching(/^(?:relaxed|simd|scalar)\.wasm$/)]);
  });
});
