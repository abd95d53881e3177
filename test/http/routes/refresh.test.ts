// Rules: spec/refresh.md#endpoints

import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { BODY_LIMIT, jsonOf, openRoutes, post, refused, TYPE } from '../../refresh/request/support/routes.ts';
import { IS_NODE_HTTP } from '../../support/server/http-library.ts';
import { headerOf, rawRequest, requestText } from '../../support/server/raw-client.ts';

const PATHS = ['/api/v1/refresh', '/api/v1/issuer-keys', '/api/v1/challenge'];

describe('POST /api/v1/refresh', () => {
  it('passes the request on unchanged and answers with the credential', async () => {
    const { port, calls } = await openRoutes();
    const answer = await rawRequest(
      port,
      post(
        [TYPE, 'X-Zkp-Proof: cHJvb2Y=', 'attestation-gateway-token: t'],
        '--b\r\n\0\xff\r\n--b--\r\n',
        '?idComm=0x%31&x=%zz',
      ),
    );
    expect([answer.status, answer.body.toString()]).toEqual([
      200,
      '{"success":true,"credential":"eyJpZCI6MX0=","message":"Credential refreshed successfully"}',
    ]);
    expect(headerOf(answer, 'content-type')).toBe('application/json');
    expect(headerOf(answer, 'cache-control')).toBe('no-store');
    expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff');
    expect(headerOf(answer, 'x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const [call] = calls;
    expect(calls).toHaveLength(1);
    expect(call).toMatchObject({
      query: 'idComm=0x%31&x=%zz',
      contentType: 'multipart/form-data; boundary=b',
      proofHeader: 'cHJvb2Y=',
      addressKey: '127.0.0.1',
    });
    expect(Buffer.from(call?.body ?? []).toString('latin1')).toBe('--b\r\n\0\xff\r\n--b--\r\n');
  });

  it('treats a missing or repeated proof header as absent', async () => {
    const { port, calls } = await openRoutes();
    await rawRequest(port, post([TYPE]));
    await rawRequest(port, post([TYPE, 'x-zkp-proof: a', 'X-ZKP-PROOF: a']));
    await rawRequest(port, post([TYPE, 'x-zkp-proof:']));
    expect(calls.map(({ proofHeader }) => proofHeader)).toEqual([undefined, undefined, '']);
  });

  it.each([
    ['multipart/form-data; boundary=b', 200],
    ['MULTIPART/FORM-DATA; BOUNDARY=b', 200],
    ['multipart/form-data;boundary="b";charset=utf-8', 200],
    // check 4 reports a missing boundary
    ['multipart/form-data', 200],
    ['multipart/form-datax; boundary=b', 415],
    ['multipart/mixed; boundary=b', 415],
    ['multipart/*; boundary=b', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json', 415],
    ['text/plain; x=multipart/form-data', 415],
    ['', 415],
  ])('accepts only multipart/form-data: %s', async (type, status) => {
    const { port, calls } = await openRoutes();
    const answer = await rawRequest(port, post([`Content-Type: ${type}`]));
    expect([answer.status, calls.length]).toEqual([status, status === 200 ? 1 : 0]);
    if (status === 415) {
      expect(jsonOf(answer)).toEqual({
        success: false,
        error: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'The content type must be multipart/form-data',
      });
    }
  });

  it('answers 415 without a content type, and 400 to two of them', async () => {
    const { port } = await openRoutes();
    expect((await rawRequest(port, post([]))).status).toBe(415);
    const twice = await rawRequest(port, post([TYPE, TYPE]));
    expect([twice.status, jsonOf(twice)]).toMatchObject([400, { success: false, error: 'INVALID_REQUEST' }]);
  });

  it('accepts a body at the limit, and answers 413 to one more byte, declared or chunked', async () => {
    const { port, calls } = await openRoutes();
    const largest = 'x'.repeat(BODY_LIMIT);
    expect((await rawRequest(port, post([TYPE], largest))).status).toBe(200);
    const declared = await rawRequest(port, post([TYPE], `${largest}x`));
    expect([declared.status, jsonOf(declared)]).toEqual([
      413,
      { success: false, error: 'PAYLOAD_TOO_LARGE', message: 'The request body is too large' },
    ]);
    const chunk = `${(BODY_LIMIT + 1).toString(16)}\r\n${largest}x\r\n0\r\n\r\n`;
    const chunked = requestText('POST /api/v1/refresh', [TYPE, 'Transfer-Encoding: chunked'], chunk);
    expect((await rawRequest(port, chunked)).status).toBe(413);
    expect(calls).toHaveLength(1);
  });

  it('checks in the order method, enabled, type, size', async () => {
    const disabled = await openRoutes({
      checkEnabled: () => {
        throw new ServiceError('refresh.disabled');
      },
    });
    const wrong = ['Content-Type: text/plain'];
    const large = 'x'.repeat(BODY_LIMIT + 1);
    const statusOf = async (port: number, request: string): Promise<number> =>
      (await rawRequest(port, request)).status;
    const put = requestText('PUT /api/v1/refresh', [...wrong, `Content-Length: ${large.length}`], large);
    expect(await statusOf(disabled.port, put)).toBe(405);
    expect(await statusOf(disabled.port, post(wrong, large))).toBe(503);
    const { port } = await openRoutes();
    expect(await statusOf(port, post(wrong, large))).toBe(415);
    expect(await statusOf(port, post([TYPE], large))).toBe(413);
    expect(disabled.calls).toEqual([]);
  });

  it('answers the documented 503 without an error name while disabled, and still serves keys and challenges', async () => {
    const { port } = await openRoutes({
      checkEnabled: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        throw new ServiceError('refresh.disabled');
      },
    });
    const answer = await rawRequest(port, post());
    expect([answer.status, answer.body.toString()]).toEqual([
      503,
      '{"success":false,"message":"Credential refresh is disabled"}',
    ]);
    expect((await rawRequest(port, requestText('GET /api/v1/issuer-keys'))).status).toBe(200);
    expect((await rawRequest(port, requestText('GET /api/v1/challenge'))).status).toBe(200);
  });

  it('refuses early when the store is down', async () => {
    const { port, calls } = await openRoutes({
      admit: () => {
        throw new ServiceError('store.unreachable');
      },
    });
    for (const request of [
      post(),
      requestText('GET /api/v1/issuer-keys'),
      requestText('GET /api/v1/challenge'),
    ]) {
      const answer = await rawRequest(port, request);
      expect([answer.status, jsonOf(answer)]).toMatchObject([503, { error: 'TEMPORARILY_UNAVAILABLE' }]);
      expect(headerOf(answer, 'retry-after')).toBe('5');
    }
    expect(calls).toEqual([]);
  });

  it('renders each refusal with its status, name and headers, and repeats no value', async () => {
    const faults: [ServiceError | Error, number, string][] = [
      [new ServiceError('refresh.malformed_body', 'body: it ends'), 400, 'INVALID_REQUEST'],
      [new ServiceError('refresh.duplicate_part', 'sub: twice'), 400, 'INVALID_REQUEST'],
      [new ServiceError('refresh.user_id_too_long'), 400, 'INVALID_REQUEST'],
      [new ServiceError('refresh.sub_invalid'), 400, 'INVALID_SUB'],
      [new ServiceError('refresh.id_comm_invalid'), 400, 'INVALID_ID_COMM'],
      [new ServiceError('refresh.proof_unreadable'), 401, 'UNAUTHORIZED'],
      [
        new ServiceError('http.rate_limited', undefined, { retryAfterSeconds: 7 }),
        429,
        'RATE_LIMIT_EXCEEDED',
      ],
      [new ServiceError('refresh.proof_invalid'), 401, 'INVALID_PROOF'],
      [
        new ServiceError('refresh.limited', undefined, { retryAfterSeconds: 0.2 }),
        429,
        'RATE_LIMIT_EXCEEDED',
      ],
      [new ServiceError('refresh.no_enrolment'), 404, 'NO_SIGNUP_RECORD'],
      [new ServiceError('refresh.sub_mismatch'), 400, 'SUB_MISMATCH'],
      [new ServiceError('refresh.package_invalid', 'manifest: no'), 400, 'PCP_VALIDATION_FAILED'],
      [new ServiceError('refresh.signature_fault'), 500, 'INTERNAL_ERROR'],
      [new ServiceError('engine.busy'), 503, 'TEMPORARILY_UNAVAILABLE'],
      [new Error('planted'), 500, 'INTERNAL_ERROR'],
    ];
    let next = 0;
    const { port } = await openRoutes({ refresh: () => refused(faults[next++]?.[0]) });
    for (const [fault, status, error] of faults) {
      const answer = await rawRequest(port, post());
      expect([fault.message, answer.status, jsonOf(answer)]).toMatchObject([
        fault.message,
        status,
        { success: false, error, message: expect.not.stringContaining('planted') },
      ]);
      expect(Object.keys(jsonOf(answer) as object)).toEqual(['success', 'error', 'message']);
      expect(headerOf(answer, 'content-type')).toBe('application/json');
      expect(headerOf(answer, 'cache-control')).toBe('no-store');
      expect(headerOf(answer, 'www-authenticate')).toBe(
        status === 401 ? 'ZkpProof realm="refresh"' : undefined,
      );
      const needsRetry = status === 429 || status === 503;
      expect(headerOf(answer, 'retry-after') ?? '').toMatch(needsRetry ? /^[1-9]\d*$/ : /^$/);
    }
  });
});

describe('methods and paths of the refresh interface', () => {
  it('are POST for refresh, GET and HEAD for the others, and no other method, not even OPTIONS', async () => {
    const { port, calls } = await openRoutes();
    for (const path of PATHS) {
      const isRefresh = path === '/api/v1/refresh';
      const refusedMethods = [
        'OPTIONS',
        'PUT',
        'DELETE',
        'PATCH',
        'TRACE',
        ...(IS_NODE_HTTP ? [] : ['post']),
      ];
      for (const method of [...refusedMethods, ...(isRefresh ? ['GET'] : ['POST'])]) {
        const answer = await rawRequest(port, requestText(`${method} ${path}`, ['Content-Length: 0']));
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        expect(headerOf(answer, 'allow')).toBe(isRefresh ? 'POST' : 'GET, HEAD');
        expect(jsonOf(answer)).toMatchObject({ success: false, error: 'METHOD_NOT_ALLOWED' });
      }
    }
    const head = await rawRequest(port, requestText('HEAD /api/v1/refresh'));
    expect([head.status, headerOf(head, 'allow'), head.body.length]).toEqual([405, 'POST', 0]);
    expect(calls).toEqual([]);
  });

  it('are matched byte for byte: another path is 404', async () => {
    const { port } = await openRoutes();
    for (const path of [
      '/api/v1/refresh/',
      '/api/v1/Refresh',
      '/api/v1//refresh',
      '/api/v1/',
      '/api/v1/refresh%2f',
    ]) {
      const answer = await rawRequest(port, requestText(`POST ${path}`, ['Content-Length: 0']));
      expect([path, answer.status, jsonOf(answer)]).toEqual([
        path,
        404,
        { success: false, error: 'NOT_FOUND', message: 'Not found' },
      ]);
    }
  });
});
