import { pointOf } from '../../../../src/storage/drivers/driver.ts';
import { openPostgresDriver } from '../../../../src/storage/drivers/postgres/postgres-driver.ts';
import { addressOf } from '../postgres-address-of.ts';
import { inputEnded } from './child-input.ts';

// node pooled-process.ts <url> <name>: runs a statement of its own with a parameter, prints its row, waits for the end of its
// input, and does the same again.

const [url = '', name = ''] = process.argv.slice(2);
const driver = await openPostgresDriver({
  address: addressOf(url),
  poolSize: 1,
  prepares: true,
  timeoutMs: 60_000,
});
const print = async (): Promise<void> => {
  const rows = await driver.read(pointOf(`select 'statement of ${name}', cast($1 as text)`, [name]));
  console.log(rows.flat().join(', '));
};
await print();
await inputEnded();
await print();
await driver.close();
