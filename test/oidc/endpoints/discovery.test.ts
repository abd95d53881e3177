import { calculateJwkThumbprint, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { rawRequest, requestText } from '../../support/server/raw-client.ts';
import { openBackChannel, startBackChannel } from '../support/back-channel.ts';
import { expectedDocument } from '../support/discovery-document.ts';
import { wrongMethod } from '../support/refusals.ts';

const OPENID = '/.well-known/openid-configuration';
const OAUTH = '/.well-known/oauth-authorization-server';
const service = opened(openBackChannel, 'stop');

describe('discovery', () => {
  it.each([OPENID, OAUTH])('is the complete document at %s', async (path) => {
    const reply = await service.call(`GET ${path}`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual(expectedDocument('http://localhost:8080'));
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is at three addresses if the base address has a path', async () => {
    const base = 'http://localhost:8080/deep/er';
    const deep = await startBackChannel({ baseUrl: base });
    for (const path of [OPENID, OAUTH, `/${OAUTH}/deep/er`]) {
      const reply = await deep.call(`GET ${path}`);
      expect([path, reply.status]).toEqual([path, 200]);
      expect(reply.body).toEqual(expectedDocument(base));
    }
    for (const path of [`/${OPENID}`, `/${OAUTH}`, `/${OPENID}/deep/er`, '//jwks']) {
      expect((await deep.call(`GET ${path}`)).status).toBe(404);
    }
    expect((await deep.call('GET /jwks')).status).toBe(200);
  });
});

describe('the key set', () => {
  it.each(['/jwks', '/jwks.json'])(
    'at %s has only public members of RSA keys, with unique kids',
    async (path) => {
      const reply = await service.call(`GET ${path}`);
      expect(reply.headers.get('content-type')).toBe('application/json');
      expect(reply.headers.get('cache-control')).toBe('public, max-age=3600');
      const { keys } = reply.body as unknown as JSONWebKeySet;
      expect(Object.keys(reply.body)).toEqual(['keys']);
      expect(new Set(keys.map(({ kid }) => kid)).size).toBe(2);
      for (const key of keys) {
        expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
        expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256', e: 'AQAB' });
        expect(key.kid).toBe(await calculateJwkThumbprint(key));
        expect(Buffer.from(key.n ?? '', 'base64url').length).toBeGreaterThanOrEqual(256);
      }
    },
  );

  it('verifies the tokens of the service', async () => {
    const client = await service.addClient();
    const { body } = await service.exchange(client, await service.issueCode(client));
    const keys = createLocalJWKSet((await service.call('GET /jwks')).body as unknown as JSONWebKeySet);
    const options = { currentDate: new Date(service.clock.now), issuer: service.baseUrl };
    const id = await jwtVerify(String(body.id_token), keys, { ...options, audience: client.id });
    expect(id.protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    const access = await jwtVerify(String(body.access_token), keys, { ...options, typ: 'at+jwt' });
    expect(access.payload.sub).toBe(id.payload.sub);
  });

  it('may be cached for keys.jwksMaxAgeSeconds', async () => {
    const short = await startBackChannel({ 'keys.jwksMaxAgeSeconds': '60' });
    expect((await short.call('GET /jwks')).headers.get('cache-control')).toBe('public, max-age=60');
  });
});

describe.each([OPENID, OAUTH, '/jwks', '/jwks.json'])('%s', (path) => {
  it('answers HEAD as GET, without the body', async () => {
    const get = await service.call(`GET ${path}`);
    const head = await rawRequest(service.port, requestText(`HEAD ${path}`));
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const headers = Object.fromEntries(head.headers);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
    expect(headers['cache-control']).toBe(get.headers.get('cache-control'));
  });

  it('may be read from every origin, with an answer that does not vary by origin', async () => {
    for (const origin of ['https://anywhere.example', 'null']) {
      const get = await service.call(`GET ${path}`, { headers: { origin } });
      expect(get.headers.get('access-control-allow-origin')).toBe('*');
      expect(get.headers.get('vary')).toBeNull();
      const preflight = await service.call(`OPTIONS ${path}`, { headers: { origin } });
      expect([preflight.status, preflight.text]).toEqual([204, '']);
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
      expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
      expect(preflight.headers.get('access-control-allow-headers')).toBe('Content-Type');
      expect(preflight.headers.get('access-control-max-age')).toBe('600');
    }
  });

  it('refuses POST, with an answer that no cache may store', async () => {
    const reply = await service.call(`POST ${path}`);
    const text = wrongMethod('POST').text;
    expect([reply.status, reply.headers.get('allow'), reply.body.detail]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      text,
    ]);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });
});
