// Rules: spec/operations.md#framing
import { describe, expect, it } from 'vitest';
import { RequestHeaders, traceIdOf } from '../../../src/http/headers/header-rules.ts';
import { IS_NEWER_UWS, IS_NODE_HTTP } from '../../support/server/http-library.ts';
import { headerOf, RawClient, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { describeRequest, openListener, testRoute } from '../../support/server/test-listener.ts';
import { pollUntil } from '../../support/until.ts';

const SMUGGLED = requestText('GET /smuggled');

describe('a request with ambiguous length', () => {
  const ambiguous: [string, string[], string][] = [
    ['two Content-Length', ['Content-Length: 3', 'Content-Length: 5'], 'abc'],
    ['two equal Content-Length', ['Content-Length: 3', 'Content-Length: 3'], 'abc'],
    ['an empty Content-Length', ['Content-Length: '], ''],
    ['Transfer-Encoding: xchunked', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
    ['Transfer-Encoding: gzip, chunked', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
    ['Transfer-Encoding: identity', ['Transfer-Encoding: identity'], '0\r\n\r\n'],
    ['chunked twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
  ];

  it.each(ambiguous)(
    'is cut off with %s, and the request behind it is not served',
    async (_name, headers, body) => {
      const paths: string[] = [];
      const { port, records } = await openListener([
        testRoute('POST', '/t', describeRequest),
        testRoute('GET', '/smuggled', ({ path }) => {
          paths.push(path);
          return { status: 200 };
        }),
      ]);
      const client = await RawClient.open(port);
      client.send(requestText('POST /t', headers, body) + SMUGGLED);
      expect(await client.closed()).toBe('');
      expect(paths).toEqual([]);
      // Node itself refuses most of these.
      if (!IS_NODE_HTTP) expect(records).toMatchObject([{ status: 0, isAborted: true, route: '/t' }]);
    },
  );

  const refused: [string, string[]][] = [
    ['letters in Content-Length', ['Content-Length: 3x']],
    ['a negative Content-Length', ['Content-Length: -3']],
    ['a signed Content-Length', ['Content-Length: +3']],
    ['a list in Content-Length', ['Content-Length: 3, 3']],
    ['both Content-Length and Transfer-Encoding', ['Content-Length: 3', 'Transfer-Encoding: chunked']],
  ];

  it.each(refused)(
    'gets the 400 of the HTTP library with %s, and no handler runs',
    async (_name, headers) => {
      let calls = 0;
      const count = (): { status: number } => {
        calls++;
        return { status: 200 };
      };
      const { port, server } = await openListener([
        testRoute('POST', '/t', count),
        testRoute('GET', '/smuggled', count),
      ]);
      const client = await RawClient.open(port);
      client.send(requestText('POST /t', headers, 'abc') + SMUGGLED);
      const answer = await client.closed();
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(calls).toBe(0);
      await pollUntil(() => server.openExchanges === 0);
    },
  );

  it('is cut off or refused with an excessive length', async () => {
    const { port, server } = await openListener([testRoute('POST', '/t', describeRequest)]);
    for (const digits of [11, 16, 20, 400]) {
      const client = await RawClient.open(port);
      client.send(requestText('POST /t', [`Content-Length: ${'9'.repeat(digits)}`], 'abc'));
      expect(await client.closed()).toMatch(/^HTTP\/1\.1 4(00|13) /);
    }
    await pollUntil(() => server.openExchanges === 0);
  });
});

describe('a header that must be single', () => {
  const repeated: [string, string[]][] = [
    ['Host', ['Host: other']],
    ['Authorization', ['Authorization: Bearer a', 'Authorization: Bearer b']],
    ['Content-Type', ['Content-Type: text/plain', 'content-type: application/json']],
  ];

  it.each(repeated)('is answered with 400 when %s is repeated', async (name, headers) => {
    const { port, records } = await openListener([testRoute('GET', '/t', describeRequest)]);
    const answer = await rawRequest(port, requestText('GET /t', headers));
    expect(answer.status).toBe(400);
    if (IS_NEWER_UWS && name === 'Host') return expect(records).toEqual([]);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: 'invalid_request' });
    expect(records[0]?.code).toBe('http.repeated_header');
  });

  it('is checked before method and path', async () => {
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)]);
    expect((await rawRequest(port, requestText('PUT /t', ['Host: b']))).status).toBe(400);
    expect((await rawRequest(port, requestText('GET /unknown', ['Host: b']))).status).toBe(400);
  });

  it('is none of the other headers: of a repeated one, the handler sees the first value', async () => {
    const { port } = await openListener([testRoute('GET', '/t', describeRequest)]);
    const answer = await rawRequest(port, requestText('GET /t', ['Accept: a', 'Accept: b']));
    expect(JSON.parse(answer.body.toString()).headers.accept).toBe('a');
    expect(headerOf(answer, 'content-type')).toBe('application/json');
  });
});

describe('RequestHeaders', () => {
  const read = (lines: readonly (readonly [string, string])[]): RequestHeaders =>
    new RequestHeaders((visit) => {
      for (const [name, value] of lines) visit(name, value);
    });

  it('distinguishes a missing length from length 0', () => {
    expect(read([]).contentLength).toBeUndefined();
    expect(read([['content-length', '0']]).contentLength).toBe(0);
  });

  it('returns the first value of a name, all its values, and the repeated names', () => {
    const headers = read([
      ['accept', 'a'],
      ['host', 'h'],
      ['accept', 'b'],
    ]);
    expect([headers.get('accept'), headers.get('none')]).toEqual(['a', undefined]);
    expect(headers.lines('accept')).toEqual(['a', 'b']);
    expect(headers.lines('none')).toEqual([]);
    expect([...headers.values]).toEqual([
      ['accept', 'a'],
      ['host', 'h'],
    ]);
    expect([...headers.repeatedNames]).toEqual(['accept']);
    expect(headers.repeated).toBeUndefined();
  });

  it('finds nothing wrong with an ordinary request', () => {
    const headers = read([
      ['host', 'a'],
      ['content-length', '12'],
    ]);
    expect(headers).toMatchObject({ framingFault: undefined, repeated: undefined, isChunked: false });
  });
});

describe('traceIdOf', () => {
  const id = '4bf92f3577b34da6a3ce929d0e0e4736';
  const of = (value: string): string | undefined => traceIdOf(new Map([['traceparent', value]]));

  it('returns the trace id of a valid header', () => {
    expect(of(`00-${id}-00f067aa0ba902b7-01`)).toBe(id);
  });

  it.each([
    '',
    `01-${id}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${id}-${'0'.repeat(16)}-01`,
    `00-${id.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${id}-00f067aa0ba902b7-01-extra`,
  ])('returns undefined for %j', (value) => {
    expect(of(value)).toBeUndefined();
  });
});
