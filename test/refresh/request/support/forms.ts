/** Bodies of multipart/form-data, written byte by byte: correct ones and ones that no library would send. */

/** A request body with its header. */
export interface Form {
  readonly contentType: string;
  readonly body: Buffer;
}

export const BOUNDARY = 'edge-7d1c4f';

/** Encodes text as Latin-1; copies bytes. */
export function bytesOf(value: string | Uint8Array): Buffer {
  return typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.from(value);
}

/** Builds one part; `disposition` replaces `form-data; name="…"`, `more` are further header lines. */
export function part(
  name: string,
  value: string | Uint8Array,
  disposition: string = `form-data; name="${name}"`,
  more: string = '',
): Buffer {
  return Buffer.concat([
    bytesOf(`Content-Disposition: ${disposition}\r\n${more}\r\n`),
    bytesOf(value),
    bytesOf('\r\n'),
  ]);
}

/** Builds a form of parts with the closing delimiter and a line end after it. */
export function form(parts: readonly (string | Uint8Array)[], boundary: string = BOUNDARY): Form {
  const delimiter = bytesOf(`--${boundary}\r\n`);
  const body = Buffer.concat([
    ...parts.flatMap((content) => [delimiter, bytesOf(content)]),
    bytesOf(`--${boundary}--\r\n`),
  ]);
  return { contentType: `multipart/form-data; boundary="${boundary}"`, body };
}

/** Builds a form from the text of its body, by default with the usual boundary. */
export function raw(text: string, contentType: string = `multipart/form-data; boundary=${BOUNDARY}`): Form {
  return { contentType, body: bytesOf(text) };
}

/** A valid part, for bodies that are wrong elsewhere. */
export const SUB_PART: Buffer = part('sub', '0x1a2b3c');
const SUB = SUB_PART.toString('latin1');
const OPEN = `--${BOUNDARY}\r\n`;
const CLOSE = `--${BOUNDARY}--`;
const GOOD = `${OPEN}${SUB}${CLOSE}\r\n`;
const TYPE = 'multipart/form-data';

function withDisposition(disposition: string): Form {
  return form([SUB_PART, part('', 'v', disposition)]);
}

function withHeader(line: string): Form {
  return form([SUB_PART, part('x', 'v', undefined, line)]);
}

