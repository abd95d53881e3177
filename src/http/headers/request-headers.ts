import { parseAddress } from '../../addresses.ts';
import { ServiceError } from '../../errors/service-error.ts';

/**
 * Returns whether an `Accept` header gives JSON a higher quality than HTML (spec/sign-in.md#page-or-json). Browsers, a
 * missing header and the range for all types get the page.
 */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = weightedRanges(accept);
  return qualityOf('application/json', ranges) > qualityOf('text/html', ranges);
}

/**
 * Returns whether an `Accept` header asks for a page, as browsers do: it names HTML, and JSON has a lower quality, or
 * an equal one only through a wildcard. A missing header and the range for everything do not ask for a page.
 */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = weightedRanges(accept);
  const isNamed = (type: string): boolean => ranges.some(({ range, weight }) => range === type && weight > 0);
  const [html, json] = [qualityOf('text/html', ranges), qualityOf('application/json', ranges)];
  return isNamed('text/html') && (html > json || (html === json && !isNamed('application/json')));
}

/** One element of `Accept` or `Accept-Language`. */
export interface WeightedRange {
  /** Lower case, without parameters. */
  readonly range: string;
  /** 0 to 1. */
  readonly weight: number;
}

/** Far more than any browser sends. The rest is ignored, since a head may contain 40 KiB of ranges. */
const MAX_CHARACTERS = 1024;
// RFC 9110 section 12.4.2
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Parses the elements of `Accept` or `Accept-Language`, in order; a missing or malformed weight is 1. */
export function weightedRanges(header: string): WeightedRange[] {
  return header.slice(0, MAX_CHARACTERS).split(',').map(weightedRange);
}

function weightedRange(text: string): WeightedRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q=')) ?? '';
  return { range, weight: Number(WEIGHT.exec(weight)?.[1] ?? 1) };
}

/** Returns the quality of a type by its most specific range (RFC 9110 section 12.5.1); 0 if none matches. */
function qualityOf(type: string, ranges: readonly WeightedRange[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const range of [type, family, '*/*']) {
    const qualities = ranges.filter((found) => found.range === range).map(({ weight }) => weight);
    if (qualities.length > 0) return Math.max(...qualities);
  }
  return 0;
}

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

const PORT = /:[0-9]*$/;

/**
 * Creates the check that a `Host` header names the listener: IP addresses, `localhost`, names below it, and these
 * names. Protects against DNS rebinding: a page whose host name resolves to the address of the listener sends another
 * name.
 */
export function createHostCheck(names: readonly string[]): (host: string) => boolean {
  const own = new Set(['localhost', ...names.map(plainName)]);
  return (host) => {
    const name = plainName(host.replace(PORT, ''));
    return own.has(name) || name.endsWith('.localhost') || parseAddress(name) !== undefined;
  };
}

/** Returns a host in lower case, without brackets around an IPv6 address and without a trailing dot. */
function plainName(host: string): string {
  return host.replace(/^\[|\]$|\.$/g, '').toLowerCase();
}
