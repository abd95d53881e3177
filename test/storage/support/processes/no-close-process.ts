import { openStore } from '../../../../src/storage/open-store.ts';
import { GROUP_SETTINGS, nullifierEntry } from '../rows.ts';

// node no-close-process.ts <url>: records a nullifier, prints whether it was new, and leaves the store open.

const [url = ''] = process.argv.slice(2);
const store = await openStore({ url, ...GROUP_SETTINGS });
await store.migrate();
console.log((await store.nullifiers.record(nullifierEntry())).isNew);
await store.rowCounts();
