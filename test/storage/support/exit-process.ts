import { openLibsqlDriver } from '../../../src/storage/drivers/libsql.ts';

// node exit-process.ts <path>: calls process.exit(7) while its database thread is at work.

const [path = ''] = process.argv.slice(2);
const driver = await openLibsqlDriver({ path });
await driver.write([{ sql: 'create table rows (key bigint primary key)', params: [] }]);
const sql = 'insert into rows (key) values ($1) returning key';
const writing = Array.from({ length: 4000 }, (_, key) => driver.write([{ sql, params: [key] }]));
for (const write of writing) write.catch(() => undefined);
await writing[0];
process.exit(7);
