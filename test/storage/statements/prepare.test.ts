// Rules: spec/operations.md#sql-dialect
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Statement } from '../../../src/storage/drivers/driver.ts';
import { LibsqlConnection } from '../../../src/storage/drivers/libsql-connection.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import { everyText } from '../../../src/storage/sql.ts';
import { EXPIRING_TABLES } from '../../../src/storage/statements/tables.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { GROUP_SETTINGS } from '../support/rows.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const STORAGE = new URL('../../../src/storage/', import.meta.url);
const FOLDER = new URL('statements/', STORAGE);
/** Files that make statements of their own: engines, schema, copies of tables whose columns are not known before. */
const INFRASTRUCTURE = /^(sql\.ts$|statements\/|drivers\/|migrations\/|copy\/|backup\/|sweep\.ts$)/;
/** Functions of `sql.ts` that take a text, and those that call the function with which they make one. */
const MAKERS = ['point', 'scan', 'returning', 'write', 'guard'];
const CALLERS = [
  'eachOf',
  'eachSubset',
  'rowsTemplate',
  'sharedRowsTemplate',
  'keysTemplate',
  'pointByKeys',
  'pointByLength',
];
/** Helpers without statements, and statements of one engine only. */
const LEFT_OUT = ['columns.ts', 'values-list.ts', 'copies.ts', 'catalogue.ts'];
/** Lengths of lists: each length is another text. */
const LENGTHS = [1, 2, 16, 17];
const TABLES = [
  {
    name: 'nullifiers',
    columns: ['nullifier', 'environment', 'created_at'],
    key: ['nullifier', 'environment'],
  },
  { name: 'apps', columns: ['app_id'], key: ['app_id'] },
];
/** Progress of a root source that has read nothing. */
const NO_PROGRESS = {
  scanFrom: null,
  checkpoint: null,
  targetTime: null,
  backfillTo: null,
  pendingRoots: [],
};
/** Arguments of functions whose text depends on them; other functions take placeholders. */
const ARGUMENTS: Readonly<Record<string, (length: number) => unknown[][]>> = {
  eventPage: () => [
    [{ state: 'dead', limit: 1, after: { createdAt: 0, id: 'a' } }, 0],
    [{ state: undefined, limit: 1, after: undefined }, 0],
  ],
  advanceRootSource: () => [[{ id: 'a', version: 1 }, { ...NO_PROGRESS, logsAt: 0, keysAt: 0 }, 1, '[]']],
  deleteExpired: () => EXPIRING_TABLES.map((table) => [table]),
  deleteStagingNullifiers: () => [['a', 'b', { from: new Uint8Array(1), to: new Uint8Array(2) }]],
  appPage: () => [[1, 'a', undefined]],
  rowsAfter: () =>
    TABLES.flatMap((table) => [
      [table, undefined, 1],
      [table, table.key, 1],
    ]),
  rowsBetween: () =>
    TABLES.flatMap((table) => [
      [table, undefined, undefined, 1],
      [table, 'a', 'b', 1],
    ]),
  rowsAmongKeys: () => TABLES.map((table) => [table, table.key, [table.key]]),
  deleteByKeys: () => TABLES.map((table) => [table, [table.key]]),
  insertRows: (length) =>
    TABLES.slice(0, 1).map((table) => [table, Array.from({ length }, () => table.columns)]),
};

type StatementFunction = (...parameters: unknown[]) => Statement | Statement[];

/** A value that stands for any argument: a list of such values, an object of them, or a number. */
function anything(length: number, depth = 0): unknown {
  const items: unknown[] = depth > 2 ? [] : Array.from({ length }, () => anything(1, depth + 1));
  return new Proxy(items, {
    get(target, name) {
      if (name === Symbol.toPrimitive) return () => 1;
      return name in target ? Reflect.get(target, name) : anything(1, 2);
    },
  });
}

