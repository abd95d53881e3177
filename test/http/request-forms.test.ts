// Rules: spec/operations.md#targets and #framing. Both libraries answer alike.
import { describe, expect, it } from 'vitest';
import { renderAdminError } from '../../src/http/errors/admin.ts';
import { readTarget } from '../../src/http/headers/request-target.ts';
import { loadHttpLibrary } from '../../src/http/library/load-http-library.ts';
import { HTTP_LIBRARIES } from '../support/server/http-library.ts';
import { headerOf, RawClient, rawRequest, requestText } from '../support/server/raw-client.ts';
import { connect, describeRequest, openListener, testRoute } from '../support/server/test-listener.ts';

/** Without a binary of uWebSockets.js that is not changed: it refuses some forms by itself. */
const LIBRARIES = HTTP_LIBRARIES.filter((library) => loadHttpLibrary(library).library.readsEveryTarget);

const ROUTES = [
  testRoute('GET', '/', describeRequest, { head: true }),
  testRoute('GET', '/t', describeRequest, { head: true }),
  testRoute('POST', '/t', describeRequest),
  testRoute('GET', '/small', describeRequest),
  testRoute('POST', '/small', describeRequest, { bodyLimitBytes: 4 }),
];

/** A line with its status and, if it is served, path and query that the handler sees. */
const LINES: readonly (readonly [line: string, status: number, path?: string, query?: string])[] = [
  ['GET /t?a=1', 200, '/t', 'a=1'],
  ['GET http://localhost/t', 200, '/t', ''],
  ['GET http://localhost/t?a=1', 200, '/t', 'a=1'],
  ['GET https://localhost/t', 200, '/t', ''],
  ['GET HTTP://LOCALHOST:8080/t', 200, '/t', ''],
  ['POST http://id.example.org:443/t', 200, '/t', ''],
  ['GET http://[::1]:8080/t', 200, '/t', ''],
  ['GET http://203.0.113.7/t', 200, '/t', ''],
  ['GET http://localhost', 200, '/', ''],
  ['GET http://localhost?a=http://b/t', 200, '/', 'a=http://b/t'],
  ['GET http://localhost:/t', 200, '/t', ''],
  ['HEAD http://localhost/t', 200],
  ['OPTIONS *', 204],
  ['OPTIONS http://localhost', 204],
  ['OPTIONS http://localhost/t', 204],
  ['GET http://localhost//t', 404],
  ['GET //localhost/t', 404],
  ['GET http://localhost/http://localhost/t', 404],
  ['GET http://localhost/%74', 404],
  ['GET http://localhost/./t', 404],
  ['PUT http://localhost/t', 405],
  ['GET *', 400],
  ['OPTIONS *t', 400],
  ['GET http://user@localhost/t', 400],
  ['GET http://user:secret@localhost/t', 400],
  ['GET http://localhost%2ft/t', 400],
  ['GET http://local%68ost/t', 400],
  ['GET http://localhost\\@other/t', 400],
  ['GET http://localhost#/t', 400],
  ['GET http://localhost,other/t', 400],
  ['GET http:///t', 400],
  ['GET http://:8080/t', 400],
  ['GET http://', 400],
  ['GET http:/t', 400],
  ['GET http:t', 400],
  ['GET http://localhost:x/t', 400],
  ['GET http://localhost:65536/t', 400],
  ['GET http://localhost:-1/t', 400],
  ['GET http://[::1/t', 400],
  ['GET http://[::g]/t', 400],
  ['GET http://::1/t', 400],
  ['GET ftp://localhost/t', 400],
  ['GET ws://localhost/t', 400],
  ['GET file:///t', 400],
  ['GET localhost:8080', 400],
  ['GET t', 400],
  ['GET ?a=1', 400],
  ['CONNECT localhost:443', 501],
];

const EXPECTATIONS: readonly (readonly [lines: readonly string[], status: 100 | 200 | 417])[] = [
  [['100-continue'], 100],
  [['100-Continue'], 100],
  [['100-CONTINUE '], 100],
  [['100-continue, 100-Continue'], 100],
  [[', 100-continue'], 100],
  [['100-Continue', ''], 100],
  [[''], 200],
  [[','], 200],
  [['100-continue;q=1'], 417],
  [['100-Continue=1'], 417],
  [['100-continue="x"'], 417],
  [['100 continue'], 417],
  [['200-ok'], 417],
  [['x-other, 100-Continue'], 417],
  [['x-other', '100-Continue'], 417],
];

