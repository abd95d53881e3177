import { decodeUtf8 } from '../bytes.ts';
import { ServiceError } from '../errors/index.ts';

/** Parameters of a query or of a form body, decoded. An empty value counts as absent. */
export interface Parameters {
  /** The first value, or undefined when it is absent or empty. */
  get(name: string): string | undefined;
  /** Whether the name was sent more than once. */
  isRepeated(name: string): boolean;
}

/**
 * Reads `application/x-www-form-urlencoded` text (spec/sign-in.md#parameters): `+` and `%20` are space. Which
 * names are known is the caller's matter; it asks `isRepeated` for those.
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
 * Refuses a known parameter that was sent twice.
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
    // The adapter reads bytes that are not UTF-8 as this; as itself it could only be meant where it is not escaped.
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

/** The words of a space-separated list, as `scope`, `response_type`, `prompt` and `acr_values` are. */
export function wordsOf(text: string | undefined): string[] {
  return (text ?? '').split(' ').filter((word) => word !== '');
}

/** Whether a list holds a word, case-sensitively. */
export function hasWord(text: string | undefined, word: string): boolean {
  return wordsOf(text).includes(word);
}

/**
 * The value of a parameter that must be there.
 *
 * @throws ServiceError `signin.parameter_required`, its path the name
 */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new ServiceError('signin.parameter_required', undefined, { path: name });
  return value;
}
