/** Mutates valid requests: bytes, tokens, headers, framing, order. */
import { type Draw, drawFor, pick } from './draw.ts';
import type { RequestTemplate } from './request-corpus.ts';

/** Bytes for one connection, and what the server may do with them. */
export interface MutatedRequest {
  readonly templates: readonly string[];
  /** Written in this order, each in its own packet as far as the kernel allows. */
  readonly pieces: readonly Uint8Array[];
  /** Values of `X-Request-Id` that were sent, in order. */
  readonly ids: readonly string[];
  /** `whole`: each request is complete and well framed. `unclear`: the server may wait for more or refuse. */
  readonly framing: 'whole' | 'unclear';
  /** Whether the first request is a HEAD, whose answer has no body. */
  readonly isHead: boolean;
}

const TEXT_TOKENS = [
  'null',
  '{}',
  '[]',
  '""',
  '0',
  '-1',
  '1e999',
  '"\\ud800"',
  '"0x"',
  'true',
  '"3.0"',
  '[[[[[[',
  '%00',
  '\u0000',
  '\xff',
  '\ufeff',
  '&',
  '=',
  '%',
  '%zz',
  '../',
  '//',
  '\r\n',
  '--',
  ';',
  '"',
  '\\',
  ' ',
];
const HEAD_TOKENS = [
  '\r\n',
  '\n',
  '\r',
  '\t',
  '\x0b',
  '\x00',
  ' ',
  ':',
  '\r\n ',
  '\r\n\r\n',
  '%2f',
  '/../',
  '?',
  '#',
  '\x7f',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: 0x10\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: identity\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: websocket\r\n',
  'Host: other\r\n',
  'Cookie: a=b\r\n',
  'Authorization: Basic x\r\n',
  'X-Forwarded-For: ::1, 10.0.0.1\r\n',
  'Accept: */*\r\n',
];
const HEX_DIGITS = '0123456789abcdefABCDEF';
const MAX_TEXT_CUT = 40;
const KINDS = [
  'body',
  'body',
  'body',
  'body',
  'head',
  'head',
  'head',
  'chunked',
  'cut',
  'pipelined',
] as const;

/** Makes the mutation with this index; the same seed and index make the same mutation. */
export function mutatedRequest(
  corpus: readonly RequestTemplate[],
  seed: number,
  index: number,
): MutatedRequest {
  const draw = drawFor(seed, index);
  const template = pick(corpus, draw);
  const id = `fuzz-${index}`;
  const about = { templates: [template.name], ids: [id], isHead: template.line.startsWith('HEAD ') };
  switch (pick(KINDS, draw)) {
    case 'body': {
      const body = mutateTimes(Buffer.from(template.body), TEXT_TOKENS, draw);
      const isTargetMutated = template.body.length === 0 || draw(4) === 0;
      const line = isTargetMutated ? mutateTarget(template.line, draw) : template.line;
      const bytes = Buffer.concat([headOf({ ...template, line }, id, body.length), body]);
      return { ...about, pieces: split(bytes, draw), framing: isTargetMutated ? 'unclear' : 'whole' };
    }
    case 'head': {
      const head = mutateTimes(headOf(template, id, template.body.length), HEAD_TOKENS, draw);
      return { ...about, pieces: split(Buffer.concat([head, template.body]), draw), framing: 'unclear' };
    }
    case 'chunked': {
      const body = chunked(template.body, draw);
      const isMutated = draw(2) === 0;
      const framed = isMutated ? mutateTimes(body, HEAD_TOKENS, draw) : body;
      const bytes = Buffer.concat([headOf(template, id, undefined), framed]);
      return { ...about, pieces: split(bytes, draw), framing: isMutated ? 'unclear' : 'whole' };
    }
    case 'cut': {
      const bytes = Buffer.concat([headOf(template, id, template.body.length), template.body]);
      return { ...about, pieces: split(bytes.subarray(0, draw(bytes.length)), draw), framing: 'unclear' };
    }
    case 'pipelined': {
      const second = pick(corpus, draw);
      const ids = [id, `${id}-second`];
      const both = [template, second].map((one, at) =>
        Buffer.concat([headOf(one, ids[at] ?? '', one.body.length), one.body]),
      );
      const names = [template.name, second.name];
      return { ...about, templates: names, ids, pieces: both, framing: 'unclear' };
    }
  }
}

function headOf(template: RequestTemplate, id: string, length: number | undefined): Buffer {
  const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  const headers = template.headers.filter((line) => !line.startsWith('Content-Length'));
  const lines = [
    `${template.line} HTTP/1.1`,
    `X-Request-Id: ${id}`,
    'Host: localhost',
    ...headers,
    framing,
    '',
    '',
  ];
  return Buffer.from(lines.join('\r\n'), 'latin1');
}

function mutateTarget(line: string, draw: Draw): string {
  const [method = '', target = ''] = line.split(' ');
  const mutated = mutateTimes(Buffer.from(target, 'latin1'), TEXT_TOKENS, draw).toString('latin1');
  return `${method} /${mutated.replace(/^\//, '')}`;
}

function mutateTimes(bytes: Buffer, tokens: readonly string[], draw: Draw): Buffer {
  let mutated = bytes;
  for (let times = 1 + draw(3); times > 0 && mutated.length > 0; times--) {
    mutated = mutateOnce(mutated, tokens, draw);
  }
  return mutated;
}

function mutateOnce(bytes: Buffer, tokens: readonly string[], draw: Draw): Buffer {
  const at = draw(bytes.length);
  const length = 1 + draw(MAX_TEXT_CUT);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (draw(8)) {
    case 0:
      return Buffer.concat([before, Buffer.of(draw(256)), after.subarray(1)]);
    case 1:
      return Buffer.concat([before, after.subarray(length)]);
    case 2:
      return Buffer.concat([before, after.subarray(0, length), after]);
    case 3:
      return Buffer.concat([before, Buffer.from(pick(tokens, draw), 'latin1'), after.subarray(length)]);
    case 4:
      return Buffer.concat([before, Buffer.from(pick(tokens, draw), 'latin1'), after]);
    case 5:
      return Buffer.concat([
        before,
        Buffer.from(HEX_DIGITS[draw(HEX_DIGITS.length)] ?? ''),
        after.subarray(1),
      ]);
    case 6: {
      const from = draw(bytes.length);
      return Buffer.concat([before, bytes.subarray(from, from + length), after]);
    }
    default:
      return Buffer.concat([before, Buffer.of((after[0] ?? 0) ^ (1 << draw(8))), after.subarray(1)]);
  }
}

function chunked(body: Uint8Array, draw: Draw): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, 1 + draw(Math.max(1, Math.ceil(body.length / 2))));
    parts.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

/** Splits after the request line: the HTTP library answers 505 if a packet ends at certain places in that line. */
function split(bytes: Buffer, draw: Draw): Uint8Array[] {
  if (draw(4) > 0) return [bytes];
  const first = bytes.indexOf('\r\n') + 2;
  const at = first + draw(bytes.length - first + 1);
  return [bytes.subarray(0, at), bytes.subarray(at)].filter((piece) => piece.length > 0);
}
