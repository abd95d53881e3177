import { openStore } from '../../../../src/storage/open-store.ts';
import { credential, identity, LIMIT, START } from '../refresh-rows.ts';
import { GROUP_SETTINGS } from '../rows.ts';

// node endless-issue-process.ts <url> <from> <count>: issues a first credential to one identity after the other, several
// at a time, until it is killed. Prints one line after each commit: number, outcome, credential id.

const CONCURRENCY = 4;
const [url = '', from = '0', count = '0'] = process.argv.slice(2);
const { issuance } = await openStore({ url, ...GROUP_SETTINGS });
const end = Number(from) + Number(count);
await Promise.all(
  Array.from({ length: CONCURRENCY }, async (_, offset) => {
    for (let number = Number(from) + offset; number < end; number += CONCURRENCY) {
      const row = credential({ idComm: identity(number), issuedAt: START + number });
      const { outcome } = await issuance.issue(row, LIMIT);
      console.log(`${number} ${outcome} ${Buffer.from(row.credentialId).toString('hex')}`);
    }
  }),
);
// The test that kills it may be late, after the last identity.
setInterval(() => undefined, 60_000);
