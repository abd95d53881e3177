import { openStore } from '../../../../src/storage/open-store.ts';
import { GROUP_SETTINGS, nullifierEntry, numberedNullifier } from '../rows.ts';
import { inputEnded } from './child-input.ts';

// node record-process.ts <url> <count> <time>: prints `ready`, waits for the end of its input, then records the
// nullifiers 0 to count - 1 in parallel and prints one line for each: number, isNew, createdAt.

const [url = '', count = '0', time = '0'] = process.argv.slice(2);
const store = await openStore({ url, ...GROUP_SETTINGS, groupMaxRows: 16 });
console.log('ready');
await inputEnded();
await Promise.all(
  Array.from({ length: Number(count) }, async (_, number) => {
    const entry = nullifierEntry({ nullifier: numberedNullifier(number), createdAt: Number(time) });
    const record = await store.nullifiers.record(entry);
    console.log(`${number} ${record.isNew} ${record.createdAt}`);
  }),
);
await store.close();
