import { anything, becomes, type Mutation, type Outcome, same } from './mutation.ts';
import { type Draw, type FormPart, formPart, pick, type RequestParts } from './request-parts.ts';

const TOKENS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'()+_,-./:=?";
/** Boundary characters that need no quotes. */
const BARE = TOKENS.replaceAll(/[()/,:=?]/g, '');
/** Outcomes of a lost delimiter: the part then belongs to the previous part or to the preamble. */
const LOST_DELIMITER: readonly Outcome[] = [
  ...(['200', '400 INVALID_REQUEST', '400 INVALID_SUB', '400 PCP_VALIDATION_FAILED'] as const),
];
/** A part that the service ignores. */
const unread = (value: string, head = 'Content-Disposition: form-data; name="other"'): FormPart => ({
  name: 'other',
  head,
  value: Buffer.from(value, 'latin1'),
});
const add = (request: RequestParts, part: FormPart, draw: Draw): RequestParts => {
  const at = draw(request.parts.length + 1);
  return { ...request, parts: request.parts.toSpliced(at, 0, part) };
};
const edit = (request: RequestParts, change: RequestParts['editBody']): RequestParts => ({
  ...request,
  editBody: (body, boundary) => change(Buffer.from(request.editBody(body, boundary)), boundary),
});
const editHead = (request: RequestParts, change: (head: string) => string): RequestParts => ({
  ...request,
  parts: request.parts.map((part) => ({ ...part, head: change(part.head) })),
});
/** Changes the head of one random part. */
const editHeadOne = (request: RequestParts, draw: Draw, change: (head: string) => string): RequestParts => {
  const chosen = draw(request.parts.length);
  return {
    ...request,
    parts: request.parts.map((part, index) =>
      index === chosen ? { ...part, head: change(formPart(part.name, '').head) } : part,
    ),
  };
};
/** Replaces a random delimiter, possibly the closing one. */
const replaceDelimiter = (
  request: RequestParts,
  draw: Draw,
  change: (delimiter: string) => string,
): RequestParts =>
  edit(request, (body, boundary) => {
    const delimiter = `--${boundary}`;
    const found = body.toString('latin1', 0, delimiter.length) === delimiter ? [0] : [];
    const line = `\r\n${delimiter}`;
    for (let at = body.indexOf(line); at !== -1; at = body.indexOf(line, at + 1)) found.push(at + 2);
    const at = found[draw(found.length)] ?? 0;
    const rest = body.subarray(at + delimiter.length);
    return Buffer.concat([body.subarray(0, at), Buffer.from(change(delimiter), 'latin1'), rest]);
  });

function boundaryOf(characters: string, draw: Draw): string {
  return Array.from({ length: 8 + draw(63) }, () => characters[draw(characters.length)]).join('');
}

