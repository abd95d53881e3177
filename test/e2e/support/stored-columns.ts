/** Searches the columns of a database for values. */
import type Database from 'libsql';
import type { Traces } from './traces.ts';

/** Returns the columns (`table.column`) that contain values, by kind, both sorted; kinds not found are absent. */
export function columnsHolding(
  database: InstanceType<typeof Database>,
  traces: Traces,
): Readonly<Record<string, readonly string[]>> {
  const columns = new Map<string, Uint8Array[]>();
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  for (const { name } of tables as { readonly name: string }[]) {
    for (const row of database.prepare(`select * from "${name}"`).all() as Record<string, unknown>[]) {
      for (const [column, value] of Object.entries(row)) {
        const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : Buffer.from(String(value));
        const place = `${name}.${column}`;
        columns.set(place, [...(columns.get(place) ?? []), bytes, Buffer.of(0)]);
      }
    }
  }
  const held = new Map<string, Set<string>>();
  for (const [place, values] of columns) {
    for (const found of traces.in(Buffer.concat(values))) {
      const kind = found.slice(0, found.indexOf(' ('));
      held.set(kind, (held.get(kind) ?? new Set()).add(place));
    }
  }
  return Object.fromEntries(
    [...held].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, places]) => [kind, [...places].sort()]),
  );
}
