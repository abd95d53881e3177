import { readParameters } from './header-parameters.ts';
import { malformed } from './malformed.ts';

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
