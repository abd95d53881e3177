import { acquireServeLock } from '../../../../src/storage/files/serve-lock.ts';
import { inputEnded } from './child-input.ts';

// node lock-process.ts <folder> [<url>]: acquires the serve lock of the folder and of the store at this URL, prints
// `locked`, and holds the lock until its input ends.

const [folder = '', storageUrl] = process.argv.slice(2);
await acquireServeLock(folder, storageUrl === undefined ? {} : { storageUrl });
console.log('locked');
await inputEnded();
