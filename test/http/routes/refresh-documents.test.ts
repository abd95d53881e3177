import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import type { ListedIssuerKey } from '../../../src/refresh/types.ts';
import { jsonOf, openRoutes } from '../../refresh/request/support/routes.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';

describe('GET /api/v1/issuer-keys', () => {
  const KEYS: ListedIssuerKey[] = [
    { issuerSchemaId: '18446744073709551615', pk: ['12', '34'], status: 'active' },
    { issuerSchemaId: '1', pk: ['5', '6'], status: 'retired' },
    { issuerSchemaId: '9007199254740993', pk: ['7', '8'], status: 'revoked' },
  ];
  const DOCUMENT =
    '{"keys":[{"issuer_schema_id":18446744073709551615,"pk":["12","34"],"status":"active"},' +
    '{"issuer_schema_id":1,"pk":["5","6"],"status":"retired"},' +
    '{"issuer_schema_id":9007199254740993,"pk":["7","8"],"status":"revoked"}]}';

  it('lists the keys in order, with all digits of a u64, cacheable and for any origin', async () => {
    const { port } = await openRoutes({ issuerKeys: KEYS });
    const answer = await rawRequest(
      port,
      requestText('GET /api/v1/issuer-keys?x=1', ['Origin: https://a.example']),
    );
    expect([answer.status, answer.body.toString()]).toEqual([200, DOCUMENT]);
    expect(headerOf(answer, 'content-type')).toBe('application/json');
    expect(headerOf(answer, 'cache-control')).toBe('public, max-age=300');
    expect(headerOf(answer, 'access-control-allow-origin')).toBe('*');
    const head = await rawRequest(port, requestText('HEAD /api/v1/issuer-keys'));
    expect([head.status, headerOf(head, 'content-length'), head.body.length]).toEqual([
      200,
      String(DOCUMENT.length),
      0,
    ]);
    expect(headerOf(head, 'cache-control')).toBe('public, max-age=300');
  });

  it('may be empty', async () => {
    const { port } = await openRoutes();
    expect((await rawRequest(port, requestText('GET /api/v1/issuer-keys'))).body.toString()).toBe(
      '{"keys":[]}',
    );
  });
});

describe('GET /api/v1/challenge', () => {
  it('issues a challenge that no cache stores, and HEAD issues one as well', async () => {
    const addresses: string[] = [];
    const { port } = await openRoutes({
      challenge: (addressKey) => {
        addresses.push(addressKey);
        return Promise.resolve({ challenge: `0x${'5a'.repeat(32)}`, expiresAt: 1_700_000_300 });
      },
    });
    const answer = await rawRequest(
      port,
      requestText('GET /api/v1/challenge', ['Origin: https://a.example']),
    );
    const document = `{"challenge":"0x${'5a'.repeat(32)}","expires_at":1700000300}`;
    expect([answer.status, answer.body.toString()]).toEqual([200, document]);
    expect(headerOf(answer, 'cache-control')).toBe('no-store');
    expect(headerOf(answer, 'access-control-allow-origin')).toBeUndefined();
    const head = await rawRequest(port, requestText('HEAD /api/v1/challenge'));
    expect([head.status, headerOf(head, 'content-length')]).toEqual([200, String(document.length)]);
    expect(addresses).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it.each([
    ['http.not_found', 404, 'NOT_FOUND'],
    ['http.rate_limited', 429, 'RATE_LIMIT_EXCEEDED'],
    ['store.unreachable', 503, 'TEMPORARILY_UNAVAILABLE'],
  ] as const)('answers %s with %i', async (code, status, error) => {
    const { port } = await openRoutes({ challenge: () => Promise.reject(new ServiceError(code)) });
    const answer = await rawRequest(port, requestText('GET /api/v1/challenge'));
    expect([answer.status, jsonOf(answer)]).toMatchObject([status, { success: false, error }]);
  });
});