/** Every statement text of the folder, by function. */
async function textsByFunction(): Promise<Map<string, Set<string>>> {
  const texts = new Map<string, Set<string>>();
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !LEFT_OUT.includes(file),
  );
  for (const file of files) {
    const module = (await import(new URL(file, FOLDER).href)) as Record<string, unknown>;
    for (const [name, make] of Object.entries(module)) {
      if (typeof make !== 'function' || /^to[A-Z]/.test(name)) continue;
      const found = new Set<string>();
      for (const length of LENGTHS) {
        const calls = ARGUMENTS[name]?.(length) ?? [
          Array.from({ length: make.length }, () => anything(length)),
          Array.from({ length: make.length }, () => undefined),
        ];
        for (const parameters of calls) {
          for (const { sql } of statementsOf(make as StatementFunction, parameters)) found.add(sql);
        }
      }
      texts.set(`${file} ${name}`, found);
    }
  }
  return texts;
}

/** The files of the folder that may hold no statement of their own. */
function entityFiles(): string[] {
  return readdirSync(STORAGE, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !INFRASTRUCTURE.test(file),
  );
}

/** Places of a file where a statement is made that `everyText` would not return after the file was loaded. */
function hiddenStatements(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(new URL(file, STORAGE), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: string[] = [];
  const imported = /import \{([^}]*)\} from '[./]*\/sql\.ts'/.exec(source.text)?.[1] ?? '';
  const isCallOf = (node: ts.Node, names: readonly string[]): boolean =>
    ts.isCallExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.arguments.length > 0 &&
    names.includes(node.expression.text) &&
    new RegExp(`\\b${node.expression.text}\\b`).test(imported);
  const visit = (node: ts.Node, isLater: boolean): void => {
    const isMade = isCallOf(node, [...MAKERS, ...CALLERS]) && isLater;
    const isWritten =
      (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) &&
      node.name.getText() === 'sql';
    if (isMade || isWritten) found.push(`${file}: ${node.getText().slice(0, 80)}`);
    const runsLater = ts.isFunctionLike(node) && !isCallOf(node.parent, CALLERS);
    ts.forEachChild(node, (child) => visit(child, isLater || runsLater));
  };
  visit(source, false);
  return found;
}

/** Calls a function; one that does not take `undefined` returns nothing for it. */
function statementsOf(make: StatementFunction, parameters: unknown[]): Statement[] {
  try {
    return [make(...parameters)].flat().filter((statement) => typeof statement?.sql === 'string');
  } catch {
    return [];
  }
}

describe('statements', () => {
  const tempFolder = useTempFolders();
  let texts: Map<string, Set<string>>;
  let server: PostgresServer | undefined;

  beforeAll(async () => {
    texts = await textsByFunction();
    for (const file of entityFiles()) await import(new URL(file, STORAGE).href);
    for (const sql of everyText(LENGTHS)) texts.set(sql, new Set([sql]));
    if (POSTGRES_BIN !== undefined) server = await PostgresServer.create({ fsync: 'off' });
  });

  afterAll(() => server?.remove());

  it('are found behind every function that makes one', () => {
    expect([...texts].flatMap(([name, found]) => (found.size === 0 ? [name] : []))).toEqual([]);
    expect(texts.size).toBeGreaterThan(120);
  });

  it('are made when their file is loaded, by the functions that record their text', () => {
    expect(entityFiles().flatMap(hiddenStatements)).toEqual([]);
  });

  it('are prepared by libsql', async () => {
    const path = join(tempFolder(), 'proofgate.db');
    const store = await openStore({ url: `libsql:${path}`, ...GROUP_SETTINGS }, { writesInline: true });
    await store.migrate();
    await store.close();
    const connection = new LibsqlConnection(path, 0);
    for (const [name, found] of texts) {
      for (const sql of found) expect(() => connection.execute(`explain ${sql}`), name).not.toThrow();
    }
    connection.close();
  });

  it.skipIf(POSTGRES_BIN === undefined)(`are prepared by PostgreSQL${POSTGRES_SKIP}`, async () => {
    const url = server?.url(await server.createDatabase()) ?? '';
    const store = await openStore({ url, ...GROUP_SETTINGS });
    await store.migrate();
    await store.close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const failures: string[] = [];
    for (const [name, found] of texts) {
      for (const sql of found) {
        // PostgreSQL prepares no `create`; the migration above ran it.
        if (sql.startsWith('create ')) continue;
        await client
          .query(`prepare tried as ${sql}`)
          .then(() => client.query('deallocate tried'))
          .catch((error: Error) => failures.push(`${name}: ${error.message}: ${sql}`));
      }
    }
    await client.end();
    expect(failures).toEqual([]);
  });
});
