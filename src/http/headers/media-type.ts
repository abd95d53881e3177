import { ServiceError } from '../../errors/service-error.ts';

/**
 * Returns the media type of the Content-Type header in lower case, without parameters; undefined without the
 * header.
 */
export function mediaTypeOf(headers: ReadonlyMap<string, string>): string | undefined {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

/**
 * Refuses a request whose Content-Type is not JSON.
 *
 * @throws ServiceError `http.not_json`
 */
export function requireJson(headers: ReadonlyMap<string, string>): void {
  if (mediaTypeOf(headers) !== 'application/json') throw new ServiceError('http.not_json');
}

/**
 * Refuses a request whose Content-Type is not a form; parameters such as `charset` are accepted.
 *
 * @throws ServiceError `signin.not_a_form`
 */
export function requireForm(headers: ReadonlyMap<string, string>): void {
  if (mediaTypeOf(headers) !== 'application/x-www-form-urlencoded')
    throw new ServiceError('signin.not_a_form');
}
