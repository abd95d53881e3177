import { describe, expect, it } from 'vitest';
import {
  bytes,
  columns,
  converted,
  flag,
  integer,
  json,
  named,
  optional,
  present,
  type RowOf,
  selected,
  text,
  word,
} from '../../src/storage/columns.ts';
import type { Driver, Statement } from '../../src/storage/drivers/driver.ts';
import { point, scan } from '../../src/storage/sql.ts';

const POINT = columns({ x: integer, y: integer });
const SHAPE = columns({
  shapeId: text,
  state: word(['open', 'closed']),
  label: optional(text),
  sides: named('side_count', integer),
  hash: bytes,
  isRound: flag,
  tags: json<readonly string[]>(),
  names: converted(
    text,
    (list) => list.split(' '),
    (list) => list.join(' '),
  ),
  centre: POINT.together('p'),
});
const ROW: RowOf<typeof SHAPE> = {
  shapeId: 'a',
  state: 'open',
  label: null,
  sides: 3,
  hash: Uint8Array.of(1),
  isRound: false,
  tags: ['t'],
  names: ['n', 'm'],
  centre: { x: 1, y: 2 },
};
const VALUES = ['a', 'open', null, 3, Uint8Array.of(1), 0, '["t"]', 'n m', 1, 2];

describe('columns', () => {
  it('have the text of their list, with and without the alias of a table', () => {
    expect(POINT.list()).toBe('x, y');
    expect(SHAPE.list('s')).toBe(
      's.shape_id, s.state, s.label, s.side_count, s.hash, s.is_round, s.tags, s.names, p.x, p.y',
    );
    expect(columns({ total: selected('coalesce(c.amount, 0)', integer) }).list('a')).toBe(
      'coalesce(c.amount, 0)',
    );
    expect(columns({ nodeId: text, seenAt: integer, at: named('until', integer) }).replaced('nodeId')).toBe(
      'seen_at = excluded.seen_at, until = excluded.until',
    );
    expect(SHAPE.width).toBe(10);
    expect(SHAPE.slots()).toBe('$1,$2,$3,$4,$5,$6,$7,$8,$9,$10');
  });

  it('read a row by name, and write what they read', () => {
    expect(SHAPE.toRow(VALUES)).toEqual(ROW);
    expect(SHAPE.values(ROW)).toEqual(VALUES);
  });

  it('read a member of several columns as null if the first of them is null', () => {
    const values = [...VALUES.slice(0, 8), null, null];
    expect(SHAPE.toRow(values)).toEqual({ ...ROW, centre: null });
    expect(SHAPE.values({ ...ROW, centre: null })).toEqual(values);
  });

  it.each([
    [text, 1, 'expected text, got another number'],
    [text, null, 'expected text, got another null'],
    [integer, 2 ** 53, 'expected a whole number below 2^53, got another number'],
    [bytes, 'a', 'expected bytes, got another string'],
    [word(['a', 'b']), 'c', 'expected one of a, b, got another string'],
    [optional(integer), 'c', 'expected a whole number below 2^53, got another string'],
    [present(integer), 'c', 'expected a whole number below 2^53, got another string'],
  ])('refuse a value of another type', (column, value, message) => {
    expect(() => columns({ column }).toRow([value])).toThrowError(
      expect.objectContaining({ code: 'store.failed', message: `a column of the store: ${message}` }),
    );
  });
});

it('a long read on the event loop, and a member that the columns lack, do not compile', () => {
  const all = scan(POINT, 'select 1, 2');
  const one = point(POINT, 'select 1, 2');
  const raw: Statement = { sql: 'select 1, 2', params: [] };
  const reads = async (driver: Pick<Driver, 'read' | 'scan'>): Promise<unknown> => {
    // @ts-expect-error a scan runs in its thread
    await driver.read(all());
    // @ts-expect-error a statement that is not declared to be short does, too
    await driver.read(raw);
    const [row] = [
      ...(await driver.scan(all())),
      ...(await driver.scan(one())),
      ...(await driver.read(one())),
    ];
    // @ts-expect-error there is no column z
    return [row?.x, row?.y, row?.z];
  };
  expect(reads).toBeTypeOf('function');
});
