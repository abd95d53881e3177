/** Rules of every request: framing, header lines, targets, and whether the connection is kept. */
import type { WireCase } from './wire-case.ts';

const HOST = 'Host: localhost:8080\r\n';

/** Builds a case from the bytes of a request. */
function raw(title: string, bytes: string): WireCase {
  return { title, request: { line: '', bytes } };
}

/** Builds a case without an answer: the listener ends the connection with its client or after a timeout. */
function waiting(title: string, bytes: string): WireCase {
  return { title, request: { line: '', bytes, endsWriting: true } };
}

/** Builds a case of a GET with header lines. */
const withLines = (title: string, ...headers: readonly string[]): WireCase => ({
  title,
  request: { line: 'GET /healthz', headers },
});

/** Cases of the listener itself. */
export const HTTP_CASES: readonly WireCase[] = [
  raw('serves HTTP/1.1', `GET /healthz HTTP/1.1\r\n${HOST}\r\n`),
  raw('answers to HTTP/1.0', `GET /healthz HTTP/1.0\r\n${HOST}\r\n`),
  raw('answers to HTTP/2.0', `GET /healthz HTTP/2.0\r\n${HOST}\r\n`),
  waiting('waits behind a request without a host', 'GET /healthz HTTP/1.1\r\n\r\n'),
  raw('answers to two hosts', `GET /healthz HTTP/1.1\r\n${HOST}${HOST}\r\n`),
  raw('answers to an empty host', 'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n'),
  raw('answers to an absolute target', `GET http://localhost:8080/healthz HTTP/1.1\r\n${HOST}\r\n`),
  raw('answers to a target without a slash', `GET healthz HTTP/1.1\r\n${HOST}\r\n`),
  raw('answers to the target *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`),
  raw('answers to CONNECT', `CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`),
  raw('answers to TRACE', `TRACE /healthz HTTP/1.1\r\n${HOST}\r\n`),
  raw(
    'answers to two lengths',
    `POST /token HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`,
  ),
  raw(
    'answers to a length with an encoding',
    `POST /token HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ),
  raw('answers to an unknown encoding', `POST /token HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip\r\n\r\n`),
  raw('answers to a length that is none', `POST /token HTTP/1.1\r\n${HOST}Content-Length: x\r\n\r\n`),
  raw('answers to a negative length', `POST /token HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`),
  raw('answers to an empty length', `POST /token HTTP/1.1\r\n${HOST}Content-Length:\r\n\r\n`),
  raw(
    'answers to a chunk that is none',
    `POST /token HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ),
  waiting('waits behind a header without a colon', `GET /healthz HTTP/1.1\r\n${HOST}broken\r\n\r\n`),
  waiting('waits behind a space before the colon', `GET /healthz HTTP/1.1\r\n${HOST}A : b\r\n\r\n`),
  waiting('waits behind a folded header', `GET /healthz HTTP/1.1\r\n${HOST}A: b\r\n c\r\n\r\n`),
  raw('answers to DEL in a value', `GET /healthz HTTP/1.1\r\n${HOST}A: \x7f\r\n\r\n`),
  waiting('waits behind a control character in a value', `GET /healthz HTTP/1.1\r\n${HOST}A: \x01\r\n\r\n`),
  raw('answers to Latin-1 in a value', `GET /healthz HTTP/1.1\r\n${HOST}A: \xe9\r\n\r\n`),
  raw('answers to Latin-1 in the query', `GET /healthz?\xe9 HTTP/1.1\r\n${HOST}\r\n`),
  raw('answers to a fragment in the target', `GET /healthz#x HTTP/1.1\r\n${HOST}\r\n`),
  raw('answers to line feeds alone', 'GET /healthz HTTP/1.1\nHost: localhost:8080\n\n'),
  raw('answers to TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'),
  withLines('ends the connection when asked', 'Connection: close'),
  withLines('keeps the connection when asked', 'Connection: keep-alive'),
  withLines('ends the connection for an upgrade', 'Connection: Upgrade', 'Upgrade: websocket'),
  withLines('ends the connection for a list', 'Connection: keep-alive, close'),
  withLines('takes two Content-Type as one too many', 'Content-Type: a/b', 'Content-Type: a/b'),
  withLines('takes two Authorization as one too many', 'Authorization: a', 'Authorization: a'),
  withLines(
    'takes two of other headers',
    'Accept: a/b',
    'Accept: a/b',
    'X-Forwarded-For: 1',
    'X-Forwarded-For: 2',
  ),
  withLines('takes a trace', 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
  withLines('makes a request id of its own', 'X-Request-Id: 01234567-89ab-cdef-0123-456789abcdef'),
  withLines('takes a body length of zero', 'Content-Length: 0'),
  { title: 'refuses a body of GET', request: { line: 'GET /healthz', body: 'x' } },
  {
    title: 'sends an interim answer where one is expected',
    request: { line: 'POST /token', headers: ['Expect: 100-continue'], body: 'a=b' },
  },
  withLines('takes many headers', ...Array.from({ length: 60 }, (_, index) => `X-${index}: a`)),
];
