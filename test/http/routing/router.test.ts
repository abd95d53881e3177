// Rules: spec/operations.md#order-of-work and spec/operations.md#paths

import { describe, expect, it } from 'vitest';
import { renderVerifyError } from '../../../src/http/errors/verify.ts';
import type { Route } from '../../../src/http/exchange/exchange-types.ts';
import { createRouter } from '../../../src/http/routing/router.ts';
import { errorBody } from '../../support/error-body.ts';
import { IS_NODE_HTTP } from '../../support/server/http-library.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { describeRequest, openListener, testRoute } from '../../support/server/test-listener.ts';

const ROUTES: readonly Route[] = [
  testRoute('POST', '/api/v4/verify/:rp_id', describeRequest, { renderError: renderVerifyError }),
  testRoute('GET', '/both', describeRequest, { head: true }),
  testRoute('PUT', '/both', describeRequest),
  testRoute('GET', '/fixed/:id', describeRequest),
  testRoute('GET', '/fixed/one', () => ({ status: 200, body: 'one' })),
];

describe('a method that the path does not have', () => {
  // Node refuses methods that it does not know with 501, before it reads the path.
  it.each(['GET', 'PUT', 'DELETE', 'PATCH', ...(IS_NODE_HTTP ? [] : ['post', 'BREW'])])(
    'is 405 with the Allow header of the path: %s',
    async (method) => {
      const { port, records } = await openListener(ROUTES);
      const answer = await rawRequest(port, requestText(`${method} /api/v4/verify/rp_1`));
      expect(answer.status).toBe(405);
      expect(headerOf(answer, 'allow')).toBe('POST, OPTIONS');
      expect(JSON.parse(answer.body.toString())).toEqual({
        success: false,
        code: 'method_not_allowed',
        detail: `HTTP method '${method}' is not allowed for this endpoint.`,
        attribute: null,
      });
      const label = ['GET', 'PUT', 'DELETE', 'PATCH'].includes(method) ? method : 'other';
      expect(records).toMatchObject([{ method: label, code: 'http.method_not_allowed' }]);
    },
  );

  it('is 405 without a body for HEAD when the interface has no HEAD', async () => {
    const { port } = await openListener(ROUTES);
    const answer = await rawRequest(port, requestText('HEAD /api/v4/verify/rp_1'));
    expect(answer.status).toBe(405);
    expect(headerOf(answer, 'allow')).toBe('POST, OPTIONS');
  });

  it('is 405 with the methods in the order of the route table, HEAD after its GET', async () => {
    const { port } = await openListener(ROUTES);
    expect(headerOf(await rawRequest(port, requestText('DELETE /both')), 'allow')).toBe(
      'GET, HEAD, PUT, OPTIONS',
    );
  });
});

describe('OPTIONS', () => {
  it('is 204 with the Allow header', async () => {
    const { port } = await openListener(ROUTES);
    const answer = await rawRequest(port, requestText('OPTIONS /api/v4/verify/rp_1'));
    expect(answer.status).toBe(204);
    expect(headerOf(answer, 'allow')).toBe('POST, OPTIONS');
    expect(headerOf(answer, 'access-control-allow-origin')).toBeUndefined();
  });

  it('is 404 for a path that does not exist', async () => {
    const { port } = await openListener(ROUTES);
    expect((await rawRequest(port, requestText('OPTIONS /nowhere'))).status).toBe(404);
  });
});

describe('an unknown path', () => {
  const bodies: [string, object][] = [
    ['/api/v4/other', { success: false, code: 'not_found', detail: 'Not found.', attribute: null }],
    ['/api/v4/verify/', { success: false, code: 'not_found', detail: 'Not found.', attribute: null }],
    ['/api/v4/verify/a/b', { success: false, code: 'not_found', detail: 'Not found.', attribute: null }],
    ['/api/v1/other', { success: false, error: 'NOT_FOUND', message: 'Not found' }],
    ['/api/v4', errorBody('invalid_request', 'not_found', 'Not found.')],
  ];

  it.each(bodies)('%s is 404 with the body of its interface', async (path, body) => {
    const { port, records } = await openListener(ROUTES);
    const answer = await rawRequest(port, requestText(`POST ${path}`));
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body.toString())).toEqual(body);
    expect(records).toMatchObject([{ route: 'unmatched', code: 'http.not_found' }]);
  });

  it.each(['//both', '/both/', '/p/../both', '/./both', '/BOTH', '/%62oth', '/both;a', '/both%3Fa'])(
    '%s is not the path /both',
    async (path) => {
      const { port } = await openListener(ROUTES);
      expect((await rawRequest(port, requestText(`GET ${path}`))).status).toBe(404);
    },
  );
});

describe('a path parameter', () => {
  const idOf = async (path: string): Promise<unknown> => {
    const { port } = await openListener(ROUTES);
    const answer = await rawRequest(port, requestText(`GET ${path}`));
    return answer.status === 200 ? JSON.parse(answer.body.toString()).params.id : answer.status;
  };

  it('is percent-decoded once', async () => {
    expect(await idOf('/fixed/a%2Fb')).toBe('a/b');
    expect(await idOf('/fixed/a%252Fb')).toBe('a%2Fb');
    expect(await idOf('/fixed/%C3%A9%20+')).toBe('é +');
    expect(await idOf('/fixed/..')).toBe('..');
  });

  it.each(['%', '%2', '%zz', 'a%C3', '%FF'])('is 400 with the malformed escape %s', async (value) => {
    expect(await idOf(`/fixed/${value}`)).toBe(400);
  });

  it('is 405 before 400, when both are wrong', async () => {
    const { port } = await openListener(ROUTES);
    expect((await rawRequest(port, requestText('GET /api/v4/verify/%zz'))).status).toBe(405);
    expect((await rawRequest(port, requestText('POST /api/v4/verify/%zz'))).status).toBe(400);
  });
});

describe('createRouter', () => {
  it('prefers a fixed path to a pattern, whatever their order', () => {
    const router = createRouter(ROUTES);
    expect(router.match('/fixed/one')?.endpoint.pattern).toBe('/fixed/one');
    expect(router.match('/fixed/two')).toMatchObject({ rawParams: { id: 'two' } });
  });

  it('matches each path by itself, also beyond the capacity of its cache', () => {
    const router = createRouter(ROUTES);
    const ids = Array.from({ length: 600 }, (_, index) => `${index}`);
    for (const id of [...ids, ...ids, 'x'.repeat(1000)]) {
      expect(router.match(`/fixed/${id}`)).toMatchObject({ rawParams: { id } });
      expect(router.match(`/fixed/${id}/`)).toBeUndefined();
    }
  });

  it('refuses two routes for one method and path', () => {
    for (const method of ['PUT', 'HEAD'] as const) {
      const routes = [...ROUTES, testRoute(method, '/both', describeRequest)];
      expect(() => createRouter(routes)).toThrow(`${method} /both`);
      expect(() => createRouter(routes.reverse())).toThrow(`two routes for ${method} /both`);
    }
  });
});