describe.each(LIBRARIES)('%s', (library) => {
  const limits = { library };

  const lines = LINES.map(([line, status, path, query]) => ({ line, status, path, query }));
  it.each(lines)('$line: $status', async ({ line, status, path, query }) => {
    const { port, records } = await openListener(ROUTES, { limits });
    const client = await connect(port);
    client.send(requestText(line, line.startsWith('POST') ? ['Content-Length: 0'] : []));
    const answer = await client.response(line.startsWith('HEAD'));
    expect(answer.status).toBe(status);
    if (path === undefined) return;
    expect(JSON.parse(answer.body.toString())).toMatchObject({ path, query });
    expect(records).toMatchObject([{ route: path }]);
  });

  it('takes the authority of the target for the host, whatever Host says', async () => {
    const routes = [testRoute('GET', '/t', describeRequest, { renderError: renderAdminError })];
    const { port } = await openListener(routes, { limits, hostNames: ['id.example.org'] });
    const statusOf = async (target: string, host: string): Promise<number> =>
      (await rawRequest(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status;
    expect(await statusOf('/t', 'other.example')).toBe(421);
    expect(await statusOf('http://id.example.org/t', 'other.example')).toBe(200);
    expect(await statusOf('http://other.example/t', 'id.example.org')).toBe(421);
    expect(await statusOf('http://id.example.org:9090/t', '')).toBe(200);
    const two = `GET http://id.example.org/t HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`;
    expect((await rawRequest(port, two)).status).toBe(400);
    const answer = await rawRequest(port, `GET http://id.example.org/t HTTP/1.1\r\nHost: other\r\n\r\n`);
    expect(JSON.parse(answer.body.toString()).headers.host).toBe('id.example.org');
  });

  it('keeps the connection behind the absolute form, and ends it behind a malformed target', async () => {
    const { port } = await openListener(ROUTES, { limits });
    const client = await connect(port);
    for (const line of ['GET http://localhost/t', 'OPTIONS *', 'GET /t']) {
      client.send(requestText(line));
      expect(headerOf(await client.response(), 'connection')).toBe('keep-alive');
    }
    client.send(requestText('GET http://user@localhost/t'));
    expect((await client.response()).status).toBe(400);
    expect(await client.closed()).toBe('');
    // Also where something else could be refused first.
    for (const target of ['http://user@localhost/t', '/unknown\xff', '/t?\xff']) {
      const other = await connect(port);
      other.send(requestText(`GET ${target}`, ['Expect: x']));
      expect((await other.response()).status).toBe(400);
      expect(await other.closed()).toBe('');
    }
  });

  it.each(EXPECTATIONS)('answers Expect: %j with %i before the body', async (values, status) => {
    const { port } = await openListener(ROUTES, { limits });
    const client = await connect(port);
    const expects = values.map((value) => `Expect: ${value}`);
    client.send(requestText('POST /t', [...expects, 'Content-Length: 2']));
    if (status !== 200) {
      const first = await client.response(status === 100);
      expect(first.status).toBe(status);
      if (status === 417) return expect(await client.closed()).toBe('');
    }
    client.send('ab');
    const answer = await client.response();
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body.toString()).body).toBe('ab');
    client.send(requestText('GET /t'));
    expect((await client.response()).status).toBe(200);
  });

  it('gives the answer itself where the body is not wanted, with its own status after a 100 Continue', async () => {
    const { port } = await openListener(ROUTES, { limits });
    const large = await RawClient.open(port);
    large.send(requestText('POST /small', ['Expect: 100-Continue', 'Content-Length: 5']));
    expect((await large.response()).status).toBe(413);
    const chunked = await RawClient.open(port);
    chunked.send(requestText('POST /small', ['Expect: 100-Continue', 'Transfer-Encoding: chunked']));
    expect((await chunked.response(true)).status).toBe(100);
    chunked.send('5\r\nhello\r\n0\r\n\r\n');
    const refused = await chunked.response();
    expect([refused.status, headerOf(refused, 'content-type')]).toEqual([413, 'application/json']);
    expect(headerOf(refused, 'x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('announces in every answer that keeps its connection how long it is kept', async () => {
    const { port } = await openListener(ROUTES, { limits: { ...limits, keepAliveSeconds: 75 } });
    const client = await connect(port);
    for (const line of ['GET /t', 'HEAD /t', 'OPTIONS /t', 'GET /unknown', 'PUT /t']) {
      client.send(requestText(line));
      const answer = await client.response(line.startsWith('HEAD'));
      expect(headerOf(answer, 'connection')).toBe('keep-alive');
      const seconds = Number(/^timeout=(\d+)$/.exec(headerOf(answer, 'keep-alive') ?? '')?.[1]);
      expect(library === 'node' ? [75] : [5, 25]).toContain(seconds);
    }
    client.send(requestText('GET /t', ['Connection: close']));
    const last = await client.response();
    expect([headerOf(last, 'connection'), headerOf(last, 'keep-alive')]).toEqual(['close', undefined]);
  });
});

describe('a target', () => {
  it('is that of the server only for OPTIONS without path and query', () => {
    expect(readTarget('OPTIONS', 'http://a', '').form).toBe('asterisk');
    expect(readTarget('OPTIONS', 'http://a', 'b').form).toBe('path');
    expect(readTarget('OPTIONS', 'http://a/', '').form).toBe('path');
    expect(readTarget('OPTIONS', '*', 'b').form).toBe('malformed');
  });
});
