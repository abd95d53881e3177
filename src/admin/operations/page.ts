import { ServiceError } from '../../errors/index.ts';
import { type JsonSchema, parseJsonText } from '../../json.ts';
import type { AdminAnswer, AdminRequest } from '../operation.ts';
import { listOf, OPTIONAL_TEXT, objectSchema, textOf } from './schemas.ts';

/** Position of a row in its list. */
type Place = readonly (string | number)[];

/** A page that a request asks for. */
export interface PageRequest {
  readonly limit: number;
  /** Place after which the page begins; undefined for the first page. */
  readonly after: Place | undefined;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_CURSOR_CHARACTERS = 1024;

/** Parameters of the query of every list. */
export const PAGE_QUERY: Readonly<Record<'limit' | 'cursor', JsonSchema>> = {
  limit: {
    ...{ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    description: 'Most items of the page.',
  },
  cursor: {
    ...textOf(MAX_CURSOR_CHARACTERS),
    description: '`next_cursor` of the page before; the first page if absent.',
  },
};

/** Builds the schema of a page of items. */
export function pageSchema(item: JsonSchema): JsonSchema {
  return objectSchema({ items: listOf(item), next_cursor: OPTIONAL_TEXT });
}

/**
 * Reads which page a request asks for.
 *
 * @param form - Types of the members of a place, in order.
 * @throws ServiceError `admin.invalid_request`
 */
export function readPage(
  { query }: Pick<AdminRequest, 'query'>,
  form: readonly ('string' | 'number')[],
): PageRequest {
  const { limit = DEFAULT_LIMIT, cursor } = query;
  if (cursor === undefined) return { limit: Number(limit), after: undefined };
  const after = decode(String(cursor));
  if (after?.length !== form.length || after.some((part, index) => typeof part !== form[index])) {
    const text = 'query/cursor: expected the next_cursor of a page of this list';
    throw new ServiceError('admin.invalid_request', text, { path: 'query/cursor' });
  }
  return { limit: Number(limit), after };
}

/**
 * Builds a page.
 *
 * @param rows - Rows of the page, and one more if there is a next page.
 * @param placeOf - Place of a row in the list.
 */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  show: (row: T) => unknown,
  placeOf: (row: T) => Place,
): AdminAnswer {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const cursor = last === undefined ? null : encode(placeOf(last));
  return { status: 200, body: { items: shown.map((row) => show(row)), next_cursor: cursor } };
}

function encode(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function decode(cursor: string): Place | undefined {
  try {
    const place = parseJsonText(Buffer.from(cursor, 'base64url').toString('utf8'));
    const isPlace = Array.isArray(place) && place.every((part) => ['string', 'number'].includes(typeof part));
    return isPlace && place.every((part) => typeof part === 'string' || Number.isSafeInteger(part))
      ? place
      : undefined;
  } catch {
    return undefined;
  }
}
