import { createDevelopmentTrees } from '../../../src/development/trees.ts';
import { openStore } from '../../../src/storage/open-store.ts';
import { inputEnded } from '../../storage/support/processes/child-input.ts';
import { GROUP_SETTINGS } from '../../storage/support/rows.ts';
import { referencePoseidon } from '../../support/crypto/reference-tree.ts';
import { leaf } from './leaves.ts';

// node enroll-process.ts <url> <first> <count>: prints `ready`, waits for the end of its input, then enrols the leaves
// first to first + count - 1 in the tree orb in parallel, and prints one line for each: number, index.

const [url = '', first = '0', count = '0'] = process.argv.slice(2);
const store = await openStore({ url, ...GROUP_SETTINGS });
const trees = createDevelopmentTrees({ store, poseidon: await referencePoseidon(), now: Date.now });
console.log('ready');
await inputEnded();
await Promise.all(
  Array.from({ length: Number(count) }, async (_, at) => {
    const number = Number(first) + at;
    const { index } = await trees.enroll('orb', leaf(number));
    console.log(`${number} ${index}`);
  }),
);
await store.close();