/** Mutations of delimiters, part heads and bytes of a body. */
export const BODY_MUTATIONS: readonly Mutation[] = [
  same('another boundary', (request, draw) => ({ ...request, boundary: boundaryOf(BARE, draw) })),
  same('another boundary, quoted', (request, draw) => ({
    ...request,
    boundary: boundaryOf(TOKENS, draw),
    typeLines: (boundary) => [`Content-Type: multipart/form-data; boundary="${boundary}"`],
  })),
  same('text before the first delimiter', (request, draw) => ({
    ...request,
    preamble: pick(
      [
        'preamble\r\n',
        '\r\n',
        '\r\n\r\n',
        `--${request.boundary.slice(0, -1)}\r\n`,
        'x'.repeat(5000).concat('\r\n'),
      ],
      draw,
    ),
  })),
  same('nothing or text after the closing delimiter', (request, draw) => ({
    ...request,
    epilogue: pick(['', '\r\n', '\r\nepilogue', '\r\n\r\n\r\n', '\r\n--', '\r\n\0\xff'], draw),
  })),
  same('look-alikes of the boundary in a value', (request, draw) => {
    const { boundary } = request;
    const texts = [
      `--${boundary}`,
      `--${boundary}--`,
      `a--${boundary}\r\n`,
      `\n--${boundary}--\n`,
      `\r--${boundary}\r`,
      `\r\n-${boundary}`,
      `\r\n --${boundary}`,
      `\r\n--${boundary.slice(0, -1)}`,
      `\r\n--${boundary.slice(0, -1)}#\r\n`,
      '\r\n--',
      '\r\n'.repeat(50),
    ];
    return add(request, unread(`v${pick(texts, draw)}`), draw);
  }),
  becomes('400 INVALID_REQUEST', 'an overlong delimiter in a value', (request, draw) =>
    add(
      request,
      unread(`v\r\n--${request.boundary}${pick(['x', ' ', '-', '\n', '\r', '-x', '\0'], draw)}`),
      draw,
    ),
  ),
  becomes('400 INVALID_REQUEST', 'a closing delimiter in a value', (request, draw) =>
    add(request, unread(`v\r\n--${request.boundary}--\r\n`), draw),
  ),
  becomes('400 INVALID_REQUEST', 'a delimiter twice', (request, draw) =>
    replaceDelimiter(request, draw, (delimiter) => `${delimiter}\r\n${delimiter}`),
  ),
  becomes(LOST_DELIMITER, 'a delimiter in another letter case', (request, draw) =>
    replaceDelimiter({ ...request, boundary: 'Edge-7d1c4f' }, draw, () => '--Edge-7D1C4F'),
  ),
  becomes(LOST_DELIMITER, 'a delimiter with one dash less', (request, draw) =>
    replaceDelimiter({ ...request, boundary: 'edge' }, draw, () => '-edge'),
  ),
  becomes('400 INVALID_REQUEST', 'an overlong delimiter', (request, draw) =>
    replaceDelimiter(
      request,
      draw,
      (delimiter) => `${delimiter}${pick(['x', ' ', '\t', '-', '\n', '\0'], draw)}`,
    ),
  ),
  becomes('400 INVALID_REQUEST', 'no closing delimiter', (request) =>
    edit(request, (body, boundary) => body.subarray(0, body.lastIndexOf(`--${boundary}--`))),
  ),
  becomes('400 INVALID_REQUEST', 'a truncated body', (request, draw) =>
    edit(request, (body, boundary) =>
      body.subarray(0, draw(body.lastIndexOf(`--${boundary}--`) + boundary.length + 3)),
    ),
  ),
  becomes('400 INVALID_REQUEST', 'text right after the closing delimiter', (request, draw) => ({
    ...request,
    epilogue: pick(['x', ' \r\n', '\n', '\r', '-', '\0'], draw),
  })),
  becomes('400 INVALID_REQUEST', 'a body that continues after its end', (request, draw) => {
    const part = '\r\nContent-Disposition: form-data; name="other"\r\n\r\nv\r\n';
    const again = `\r\n--${request.boundary}`;
    return {
      ...request,
      epilogue: pick([`${again}--`, `${again}${part}--${request.boundary}--`, again], draw),
    };
  }),
  becomes('400 INVALID_REQUEST', 'bare line feeds', (request, draw) =>
    pick(
      [
        edit(request, (body) => Buffer.from(body.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')),
        edit(request, (body) => Buffer.from(body.toString('latin1').replaceAll('\r\n', '\r'), 'latin1')),
        editHeadOne(request, draw, (head) => `X-Own: v\n${head}`),
      ],
      draw,
    ),
  ),
  becomes('400 INVALID_REQUEST', 'an empty body or one of another format', (request, draw) =>
    edit(request, (_body, boundary) =>
      Buffer.from(
        pick(
          [
            '',
            '\r\n',
            '{}',
            'sub=0x1',
            `--${boundary}`,
            `--${boundary}\r\n`,
            '\0'.repeat(9000),
            `\r\n--${boundary}`.repeat(3000),
          ],
          draw,
        ),
      ),
    ),
  ),
  becomes(['400 INVALID_SUB', '400 INVALID_REQUEST'], 'a body of a closing delimiter alone', (request) =>
    edit(request, (_body, boundary) => Buffer.from(`--${boundary}--\r\n`)),
  ),
  same('part header names in another letter case', (request, draw) =>
    editHead(request, (head) =>
      head.replaceAll(/^Content-[A-Za-z]+/gm, (name) => (draw(2) ? name.toUpperCase() : name.toLowerCase())),
    ),
  ),
  same('a disposition in another notation', (request, draw) =>
    editHead(request, (head) =>
      pick(
        [
          head.replace('form-data', 'Form-Data'),
          head.replace('; name', ';name'),
          head.replace('; name', ' ;\tname'),
          head
            .replace('form-data;', 'form-data; filename="a; b=c.json";')
            .replace(/; filename="hashes[^"]*"/, ''),
          head.replace('form-data;', "form-data; filename*=utf-8''%e2%82%ac;"),
          head.replace('Disposition: ', 'Disposition:'),
          head.replace(/name="([A-Za-z0-9_.]+)"/, 'name=$1'),
        ],
        draw,
      ),
    ),
  ),
  same('further part headers', (request, draw) =>
    editHead(request, (head) =>
      pick(
        [
          `${head}\r\nX-Own: \xe9 v`,
          `X-Own:\r\n${head}`,
          `${head}\r\nContent-Transfer-Encoding: binary`,
          `${head}\r\nContent-Length: 1`,
          `X-Own: a\r\n folded\r\n${head}`,
          `${head}\r\nX-Own: ${'h'.repeat(600)}`,
        ],
        draw,
      ),
    ),
  ),
  same('a part with a content type', (request, draw) =>
    editHead(request, (head) =>
      /^content-type:/im.test(head)
        ? head
        : `${head}\r\nContent-Type: ${pick(['text/plain; charset=utf-16', 'application/json', '', 'none'], draw)}`,
    ),
  ),
  becomes('400 INVALID_REQUEST', 'a malformed part head', (request, draw) =>
    editHeadOne(request, draw, (head) =>
      pick(
        [
          '',
          'X-Own: v',
          head.replace('Content-Disposition', 'Content-Dispositions'),
          head.replace('Content-Disposition:', 'Content-Disposition :'),
          head.replace('form-data', 'attachment'),
          head.replace('form-data; ', ''),
          head.replace(/; name="[^"]*"/, ''),
          head.replace('name=', "name*=utf-8''"),
          head.replace('name=', 'name = '),
          head.replace('name="', 'name="\\'),
          head.replace('name="', 'name="x"; name="'),
          head.replace('name="', 'NAME="sub"; name="'),
          head.replace('; name', `; name*=utf-8''sub; name`),
          head.replace(/name="([^"]*)"/, 'name="$1'),
          head.replace(/name="([^"]*)"/, 'name="$1"x'),
          head.replace(/name="([^"]*)"/, 'name="$1\0"'),
          `${head}\r\nContent-Disposition: form-data; name="other"`,
          `Content-Type: a/b\r\n${head}\r\ncontent-type: c/d`,
          `Content-Transfer-Encoding: base64\r\n${head}`,
          `Content-Transfer-Encoding: quoted-printable\r\n${head}`,
          `X-Own\r\n${head}`,
          ` folded\r\n${head}`,
          `X-Own: a\0b\r\n${head}`,
          `X-Own: ${'h'.repeat(4096)}\r\n${head}`,
        ],
        draw,
      ),
    ),
  ),
  becomes('400 INVALID_REQUEST', 'a multipart within the form', (request, draw) =>
    add(
      request,
      unread(
        '--inner\r\nContent-Disposition: form-data; name="sub"\r\n\r\n0x1\r\n--inner--',
        'Content-Disposition: form-data; name="other"\r\nContent-Type: multipart/mixed; boundary=inner',
      ),
      draw,
    ),
  ),
  anything('random bytes in the body', (request, draw) =>
    edit(request, (body) => {
      let changed: Buffer = Buffer.from(body);
      for (let times = 1 + draw(4); times > 0; times--) changed = mutateBytes(changed, draw);
      return changed;
    }),
  ),
  anything('random bytes in delimiters and part heads', (request, draw) =>
    edit(request, (body, boundary) => {
      const at = body.indexOf(`--${boundary}`, draw(body.length));
      const start = at === -1 ? 0 : at;
      const end = Math.min(start + boundary.length + 80, body.length);
      return Buffer.concat([
        body.subarray(0, start),
        mutateBytes(Buffer.from(body.subarray(start, end)), draw),
        body.subarray(end),
      ]);
    }),
  ),
];

function mutateBytes(bytes: Buffer, draw: Draw): Buffer {
  const at = draw(Math.max(bytes.length, 1));
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const length = 1 + draw(60);
  return pick(
    [
      () => Buffer.concat([before, Buffer.of(draw(256)), after.subarray(1)]),
      () => Buffer.concat([before, Buffer.of((after[0] ?? 0) ^ (1 << draw(8))), after.subarray(1)]),
      () => Buffer.concat([before, after.subarray(length)]),
      () => Buffer.concat([before, after.subarray(0, length), after]),
      () =>
        Buffer.concat([
          before,
          Buffer.from(pick(['\r\n', '\r\n\r\n', '\0', '--', '"', '\r', '\n', ';', '\\'], draw)),
          after,
        ]),
    ],
    draw,
  )();
}
