// Rules: spec/operations.md#sql-dialect
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deleteByKeys,
  insertRows,
  rowsAfter,
  rowsAmongKeys,
  rowsBetween,
} from '../../src/storage/copy/table-rows.ts';
import type { Statement, TableShape } from '../../src/storage/drivers/driver.ts';
import { LibsqlConnection } from '../../src/storage/drivers/libsql-connection.ts';
import { openDriver } from '../../src/storage/open-store.ts';
import { everyText } from '../../src/storage/sql.ts';
import { storeOver } from '../../src/storage/store.ts';
import { deleteExpired } from '../../src/storage/sweep.ts';
import { EXPIRING_TABLES } from '../../src/storage/tables.ts';
import { POSTGRES_BIN, POSTGRES_SKIP } from '../support/postgres/postgres-programs.ts';
import { PostgresServer } from '../support/postgres/postgres-server.ts';
import { GROUP_SETTINGS } from './support/rows.ts';
import { useTempFolders } from './support/temp-folder.ts';

const STORAGE = new URL('../../src/storage/', import.meta.url);
/** Files that make statements of their own: those of one engine, those of tables whose columns are not known before, and what runs migrations. */
const INFRASTRUCTURE =
  /^(sql\.ts|sweep\.ts|drivers\/.*|copy\/table-rows\.ts|backup\/database-reads\.ts|nullifiers\/row-cost\.ts)$/;
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
/** Lengths of lists: each length is another text. */
const LENGTHS = [1, 2, 16, 17];

/** Statements over any table, as the sweep and the copy of a store make them for these tables. */
function statementsOver(tables: readonly TableShape[]): Statement[] {
  return [
    ...EXPIRING_TABLES.map((table) => deleteExpired(table, 0, 1)),
    ...EXPIRING_TABLES.flatMap(({ cleanUp }) =>
      cleanUp === undefined ? [] : [{ sql: cleanUp, params: [] }],
    ),
    ...tables.flatMap((table) => [
      rowsAfter(table, undefined, 1),
      rowsAfter(table, table.key, 1),
      rowsBetween(table, undefined, undefined, 1),
      rowsBetween(table, 'a', 'b', 1),
      rowsAmongKeys(table, table.key, [table.key]),
      deleteByKeys(table, [table.key]),
      ...LENGTHS.map((length) =>
        insertRows(
          table,
          Array.from({ length }, () => table.columns),
        ),
      ),
    ]),
  ];
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

describe('statements', () => {
  const tempFolder = useTempFolders();
  let texts: readonly string[];
  let server: PostgresServer | undefined;

  beforeAll(async () => {
    for (const file of entityFiles()) await import(new URL(file, STORAGE).href);
    texts = everyText(LENGTHS);
    if (POSTGRES_BIN !== undefined) server = await PostgresServer.create({ fsync: 'off' });
  });

  afterAll(() => server?.remove());

  /** Migrates a store, and returns the texts of all statements that a program sends to it. */
  const textsFor = async (url: string): Promise<ReadonlySet<string>> => {
    const driver = await openDriver({ url, ...GROUP_SETTINGS }, { writesInline: true });
    const store = storeOver(driver, GROUP_SETTINGS);
    await store.migrate();
    const tables = await driver.tables();
    await store.close();
    return new Set([...texts, ...statementsOver(tables).map(({ sql }) => sql)]);
  };

  it('are made when their file is loaded, by the functions that record their text', () => {
    expect(entityFiles().flatMap(hiddenStatements)).toEqual([]);
    expect(texts.length).toBeGreaterThan(200);
  });

  it('are prepared by libsql', async () => {
    const path = join(tempFolder(), 'proofgate.db');
    const all = await textsFor(`libsql:${path}`);
    const connection = new LibsqlConnection(path, 0);
    for (const sql of all) expect(() => connection.execute(`explain ${sql}`), sql).not.toThrow();
    connection.close();
  });

  it.skipIf(POSTGRES_BIN === undefined)(`are prepared by PostgreSQL${POSTGRES_SKIP}`, async () => {
    const url = server?.url(await server.createDatabase()) ?? '';
    const all = await textsFor(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const failures: string[] = [];
    for (const sql of all) {
      await client
        .query(`prepare tried as ${sql}`)
        .then(() => client.query('deallocate tried'))
        .catch((error: Error) => failures.push(`${error.message}: ${sql}`));
    }
    await client.end();
    expect(failures).toEqual([]);
  });
});
