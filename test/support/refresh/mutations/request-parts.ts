/** A refresh request in layers, so that a mutation changes one layer and the others stay valid. */

/** Draws an integer from 0 to `below` − 1. */
export type Draw = (below: number) => number;

/** One part of the form. */
export interface FormPart {
  readonly name: string;
  /** Header lines, without the line break of the last one. */
  readonly head: string;
  readonly value: Uint8Array;
}

/** Name and value of a JSON member, both as JSON text. */
export type JsonMember = readonly [name: string, value: string];

/** A request before it is encoded. Each function receives the layer below and returns the layer above. */
export interface RequestParts {
  readonly method: string;
  readonly path: string;
  /** Raw query without `?`. */
  readonly query: string;
  readonly version: string;
  /** Header lines other than Content-Type, proof and framing. */
  readonly lines: readonly string[];
  /** Members of the JSON in the proof header. */
  readonly members: readonly JsonMember[];
  readonly writeJson: (members: readonly JsonMember[]) => string | Uint8Array;
  readonly encode: (json: Uint8Array) => string;
  readonly proofLines: (value: string) => readonly string[];
  readonly boundary: string;
  readonly typeLines: (boundary: string) => readonly string[];
  readonly preamble: string;
  readonly parts: readonly FormPart[];
  readonly epilogue: string;
  readonly editBody: (body: Buffer, boundary: string) => Uint8Array;
  readonly frame: (body: Buffer) => { readonly lines: readonly string[]; readonly bytes: Uint8Array };
  /** Changes the header lines, which are in the order in which they are sent. */
  readonly editLines: (lines: readonly string[]) => readonly string[];
  /** Divides the request into the pieces in which it is sent. */
  readonly cut: (request: Buffer) => readonly Uint8Array[];
}

/** Layers that change nothing. */
export const PLAIN: Pick<
  RequestParts,
  'method' | 'path' | 'version' | 'lines' | 'writeJson' | 'encode' | 'proofLines' | 'boundary' | 'typeLines'
> &
  Pick<RequestParts, 'preamble' | 'epilogue' | 'editBody' | 'frame' | 'editLines' | 'cut'> = {
  method: 'POST',
  path: '/api/v1/refresh',
  version: 'HTTP/1.1',
  lines: ['Host: localhost'],
  writeJson: (members) => `{${members.map((member) => member.join(':')).join(',')}}`,
  encode: (json) => Buffer.from(json).toString('base64'),
  proofLines: (value) => [`x-zkp-proof: ${value}`],
  boundary: '----proofgate-test-7d1c4f',
  typeLines: (boundary) => [`Content-Type: multipart/form-data; boundary=${boundary}`],
  preamble: '',
  epilogue: '\r\n',
  editBody: (body) => body,
  frame: (body) => ({ lines: [`Content-Length: ${body.length}`], bytes: body }),
  editLines: (lines) => lines,
  cut: (request) => [request],
};

/** Encodes a request into the pieces in which it is sent; text is Latin-1, one byte per character. */
export function writeRequest(request: RequestParts): readonly Uint8Array[] {
  const json = request.writeJson(request.members);
  const header = request.encode(typeof json === 'string' ? Buffer.from(json) : json);
  const { lines, bytes } = request.frame(Buffer.from(request.editBody(writeBody(request), request.boundary)));
  const all = request.editLines([
    ...request.lines,
    ...request.typeLines(request.boundary),
    ...request.proofLines(header),
    ...lines,
  ]);
  const query = request.query === '' ? '' : `?${request.query}`;
  const head = [`${request.method} ${request.path}${query} ${request.version}`, ...all, '', ''].join('\r\n');
  return request.cut(Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
}

function writeBody({ boundary, preamble, parts, epilogue }: RequestParts): Buffer {
  return Buffer.concat([
    Buffer.from(preamble, 'latin1'),
    ...parts.flatMap(({ head, value }) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`, 'latin1'),
      value,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--${epilogue}`, 'latin1'),
  ]);
}

/** Makes a part as clients write it. */
export function formPart(name: string, value: string | Uint8Array): FormPart {
  const file = `; filename="${name}"\r\nContent-Type: application/octet-stream`;
  const isFile = name.startsWith('hashes.');
  return {
    name,
    head: `Content-Disposition: form-data; name="${name}"${isFile ? file : ''}`,
    value: typeof value === 'string' ? Buffer.from(value) : value,
  };
}

/** Value of a part. Throws when the request has no such part. */
export function partValue({ parts }: RequestParts, name: string): Buffer {
  const found = parts.find((part) => part.name === name);
  if (found === undefined) throw new Error(`expected a request with the part ${name}`);
  return Buffer.from(found.value);
}

/** Replaces the value of a part. */
export function withValue(request: RequestParts, name: string, value: string | Uint8Array): RequestParts {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return {
    ...request,
    parts: request.parts.map((part) => (part.name === name ? { ...part, value: bytes } : part)),
  };
}

/** Removes parts of a request. */
export function withoutParts(
  request: RequestParts,
  isLeftOut: (name: string, index: number) => boolean,
): RequestParts {
  return { ...request, parts: request.parts.filter(({ name }, index) => !isLeftOut(name, index)) };
}

/** Returns a list in random order. */
export function shuffled<T>(list: readonly T[], draw: Draw): T[] {
  const rest = [...list];
  return list.flatMap(() => rest.splice(draw(rest.length), 1));
}

/** Returns a random element of a list. */
export function pick<T>(list: readonly T[], draw: Draw): T {
  return list[draw(list.length)] as T;
}
