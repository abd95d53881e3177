import type { Statement } from '../drivers/driver.ts';

/** What a mark is for: a probe of the store, or the commit after one whose outcome is unknown. */
export type MarkName = 'probe' | 'settlement';

/** Rows of each name: writers seldom wait for each other's commit. */
const SLOTS = 16;

/** Changes a row that nothing depends on: a real, durable write. */
export function addMark(name: MarkName): Statement {
  return {
    sql: 'insert into store_marks as m (name, marks) values ($1,1) on conflict (name) do update set marks = m.marks + 1',
    params: [`${name} ${Math.floor(Math.random() * SLOTS)}`],
  };
}
