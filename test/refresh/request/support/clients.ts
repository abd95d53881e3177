/** Forms of the same values as well-known HTTP clients write them. */
import { bytesOf, type Form } from './forms.ts';

/** A value of a form; files are sent with a file name. */
export interface Field {
  readonly name: string;
  readonly value: Buffer;
  readonly isFile: boolean;
}

/** How a client writes the header lines of a part. */
type HeaderLines = (field: Field) => readonly string[];

interface Style {
  readonly client: string;
  readonly boundary: string;
  /** Parameter of Content-Type with the boundary. */
  readonly parameter: string;
  readonly headers: HeaderLines;
  /** After the last delimiter. */
  readonly end?: string;
  /** Before the first delimiter. */
  readonly start?: string;
}

const quoted = ({ name, isFile }: Field): string =>
  `Content-Disposition: form-data; name="${name}"${isFile ? `; filename="${name}"` : ''}`;
const OCTETS = 'Content-Type: application/octet-stream';
const typedFiles: HeaderLines = (field) => [quoted(field), ...(field.isFile ? [OCTETS] : [])];

function style(client: string, boundary: string, headers: HeaderLines, more: Partial<Style> = {}): Style {
  return { client, boundary, parameter: `boundary=${boundary}`, headers, ...more };
}

const STYLES: readonly Style[] = [
  style('Chrome', '----WebKitFormBoundary7MA4YWxkTrZu0gW', typedFiles),
  style('Firefox', '---------------------------9051914041544843365972754266', typedFiles),
  style('curl', '------------------------d74496d66958873e', typedFiles),
  style('Python requests', '0f1e2d3c4b5a69788796a5b4c3d2e1f0', (field) => [quoted(field)]),
  style('Go', '1f8f7a3c5b0d4e6f9a2b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d', typedFiles),
  style('reqwest', '6f0a1b2c3d4e5f60-1a2b3c4d5e6f7081-92a3b4c5d6e7f809-1a2b3c4d5e6f7a8b', typedFiles),
  style('OkHttp', '9c0f3b1e-6d2a-4f57-8a1b-2c3d4e5f6a7b', (field) => [
    quoted(field),
    ...(field.isFile ? [OCTETS] : []),
    `Content-Length: ${field.value.length}`,
  ]),
  style('.NET', '5e2f0c1a-77b3-4e0d-9f6a-0d1c2b3a4f5e', dotnetHeaders, {
    parameter: 'boundary="5e2f0c1a-77b3-4e0d-9f6a-0d1c2b3a4f5e"',
  }),
  style('Apache HttpClient', 'xQ3-7_aZkE1tM9vB2nC4pL6sD8fG0h', (field) => [
    quoted(field),
    field.isFile ? OCTETS : 'Content-Type: text/plain; charset=ISO-8859-1',
    `Content-Transfer-Encoding: ${field.isFile ? 'binary' : '8bit'}`,
  ]),
  style('Alamofire', 'alamofire.boundary.4f2a9c0e1b3d5f70', typedFiles),
  style('Ruby net/http', 'qT4w_Zk-9sXy0LmNbVcR2eUoPa7dFgH', typedFiles, {
    parameter: 'boundary="qT4w_Zk-9sXy0LmNbVcR2eUoPa7dFgH"',
  }),
  style('Perl LWP', 'xYzZY', typedFiles),
  style('Python email', '===============7330845974216740156==', typedFiles, {
    parameter: 'boundary="===============7330845974216740156=="',
    end: '',
  }),
  style('JavaMail', '----=_Part_0_123456.1700000000', typedFiles, {
    parameter: 'boundary="----=_Part_0_123456.1700000000"',
    start: '\r\n',
  }),
  style('a client with every character of a boundary', "a'()+_,-./:=? z", typedFiles, {
    parameter: 'charset=utf-8; boundary="a\'()+_,-./:=? z"',
  }),
];

function dotnetHeaders({ name, isFile }: Field): string[] {
  const file = isFile ? `; filename=${name}; filename*=utf-8''${name}` : '';
  return [
    ...(isFile ? [] : ['Content-Type: text/plain; charset=utf-8']),
    `Content-Disposition: form-data; name=${name}${file}`,
  ];
}

/** Returns the fields as a form of each client. */
export function clientForms(fields: readonly Field[]): readonly (readonly [client: string, form: Form])[] {
  return STYLES.map((made) => [made.client, write(made, fields)]);
}

function write(
  { boundary, parameter, headers, start = '', end = '\r\n' }: Style,
  fields: readonly Field[],
): Form {
  const parts = fields.flatMap((field) => [
    bytesOf(`--${boundary}\r\n${headers(field).join('\r\n')}\r\n\r\n`),
    field.value,
    bytesOf('\r\n'),
  ]);
  const body = Buffer.concat([bytesOf(start), ...parts, bytesOf(`--${boundary}--${end}`)]);
  return { contentType: `multipart/form-data; ${parameter}`, body };
}
