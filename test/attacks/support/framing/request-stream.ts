import { type Draw, happens, pick } from '../draw.ts';

/** Bytes for one connection, as Latin-1 text, in the packets in which they are sent. */
export type Packets = readonly string[];

const METHODS = ['GET', 'POST', 'POST', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'];
const ODD_METHODS = [
  'get',
  'Post',
  'FOO',
  'CONNECT',
  'TRACE',
  'PRI',
  'M-SEARCH',
  'G\x7fT',
  '',
  'PROPFIND',
  'GE T',
];
const TARGETS = [
  '/now',
  '/now',
  '/later',
  '/large',
  '/early',
  '/none',
  '/p/a%2Fb',
  '/now?q=1',
  '/later?a&b=%00',
];
const ODD_TARGETS = [
  '*',
  'http://a/now',
  'a:80',
  '//now',
  '/now#f',
  '/now?',
  '/now\xff',
  '/p/\x7f',
  '/now?q=\x80',
  '/now"<>\\^`{|}',
  '/\x0bnow',
  '',
  '/unknown',
];
const VERSIONS = ['HTTP/1.1'];
const ODD_VERSIONS = [
  'HTTP/1.0',
  'HTTP/2.0',
  'http/1.1',
  'HTTP/1.1 ',
  'HTTP/1.10',
  'HTTP/01.1',
  'HTTP/1,1',
  '',
];
const LINE_ENDS = ['\n', '\r', '\r\r\n', '\r\n ', '\r\n\t', '\n\r', '\0\r\n', '\x0b\r\n'];
const NUMBERS = [
  '',
  '0',
  '00',
  '5',
  '05',
  '+5',
  '-1',
  '5 ',
  ' 5',
  '5, 5',
  '5,5',
  '0x5',
  '5x',
  '5\x0b',
  '5_0',
  '5.0',
  '1e1',
  '4294967296',
  '4294967301',
  '9007199254740993',
  '18446744073709551616',
  '18446744073709551621',
  '000000000000000000005',
];
const ENCODINGS = [
  'chunked',
  'Chunked',
  'CHUNKED',
  'chunked ',
  'chunked,',
  ', chunked',
  'xchunked',
  'chunkedx',
  'identity',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'chunked;q=1',
  'chun ked',
  '"chunked"',
  'chunked\x0b',
  '',
];
const CONNECTIONS = [
  'close',
  'Close',
  'keep-alive',
  'close, te',
  'te,close',
  'keep-alive, close',
  'closed',
  'abcde',
  'upgrade',
  'Upgrade, HTTP2-Settings',
  'close\x0b',
  '',
];
/** Valid field lines, some of which one parser or the other treats specially. */
const LINES: readonly ((draw: Draw) => string)[] = [
  () => 'Accept: */*',
  () => 'Authorization: Bearer abc',
  () => 'Cookie: a=b; c="d"',
  () => 'Content-Type: application/json',
  () => 'X-Empty:',
  () => 'X-Tab:\ta\tb\t',
  () => 'X-High: a\xc3\xa9b',
  () => 'X-Odd: a\x80\xffb',
  () => "!#$%&'*+-.^_`|~09Az: token",
  () => 'X-Long: '.padEnd(3000, 'y'),
  (draw) => `Connection: ${pick(CONNECTIONS, draw)}`,
  (draw) => `Upgrade: ${pick(['websocket', 'h2c', 'HTTP/2.0', ''], draw)}`,
  (draw) => `Expect: ${pick(['100-continue', '100-Continue', 'other', ''], draw)}`,
  () => 'HTTP2-Settings: AAMAAABkAAQAAP__',
  () => 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  () => 'Keep-Alive: timeout=5',
  () => 'Trailer: X-Checksum',
  () => 'TE: trailers',
];
const ODD_LINES: readonly ((draw: Draw) => string)[] = [
  (draw) => `Content-Length: ${pick(NUMBERS, draw)}`,
  (draw) => `Transfer-Encoding: ${pick(ENCODINGS, draw)}`,
  (draw) => `Host: ${pick(['a', 'b', '', 'a b', 'a:80', 'a\x7f'], draw)}`,
  () => 'X-Colon : a',
  () => ' X-Space: a',
  () => '\tX-Tab: a',
  () => 'X-Fold: a\r\n b',
  () => 'X Y: a',
  () => 'X\x0bY: a',
  () => 'X\xffY: a',
  () => 'X(Y): a',
  () => 'No-Colon',
  () => 'X-Vt: a\x0bb',
  () => 'X-Nul: a\0b',
  () => 'X-Del: a\x7fb',
  () => 'X-Esc: \x1b',
  () => 'X-Cr: a\rb',
  () => 'X-Lf: a\nb',
  () => 'Content-Length\x0b: 5',
  () => 'Transfer_Encoding: chunked',
  () => 'Content-Length:5\r\nContent-Length:5',
  () => 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
];
const SIZE_PREFIXES = ['', '0', '000', '0x', '+', '-', ' ', '\t'];
const SIZE_SUFFIXES = [
  ';',
  ';a',
  ';a=b',
  ';a="b;c"',
  ' ;a',
  '; a=b',
  ' ',
  '\t',
  '\x0b',
  '\0',
  'g',
  'G',
  '@',
  ' 5',
  ';\x7f',
  ';\xff',
];
const LARGE_SIZES = [
  '100000005',
  '10000000000000005',
  'ffffffffffffffff',
  'fffffffffffffffff',
  '80000000',
  '7fffffffffffffff',
];
const TRAILERS = [
  'X-Checksum: abc\r\n',
  'X: a\x0bb\r\n',
  'xxget: /now HTTP/1.1\r\nx: a\x0bb\r\n',
  'XXGET: /now HTTP/1.1\r\nHost: a\r\n',
  'XXGET /now HTTP/1.1\r\nHost: a\r\n',
  '\r\nGET /now HTTP/1.1\r\nHost: a\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'no colon\r\n',
  ' folded\r\n',
];
/** Bytes that parsers treat differently. */
const BYTES = [...'\r\n\t \0\x0b\x0c\x1b\x7f\x80\x85\xa0\xff:;,="0159afgxAFGX/?#-+_'];
const WORDS = [
  '\r\n',
  '\r\n\r\n',
  '0\r\n\r\n',
  'GET /now HTTP/1.1\r\nHost: a\r\n\r\n',
  'Content-Length: 3\r\n',
  'chunked',
];

/** Draws a stream of requests, most of them with a few faults, split into packets at random places. */
export function drawStream(draw: Draw): Packets {
  let bytes = '';
  const count = 1 + draw(3);
  for (let index = 0; index < count; index++) bytes += drawRequest(draw);
  if (happens(25, draw)) bytes = mutated(bytes, draw);
  // An ordinary request at the end shows where each parser believes the next one begins.
  bytes += 'GET /now?last HTTP/1.1\r\nHost: a\r\n\r\n';
  return cut(bytes, draw);
}

function drawRequest(draw: Draw): string {
  const isPlain = happens(40, draw);
  const odd = (percent: number): boolean => !isPlain && happens(percent, draw);
  const method = odd(6) ? pick(ODD_METHODS, draw) : pick(METHODS, draw);
  const target = odd(8) ? pick(ODD_TARGETS, draw) : pick(TARGETS, draw);
  const version = odd(4) ? pick(ODD_VERSIONS, draw) : pick(VERSIONS, draw);
  const gap = odd(2) ? pick(['  ', '\t', ' \t'], draw) : ' ';
  const lines = [`${method}${gap}${target} ${version}`];
  if (!odd(3)) lines.push('Host: a');
  for (let more = draw(3); more > 0; more--) lines.push(pick(LINES, draw)(draw));
  if (odd(30)) lines.splice(1 + draw(lines.length), 0, pick(ODD_LINES, draw)(draw));
  const [framing, body] = drawBody(odd, draw);
  lines.splice(1 + draw(lines.length), 0, ...framing);
  const ends = lines.map(() => (odd(1) ? pick(LINE_ENDS, draw) : '\r\n'));
  const head = lines.map((line, index) => line + ends[index]).join('');
  const blank = odd(2) ? pick(LINE_ENDS, draw) : '\r\n';
  return `${odd(3) ? '\r\n' : ''}${head}${blank}${body}`;
}

function drawBody(odd: (percent: number) => boolean, draw: Draw): [framing: string[], body: string] {
  const kind = draw(10);
  if (kind < 3) return [[], odd(5) ? 'stray' : ''];
  const text = drawText(draw);
  if (kind < 6) {
    const length = odd(15) ? text.length + draw(9) - 4 : text.length;
    return [[`Content-Length: ${odd(8) ? pick(NUMBERS, draw) : Math.max(0, length)}`], text];
  }
  const encoding = odd(8) ? pick(ENCODINGS, draw) : 'chunked';
  return [[`Transfer-Encoding: ${encoding}`], drawChunks(text, odd, draw)];
}

function drawText(draw: Draw): string {
  const kind = draw(8);
  if (kind === 0) return '';
  if (kind === 1) return 'GET /now?inner HTTP/1.1\r\nHost: a\r\n\r\n';
  if (kind === 2) return '0\r\n\r\n';
  if (kind === 3) return 'z'.repeat(1 + draw(40_000));
  return 'hello, world'.slice(0, 1 + draw(12));
}

function drawChunks(text: string, odd: (percent: number) => boolean, draw: Draw): string {
  let bytes = '';
  for (let at = 0; at < text.length; ) {
    const chunk = text.slice(at, at + 1 + draw(Math.max(8, text.length)));
    at += chunk.length;
    bytes += `${drawSize(chunk.length, odd, draw)}${lineEnd(odd, draw)}${chunk}${odd(2) ? 'xx' : lineEnd(odd, draw)}`;
  }
  const last = odd(3) ? '' : `${drawSize(0, odd, draw)}${lineEnd(odd, draw)}`;
  const trailers = happens(15, draw) ? pick(TRAILERS, draw) : '';
  return `${bytes}${last}${trailers}${lineEnd(odd, draw)}`;
}

function drawSize(size: number, odd: (percent: number) => boolean, draw: Draw): string {
  if (odd(2)) return pick(LARGE_SIZES, draw);
  if (odd(1)) return '';
  const digits = happens(50, draw) ? size.toString(16) : size.toString(16).toUpperCase();
  return `${odd(4) ? pick(SIZE_PREFIXES, draw) : ''}${digits}${odd(6) ? pick(SIZE_SUFFIXES, draw) : ''}`;
}

function lineEnd(odd: (percent: number) => boolean, draw: Draw): string {
  return odd(1) ? pick(['\n', '\r', '', '\r\r\n'], draw) : '\r\n';
}

function mutated(bytes: string, draw: Draw): string {
  let result = bytes;
  for (let count = 1 + draw(3); count > 0; count--) {
    const at = draw(result.length + 1);
    const length = pick([0, 0, 1, 1, 2, 1 + draw(20)], draw);
    const kind = draw(6);
    const insert =
      kind < 3
        ? pick(BYTES, draw)
        : kind === 3
          ? pick(WORDS, draw)
          : kind === 4
            ? result.slice(at, at + draw(60))
            : '';
    result = result.slice(0, at) + insert + result.slice(at + length);
  }
  return result;
}

function cut(bytes: string, draw: Draw): Packets {
  const kind = draw(4);
  if (kind < 2) return [bytes];
  const ends = Array.from({ length: kind === 2 ? 1 : 1 + draw(5) }, () => draw(bytes.length + 1));
  const edges = [0, ...ends.sort((a, b) => a - b), bytes.length];
  return edges.slice(1).flatMap((end, index) => {
    const packet = bytes.slice(edges[index], end);
    return packet === '' ? [] : [packet];
  });
}