/** Bodies and headers that are refused, named by what is wrong with them. */
export const MALFORMED: readonly (readonly [name: string, form: Form])[] = [
  ['no boundary parameter', raw(GOOD, TYPE)],
  ['no boundary parameter but others', raw(GOOD, `${TYPE}; charset=utf-8`)],
  ['an empty boundary', raw('----\r\n', `${TYPE}; boundary=`)],
  ['an empty quoted boundary', raw('----\r\n', `${TYPE}; boundary=""`)],
  ['a boundary of 71 characters', form([SUB_PART], 'b'.repeat(71))],
  ['a boundary of 300 characters', form([SUB_PART], 'b'.repeat(300))],
  ['a boundary that ends with a space', form([SUB_PART], 'b ')],
  ['a boundary with a character that RFC 2046 leaves out', form([SUB_PART], 'a@b')],
  ['a boundary with an escape', raw(GOOD, `${TYPE}; boundary="edge\\-7d1c4f"`)],
  ['a boundary whose quotes do not end', raw(GOOD, `${TYPE}; boundary="${BOUNDARY}`)],
  ['an unquoted boundary with a space', raw(GOOD, `${TYPE}; boundary=edge -7d1c4f`)],
  ['an unquoted boundary with a colon', announced('a:b', 'a:b')],
  ['text after the quoted boundary', raw(GOOD, `${TYPE}; boundary="${BOUNDARY}"x`)],
  ['two boundaries', raw(GOOD, `${TYPE}; boundary=${BOUNDARY}; boundary=other`)],
  ['two boundaries that are equal', raw(GOOD, `${TYPE}; boundary=${BOUNDARY}; Boundary=${BOUNDARY}`)],
  ['an extended boundary', raw(GOOD, `${TYPE}; boundary*=utf-8''${BOUNDARY}`)],
  ['a parameter without a value', raw(GOOD, `${TYPE}; charset; boundary=${BOUNDARY}`)],
  ['no body', raw('')],
  ['another boundary in the body', announced('other', BOUNDARY)],
  ['a boundary in another case', raw(GOOD.replaceAll(BOUNDARY, BOUNDARY.toUpperCase()))],
  ['only the opening delimiter', raw(`--${BOUNDARY}`)],
  ['only the opening delimiter line', raw(OPEN)],
  ['an end within the headers', raw(`${OPEN}Content-Disposition: form-data; na`)],
  ['an end after the headers', raw(`${OPEN}Content-Disposition: form-data; name="sub"\r\n\r\n`)],
  ['an end within a value', raw(`${OPEN}${SUB}`)],
  ['an end before the last two dashes', raw(`${OPEN}${SUB}--${BOUNDARY}`)],
  ['an end before the last dash', raw(`${OPEN}${SUB}--${BOUNDARY}-`)],
  ['an end after another delimiter line', raw(`${OPEN}${SUB}${OPEN}`)],
  ['a closing delimiter in the middle of a line', raw(`${OPEN}${SUB.slice(0, -2)}${CLOSE}\r\n`)],
  ['delimiter lines that end with a bare LF', raw(GOOD.replaceAll('\r\n', '\n'))],
  ['lines that end with a bare CR', raw(GOOD.replaceAll('\r\n', '\r'))],
  ['a delimiter line that ends with a bare LF', raw(`--${BOUNDARY}\n${SUB}${CLOSE}\r\n`)],
  ['spaces after the boundary of a delimiter line', raw(`--${BOUNDARY} \t\r\n${SUB}${CLOSE}\r\n`)],
  ['a header on the delimiter line', raw(`--${BOUNDARY}X: y\r\n${SUB}${CLOSE}\r\n`)],
  ['a delimiter that continues in a value', raw(`${OPEN}${part('x', `a\r\n--${BOUNDARY}b`)}${CLOSE}\r\n`)],
  ['a delimiter that continues with one dash', raw(`--${BOUNDARY}-\r\n${SUB}${CLOSE}\r\n`)],
  ['text after the closing delimiter', raw(`${OPEN}${SUB}${CLOSE}text\r\n`)],
  ['spaces after the closing delimiter', raw(`${OPEN}${SUB}${CLOSE}  \r\n`)],
  ['a bare LF after the closing delimiter', raw(`${OPEN}${SUB}${CLOSE}\n`)],
  ['a part after the closing delimiter', raw(`${GOOD}${OPEN}${part('x', 'v')}${CLOSE}\r\n`)],
  ['a second closing delimiter', raw(`${GOOD}${CLOSE}\r\n`)],
  ['a second closing delimiter immediately after', raw(`${OPEN}${SUB}${CLOSE}\r\n${CLOSE}`)],
  ['an empty part', form([SUB_PART, ''])],
  ['a part without headers', form([SUB_PART, '\r\nvalue\r\n'])],
  [
    'headers that are not ended by an empty line',
    form([SUB_PART, 'Content-Disposition: form-data; name="x"\r\n']),
  ],
  [
    'headers that end with bare LFs',
    form([SUB_PART, 'Content-Disposition: form-data; name="x"\n\nvalue\r\n']),
  ],
  ['a part without Content-Disposition', form([SUB_PART, 'Content-Type: text/plain\r\n\r\nvalue\r\n'])],
  ['a disposition of another type', withDisposition('attachment; name="x"')],
  ['a disposition whose type has spaces', withDisposition('form - data; name="x"')],
  ['a disposition whose type continues', withDisposition('form-datas; name="x"')],
  ['a disposition without a type', withDisposition('name="x"')],
  ['an empty disposition', withDisposition('')],
  ['a disposition without a name', withDisposition('form-data')],
  ['a file without a name', withDisposition('form-data; filename="hashes.json"')],
  ['a name without quotes around its spaces', withDisposition('form-data; name=s u b')],
  ['a name whose quotes do not end', withDisposition('form-data; name="x')],
  ['a name that is quoted in part', withDisposition('form-data; name=su"b"')],
  ['text after the quoted name', withDisposition('form-data; name="x"y')],
  ['a space after the equals sign', withDisposition('form-data; name= "x"')],
  ['two names', withDisposition('form-data; name="x"; name="y"')],
  ['two names in different case', withDisposition('form-data; name="x"; NAME="y"')],
  ['an extended name', withDisposition("form-data; name*=utf-8''%73ub")],
  ['an extended name next to a plain one', withDisposition('form-data; name="x"; name*=utf-8\'\'sub')],
  ['a name in sections', withDisposition('form-data; name*0="s"; name*1="ub"')],
  ['a name with an escape', withDisposition('form-data; name="s\\ub"')],
  ['a name with an escaped quote', withDisposition('form-data; name="x\\""')],
  ['a file name that ends with a backslash', withDisposition('form-data; name="x"; filename="C:\\"')],
  ['a name with a bare CR', withDisposition('form-data; name="a\rb"')],
  ['a name with a bare LF', withDisposition('form-data; name="a\nb"')],
  ['a name with a NUL', withDisposition('form-data; name="a\0b"')],
  ['two dispositions', withHeader('Content-Disposition: form-data; name="y"\r\n')],
  ['two dispositions in different case', withHeader('content-disposition: form-data; name="x"\r\n')],
  ['two content types', withHeader('Content-Type: text/plain\r\nContent-Type: text/html\r\n')],
  ['a multipart within the form', withHeader('Content-Type: multipart/mixed; boundary=inner\r\n')],
  [
    'a multipart within the form, folded',
    withHeader('Content-Type:\r\n Multipart/Mixed; boundary=inner\r\n'),
  ],
  ['a value in base64', withHeader('Content-Transfer-Encoding: base64\r\n')],
  ['a value in quoted-printable', withHeader('Content-Transfer-Encoding: Quoted-Printable\r\n')],
  ['a value in a private encoding', withHeader('Content-Transfer-Encoding: x-own\r\n')],
  ['two encodings', withHeader('Content-Transfer-Encoding: 8bit\r\nContent-Transfer-Encoding: 8bit\r\n')],
  ['a header line without a colon', withHeader('X-Own\r\n')],
  ['a header line without a name', withHeader(': text\r\n')],
  ['a space before the colon', withHeader('X-Own : text\r\n')],
  ['a header with a NUL', withHeader('X-Own: a\0b\r\n')],
  ['a header with a bare CR', withHeader('X-Own: a\rb\r\n')],
  [
    'a folded line before any header',
    form([SUB_PART, ' folded\r\nContent-Disposition: form-data; name="x"\r\n\r\nv\r\n']),
  ],
  ['headers of 1,025 bytes', withHeaderBytes(1025)],
  ['17 parameters of a disposition', withDisposition(`form-data; name="x"${';'.repeat(16)}`)],
  ['17 parameters of its content type', raw(`--x--\r\n`, `${TYPE}; boundary=x${';'.repeat(16)}`)],
  ['headers of 200,000 bytes', withHeaderBytes(200_000)],
  ['3,000 header lines', withHeader('a:\r\n'.repeat(3000))],
  ['65 parts', form(Array.from({ length: 65 }, (_, i) => part(`p${i}`, 'v')))],
  ['65 parts of one unknown name', form(new Array<Buffer>(65).fill(part('other', 'v')))],
  ['20,000 parts', form(new Array<Buffer>(20_000).fill(part('', '')), 'x')],
  ['delimiters and nothing else', raw('\r\n--x'.repeat(200_000), `${TYPE}; boundary=x`)],
];

/** Builds a form with part headers of `length` bytes, including line ends but not the empty line. */
export function withHeaderBytes(length: number): Form {
  const rest = '\r\nContent-Disposition: form-data; name="x"\r\nX-Own: '.length;
  return withHeader(`X-Own: ${'h'.repeat(length - rest)}\r\n`);
}

function announced(boundary: string, token: string): Form {
  return { ...form([SUB_PART], boundary), contentType: `${TYPE}; boundary=${token}` };
}
