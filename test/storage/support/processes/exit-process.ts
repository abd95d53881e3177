import { setTimeout } from 'node:timers/promises';
import { openLibsqlDriver } from '../../../../src/storage/drivers/libsql.ts';

// node exit-process.ts <path>: calls process.exit(7) while its database thread is busy counting.

const [path = ''] = process.argv.slice(2);
const driver = await openLibsqlDriver({ path });
const rows = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000000)';
driver.write([{ sql: `${rows} select count(*) from n`, params: [] }]).catch(() => undefined);
await setTimeout(50);
process.exit(7);
