import { openStore } from '../../../../src/storage/index.ts';
import { credential, identity, LIMIT, START } from '../refresh-rows.ts';
import { GROUP_SETTINGS } from '../rows.ts';

// node endless-issue-process.ts <url> <from> <count>: issues a first credential to identity after identity, several at
// a time, and prints number and id of each whose commit was acknowledged, until it is killed.

const AT_ONCE = 4;
const [url = '', from = '0', count = '0'] = process.argv.slice(2);
const { issuance } = await openStore({ url, ...GROUP_SETTINGS });
const end = Number(from) + Number(count);
await Promise.all(
  Array.from({ length: AT_ONCE }, async (_, lane) => {
    for (let number = Number(from) + lane; number < end; number += AT_ONCE) {
      const row = credential({ idComm: identity(number), issuedAt: START + number });
      const { outcome } = await issuance.issue(row, LIMIT);
      console.log(`${number} ${outcome} ${Buffer.from(row.credentialId).toString('hex')}`);
    }
  }),
);
