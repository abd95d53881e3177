import { openStore } from '../../../../src/storage/open-store.ts';
import { GROUP_SETTINGS } from '../rows.ts';
import { inputEnded } from './child-input.ts';

// node migrate-process.ts <url>: prints `ready`, waits for the end of its input, then opens the store, migrates it
// and prints the status as JSON.

const [url = ''] = process.argv.slice(2);
console.log('ready');
await inputEnded();
const store = await openStore({ url, ...GROUP_SETTINGS });
console.log(JSON.stringify(await store.migrate()));
await store.close();
