import { acquireServeLock } from '../../../src/storage/index.ts';
import { inputEnded } from './child-input.ts';

// node lock-process.ts <folder>: takes the serve lock, prints `locked` and holds it until its input ends.

const [folder = ''] = process.argv.slice(2);
await acquireServeLock(folder);
console.log('locked');
await inputEnded();
