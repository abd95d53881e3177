import { ServiceError } from '../../errors/index.ts';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// A quoted text that ends with a backslash is read as closed by some and as open by others.
const QUOTED = '"((?:[^"]*[^"\\\\])?)"';
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED}))?`, 'y');
const REST = /[ \t]*/y;
/** Writers send up to three; each costs microseconds of the main thread, here and in the library. */
const MAX_PARAMETERS = 16;

/**
 * The parameters `;name=value` of a header value, in the one form that all readers take alike: tokens, or quoted texts
 * without escaped quotes.
 *
 * @param start - Index at which the parameters begin, after the type.
 * @returns Values by name in lower case, quoted ones as they stand between the quotes; undefined when a parameter is
 * malformed or comes twice, or there are more than 16, empty ones counted.
 */
export function readParameters(text: string, start: number): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>();
  let end = start;
  let count = 0;
  PARAMETER.lastIndex = start;
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    end = PARAMETER.lastIndex;
    count++;
    if (count > MAX_PARAMETERS) return undefined;
    const [, name, token, quoted] = match;
    if (name === undefined) continue;
    const key = name.toLowerCase();
    if (values.has(key)) return undefined;
    values.set(key, token ?? quoted ?? '');
  }
  REST.lastIndex = end;
  REST.test(text);
  return REST.lastIndex === text.length ? values : undefined;
}

/** The refusal of a body that two readers could take differently; `reason` says where and what, without a value. */
export function malformed(reason: string, options?: ErrorOptions): ServiceError {
  return new ServiceError('refresh.malformed_body', reason, {}, options);
}

const MEDIA_TYPE = /^[ \t]*multipart\/form-data(?=[ \t;]|$)/i;

// RFC 2046 section 5.1.1
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/**
 * The boundary of a `multipart/form-data` header, token or quoted; it needs no escape within quotes.
 *
 * @throws ServiceError `refresh.malformed_body`
 */
export function boundaryOf(contentType: string): string {
  const type = MEDIA_TYPE.exec(contentType)?.[0];
  if (type === undefined) throw malformed('Content-Type: expected multipart/form-data');
  const parameters = readParameters(contentType, type.length);
  if (parameters === undefined) throw malformed('Content-Type: a parameter is malformed or repeated');
  const boundary = parameters.get('boundary');
  if (boundary === undefined) throw malformed('Content-Type: the boundary is missing');
  if (!BOUNDARY.test(boundary)) throw malformed('Content-Type: the boundary is not of the form of RFC 2046');
  return boundary;
}
