import { malformed, readParameters } from './header-parameters.ts';

const FOLD = /\r\n(?=[ \t])/g;
const LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;
const FORM_DATA = /^form-data(?=[ \t;]|$)/i;
const IDENTITY_ENCODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);
/** Headers that matter here; with a second one it would be ambiguous which counts. */
const SINGLE: ReadonlySet<string> = new Set([
  'content-disposition',
  'content-type',
  'content-transfer-encoding',
]);

/**
 * Refuses headers of a part that the library and other readers could interpret differently, or that the
 * library would silently drop: RFC 7578 sections 4.2 to 4.8. Other headers are ignored, as there.
 *
 * @param block - The header lines with CRLF between them, one character per byte.
 * @param where - Names the part for the message.
 * @throws ServiceError `refresh.malformed_body`
 */
export function checkPartHeaders(block: string, where: string): void {
  const headers = readHeaders(block, where);
  const disposition = headers.get('content-disposition') ?? '';
  const type = FORM_DATA.exec(disposition)?.[0];
  if (type === undefined) throw malformed(`${where}: expected Content-Disposition: form-data`);
  checkName(readParameters(disposition, type.length), where);
  // some readers would take its parts as values, others its text
  if (/^multipart\//i.test(headers.get('content-type') ?? ''))
    throw malformed(`${where}: a multipart within the form is not taken`);
  const encoding = headers.get('content-transfer-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && !IDENTITY_ENCODINGS.has(encoding))
    throw malformed(`${where}: Content-Transfer-Encoding must leave the bytes as they are`);
}

function readHeaders(block: string, where: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of block.replace(FOLD, '').split('\r\n')) {
    const [, name = '', value = ''] = LINE.exec(line) ?? [];
    if (name === '') throw malformed(`${where}: a header line is malformed`);
    const key = name.toLowerCase();
    if (!SINGLE.has(key)) continue;
    if (headers.has(key)) throw malformed(`${where}: a header came twice`);
    headers.set(key, value);
  }
  return headers;
}

function checkName(parameters: ReadonlyMap<string, string> | undefined, where: string): void {
  if (parameters === undefined) throw malformed(`${where}: Content-Disposition is malformed`);
  const name = parameters.get('name');
  if (name === undefined) throw malformed(`${where}: the name is missing`);
  // name*=utf-8''… and name*0=… would be a second name; filename*=…, which some clients send with filename,
  // is ignored
  const isExtended = [...parameters.keys()].some((key) => key.startsWith('name*'));
  if (isExtended || name.includes('\\')) throw malformed(`${where}: the name must be plain text`);
}
