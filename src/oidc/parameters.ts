import { decodeUtf8 } from '../bytes.ts';
import { ServiceError } from '../errors/service-error.ts';

/** Scope of refresh tokens (OpenID Connect Core 11). */
export const OFFLINE_ACCESS = 'offline_access';

/** Decoded parameters of a query or form body. An empty value counts as absent. */
export interface Parameters {
  /** Returns the first value, or undefined if it is absent or empty. */
  get(name: string): string | undefined;
  /** Whether the name was sent more than once. */
  isRepeated(name: string): boolean;
}

/**
 * Reads `application/x-www-form-urlencoded` text (spec/sign-in.md#parameters): `+` and `%20` are spaces. Repeated names
 * are not refused; the caller checks with `isRepeated`.
 *
 * @param source - A raw query without `?`, or the bytes of a form body.
 * @throws ServiceError `signin.malformed_parameters` for a bad escape or bytes that are not UTF-8
 */
export function parseParameters(source: string | Uint8Array): Parameters {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (const part of textOf(source).split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : decode(part.slice(equals + 1));
    if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return {
    get: (name) => values.get(name) || undefined,
    isRepeated: (name) => repeated.has(name),
  };
}

/**
 * Refuses a repeated parameter among `names`.
 *
 * @throws ServiceError `signin.repeated_parameter`, its path the name
 */
export function refuseRepeated(parameters: Parameters, names: readonly string[]): void {
  const name = names.find((known) => parameters.isRepeated(known));
  if (name !== undefined) {
    throw new ServiceError('signin.repeated_parameter', `${name}: expected once, got it again.`, {
      path: name,
    });
  }
}

function textOf(source: string | Uint8Array): string {
  if (typeof source === 'string') {
    // The adapter decodes bytes that are not UTF-8 to U+FFFD. A client that means U+FFFD itself can escape
    // it.
    if (source.includes('\ufffd')) throw new ServiceError('signin.malformed_parameters');
    return source;
  }
  try {
    return decodeUtf8(source);
  } catch (cause) {
    throw new ServiceError('signin.malformed_parameters', undefined, {}, { cause });
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new ServiceError('signin.malformed_parameters', undefined, {}, { cause });
  }
}

/** Returns the words of a space-separated list such as `scope`, `response_type`, `prompt` or `acr_values`. */
export function wordsOf(text: string | undefined): string[] {
  return (text ?? '').split(' ').filter((word) => word !== '');
}

/** Whether a list holds a word, case-sensitively. */
export function hasWord(text: string | undefined, word: string): boolean {
  return wordsOf(text).includes(word);
}

/**
 * Returns the value of a required parameter.
 *
 * @throws ServiceError `signin.parameter_required`, its path the name
 */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new ServiceError('signin.parameter_required', undefined, { path: name });
  return value;
}
