import { ServiceError } from '../errors/service-error.ts';
import { type JsonSchema, parseJsonText } from '../json.ts';
import { listOf, OPTIONAL_TEXT, objectSchema, textOf } from './schemas.ts';

/** Position of a row in its list. */
type Place = readonly (string | number)[];

/** A requested page. */
export interface PageRequest {
  readonly limit: number;
  /** Place after which the page begins; undefined for the first page. */
  readonly after: Place | undefined;
}

/** A page of items. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

const DEFAULT_LIMIT = 50;
const MAX_CURSOR_CHARACTERS = 1024;

/** Most items of a page. */
export const MAX_PAGE_ITEMS = 200;

/** Members of the input of every list, all optional. */
export const PAGE_QUERY = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE_ITEMS,
    default: DEFAULT_LIMIT,
    description: 'Most items of the page.',
  },
  cursor: {
    ...textOf(MAX_CURSOR_CHARACTERS),
    description: '`next_cursor` of the page before; the first page if absent.',
  },
} as const;

/** Builds the schema of the member for the order of items. */
export function orderSchema<const Default extends 'newest' | 'oldest'>(first: Default, description: string) {
  return {
    type: 'string',
    enum: [first, first === 'newest' ? 'oldest' : 'newest'],
    default: first,
    description,
  } as const;
}

/** Builds the schema of a page of items. */
export function pageSchema<const S extends JsonSchema>(item: S) {
  return objectSchema({ items: listOf(item), next_cursor: OPTIONAL_TEXT });
}

/**
 * Reads the requested page of a call.
 *
 * @param form - Types of the members of a place, in order.
 * @throws ServiceError `admin.invalid_request`
 */
export function readPage(
  { limit = DEFAULT_LIMIT, cursor }: { readonly limit?: number; readonly cursor?: string },
  form: readonly ('string' | 'number')[],
): PageRequest {
  if (cursor === undefined) return { limit, after: undefined };
  const after = decode(cursor);
  if (after?.length !== form.length || after.some((part, index) => typeof part !== form[index])) {
    const text = 'query/cursor: expected the next_cursor of a page of this list';
    throw new ServiceError('admin.invalid_request', text, { path: 'query/cursor' });
  }
  return { limit, after };
}

/**
 * Builds a page.
 *
 * @param rows - Rows of the page, and one more if there is a next page.
 * @param placeOf - Place of a row in the list.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => Item,
  placeOf: (row: Row) => Place,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map((row) => show(row)),
    next_cursor: last === undefined ? null : cursorOf(placeOf(last)),
  };
}

/** Returns the cursor of the page that begins after a place. */
export function cursorOf(place: Place): string {
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
