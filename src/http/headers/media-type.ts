import { ServiceError } from '../../errors/index.ts';

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

/**
 * Refuses a body that is not announced as a form; parameters such as `charset` are accepted.
 *
 * @throws ServiceError `signin.not_a_form`
 */
export function requireForm(headers: ReadonlyMap<string, string>): void {
  if (mediaTypeOf(headers) !== 'application/x-www-form-urlencoded')
    throw new ServiceError('signin.not_a_form');
}
