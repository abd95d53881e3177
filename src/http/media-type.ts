import { ServiceError } from '../errors/index.ts';

/** The media type of a Content-Type header in lower case, without parameters; undefined where there is no header. */
export function mediaTypeOf(headers: ReadonlyMap<string, string>): string | undefined {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

/**
 * Refuses a body that is not announced as JSON.
 *
 * @throws ServiceError `http.not_json`
 */
export function requireJson(headers: ReadonlyMap<string, string>): void {
  if (mediaTypeOf(headers) !== 'application/json') throw new ServiceError('http.not_json');
}
