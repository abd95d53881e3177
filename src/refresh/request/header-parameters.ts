import { ServiceError } from '../../errors/index.ts';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// Some readers take a quoted text that ends with a backslash as closed, others as open.
const QUOTED = '"((?:[^"]*[^"\\\\])?)"';
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED}))?`, 'y');
const REST = /[ \t]*/y;
/** Clients send up to three; each costs microseconds of the main thread, here and in the library. */
const MAX_PARAMETERS = 16;

/**
 * Reads the parameters `;name=value` of a header value, in the form on which all readers agree: tokens, or
 * quoted texts without escaped quotes.
 *
 * @param start - Index at which the parameters begin, after the type.
 * @returns Values by lower-case name, quoted ones as written between the quotes; undefined if a parameter is
 *   malformed or repeated, or there are more than 16, including empty ones.
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

/**
 * Creates the refusal of a body that two readers could interpret differently; `reason` names the place and
 * the fault, without a value.
 */
export function malformed(reason: string, options?: ErrorOptions): ServiceError {
  return new ServiceError('refresh.malformed_body', reason, {}, options);
}

const MEDIA_TYPE = /^[ \t]*multipart\/form-data(?=[ \t;]|$)/i;

// RFC 2046 section 5.1.1
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/**
 * Returns the boundary of a `multipart/form-data` header, which may be a token or quoted, without escapes.
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
