import { setTimeout } from 'node:timers/promises';
import { openLibsqlDriver } from '../../../../src/storage/drivers/libsql.ts';

// node exit-process.ts <path>: calls process.exit(7) while its database thread counts. The thread has enough to do for
// seconds, in calls that are short on any machine, since the exit waits for a call only so long.

const TRANSACTIONS = 20_000;

const [path = ''] = process.argv.slice(2);
const driver = await openLibsqlDriver({ path });
const rows = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000)';
for (let count = 0; count < TRANSACTIONS; count++) {
  driver.write([{ sql: `${rows} select count(*) from n`, params: [] }]).catch(() => undefined);
}
await setTimeout(50);
process.exit(7);
