import {
  anything,
  becomes,
  becomesWithOne,
  FRAMING_ENDS,
  LISTED,
  type Mutation,
  OTHER_METHOD,
  type Outcome,
  same,
  sameWithOne,
} from './mutation.ts';
import { pick, type RequestParts, shuffled } from './request-parts.ts';

type Lines = RequestParts['editLines'];
const edit = (request: RequestParts, editLines: Lines): RequestParts => ({
  ...request,
  editLines: (lines) => editLines(request.editLines(lines)),
});
const more = (request: RequestParts, ...lines: string[]): RequestParts => ({
  ...request,
  lines: [...request.lines, ...lines],
});
/** Replaces the Content-Type lines; BOUNDARY in them is replaced by the boundary, quoted if necessary. */
const type = (request: RequestParts, ...types: string[]): RequestParts => ({
  ...request,
  typeLines: (boundary) =>
    types.map((text) => {
      const quoted = `"${boundary}"`;
      const bare = /^[0-9A-Za-z'+_.-]+$/.test(boundary) ? boundary : quoted;
      return `Content-Type: ${text.replaceAll('"BOUNDARY"', () => quoted).replaceAll('BOUNDARY', () => bare)}`;
    }),
});
const renameHeader = (line: string, change: (name: string) => string): string => {
  const colon = line.indexOf(':');
  return change(line.slice(0, colon)) + line.slice(colon);
};
// The library closes the connection at once. While a body of 600 kB is still being sent, one of some 10,000 resets
// overtakes the page; server.test.ts has it without a body.
const PAGE_505: readonly Outcome[] = ['page 505', 'end'];
const CONTROLS = ['\0', '\r', '\n', '\x01', '\x7f', '\x0b'];

/** Mutations of the header lines except framing. */
export const HEAD_MUTATIONS: readonly Mutation[] = [
  same('header names in upper case', (request) =>
    edit(request, (lines) => lines.map((line) => renameHeader(line, (name) => name.toUpperCase()))),
  ),
  same('header names in mixed case', (request, draw) =>
    edit(request, (lines) =>
      lines.map((line) =>
        renameHeader(line, (name) =>
          name.replaceAll(/[a-z]/gi, (c) => (draw(2) ? c.toUpperCase() : c.toLowerCase())),
        ),
      ),
    ),
  ),
  same('header lines in another order', (request, draw) => edit(request, (lines) => shuffled(lines, draw))),
  same('no space after the colons', (request) =>
    edit(request, (lines) => lines.map((line) => line.replace(': ', ':'))),
  ),
  same('spaces around the values', (request) =>
    edit(request, (lines) => lines.map((line) => `${line.replace(': ', ':   ')}  `)),
  ),
  same('a target in absolute form', (request, draw) => ({
    ...request,
    path: `${pick(['http', 'https', 'HTTP'], draw)}://${pick(['localhost', 'id.example.org:443', '[::1]:80'], draw)}${request.path}`,
  })),
  same('ignored headers', (request, draw) =>
    more(
      request,
      'attestation-gateway-token: eyJ',
      'Accept: */*',
      ...Array.from({ length: draw(40) }, (_, index) => `X-Own-${index}: ${'v'.repeat(draw(200))}`),
    ),
  ),
  same('a repeated ignored header', (request) => more(request, 'X-Own: 1', 'X-Own: 2')),
  same('non-ASCII bytes in an ignored header', (request) => more(request, 'X-Own: \xe9\xff')),
  same('a media type in another letter case', (request) =>
    type(request, 'Multipart/FORM-data; Boundary=BOUNDARY'),
  ),
  same('a quoted boundary', (request) => type(request, 'multipart/form-data; boundary="BOUNDARY"')),
  sameWithOne('a charset next to the boundary', type, [
    'multipart/form-data; charset=utf-8; boundary=BOUNDARY',
    'multipart/form-data;boundary=BOUNDARY;charset="UTF-16"',
    'multipart/form-data ; boundary="BOUNDARY" ; charset=x-none',
  ]),
  becomes('415 UNSUPPORTED_MEDIA_TYPE', 'no Content-Type', (request) => type(request)),
  becomesWithOne('415 UNSUPPORTED_MEDIA_TYPE', 'another media type', type, [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/mixed; boundary=BOUNDARY',
    'multipart/form-datas; boundary=BOUNDARY',
    'multipart; boundary=BOUNDARY',
    'boundary=BOUNDARY; multipart/form-data',
    'multipart/form-data, multipart/form-data; boundary=BOUNDARY',
    '*/*',
    '',
  ]),
  becomesWithOne('400 INVALID_REQUEST', 'a missing or malformed boundary', type, [
    'multipart/form-data',
    'multipart/form-data; charset=utf-8',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="BOUNDARY',
    'multipart/form-data; boundary="BOUNDARY"x',
    'multipart/form-data; boundary=BOUNDARY; boundary=BOUNDARY',
    'multipart/form-data; boundary=BOUNDARY; Boundary=other',
    "multipart/form-data; boundary*=utf-8''BOUNDARY",
    'multipart/form-data; boundary*0=BOUNDARY',
    'multipart/form-data; boundary="BOUNDARY\\""',
    'multipart/form-data; boundary=other',
    'multipart/form-data; boundary=BOUNDARYx',
    'multipart/form-data; boundary= BOUNDARY',
    'multipart/form-data; boundary',
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
    `multipart/form-data; boundary="${'b'.repeat(9000)}"`,
    'multipart/form-data; boundary=\xe9\xff',
  ]),
  becomesWithOne(
    '400 INVALID_REQUEST',
    'a second Content-Type',
    (request, value: string) => type(request, 'multipart/form-data; boundary=BOUNDARY', value),
    ['multipart/form-data; boundary=BOUNDARY', 'text/plain'],
  ),
  becomes('400 INVALID_REQUEST', 'a second Host', (request) => more(request, 'Host: other')),
  becomes('400 INVALID_REQUEST', 'two Authorization headers', (request) =>
    more(request, 'Authorization: Bearer a', 'Authorization: Bearer b'),
  ),
  becomes(OTHER_METHOD, 'another method', (request, draw) => ({
    ...request,
    method: pick(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'post', 'BREW', 'POSTS', 'PROPFIND'], draw),
  })),
  becomes('404 NOT_FOUND', 'a path similar to the endpoint', (request, draw) => ({
    ...request,
    path: `/api/v1/${pick(['refresh/', 'Refresh', 'refresh%20', '/refresh', 'refres', 'refresh;a=b', '%72efresh', ''], draw)}`,
  })),
  becomes(PAGE_505, 'another version of HTTP', (request, draw) => ({
    ...request,
    version: pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTPS/1.1', 'HTTP/1'], draw),
  })),
  becomes(['page 431', 'end'], 'a head of 41 kB', (request) => more(request, `X-Own: ${'h'.repeat(41_000)}`)),
  becomes(['page 431', 'end'], '120 headers', (request) =>
    more(request, ...Array.from({ length: 120 }, (_, index) => `X-Own-${index}: v`)),
  ),
  becomes(FRAMING_ENDS, 'no Host', (request) =>
    edit(request, (lines) => lines.filter((line) => !/^host:/i.test(line))),
  ),
  becomes(FRAMING_ENDS, 'a folded header line', (request) => more(request, 'X-Own: a', ' folded')),
  becomes([...LISTED, ...FRAMING_ENDS], 'a control character in a header', (request, draw) =>
    more(request, `X-Own: a${pick(CONTROLS, draw)}b`),
  ),
  becomesWithOne([...LISTED, ...FRAMING_ENDS], 'a malformed header name', more, [
    ': v',
    'X Own: v',
    'X-Own : v',
    'X-Own',
    '\xe9: v',
    ' X-Own: v',
    'X-Own\0: v',
  ]),
  becomes([...LISTED, ...FRAMING_ENDS], 'random bytes in the head', (request, draw) => ({
    ...request,
    cut: (bytes) => request.cut(mutateHead(bytes, draw)),
  })),
  anything('non-ASCII bytes in Content-Type', (request) =>
    type(request, 'multipart/form-data; boundary=BOUNDARY; charset="\xe9\xff"'),
  ),
];

/**
 * Changes a few bytes between the `?` of the target and the body; a changed path could reach another
 * interface.
 */
function mutateHead(bytes: Buffer, draw: (below: number) => number): Buffer {
  const start = bytes.indexOf('?');
  const end = bytes.indexOf('\r\n\r\n') + 4;
  let changed: Buffer = Buffer.from(bytes);
  for (let times = 1 + draw(3); times > 0; times--) {
    const at = start + draw(end - start);
    const [before, after] = [changed.subarray(0, at), changed.subarray(at)];
    changed = pick(
      [
        Buffer.concat([before, Buffer.of(draw(256)), after.subarray(1)]),
        Buffer.concat([before, after.subarray(1 + draw(20))]),
        Buffer.concat([before, Buffer.of(draw(256)), after]),
        Buffer.concat([before, after.subarray(0, 1 + draw(20)), after]),
      ],
      draw,
    );
  }
  return changed;
}
