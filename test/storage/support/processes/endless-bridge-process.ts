import { openStore } from '../../../../src/storage/open-store.ts';
import { bridgeSender, GROUP_SETTINGS } from '../rows.ts';

// node endless-bridge-process.ts <url>: six addresses store, take and answer messages on a bridge that they fill, until
// the process is killed. Prints one line for each message that was accepted.

const LIMITS = { maxEntries: 40, maxBytes: 400_000, maxEntriesPerAddress: 30, maxBytesPerAddress: 300_000 };
const [url = ''] = process.argv.slice(2);
const { bridge } = await openStore({ url, ...GROUP_SETTINGS });

await Promise.all(
  Array.from({ length: 6 }, async (_, address) => {
    const sender = bridgeSender(LIMITS, `address-${address}`);
    for (let number = 0; ; number++) {
      const id = `request-${address}-${number % 20}`;
      const message = { iv: 'aXY=', payload: 'p'.repeat((number * 997) % 9000) };
      const outcome = await bridge.createRequest(id, message, sender, Date.now());
      if (outcome === 'created') console.log(id);
      if (number % 3 === 0) await bridge.takeRequest(id, Date.now());
      if (number % 4 === 0) await bridge.answer(id, message, sender, Date.now());
      if (number % 8 === 0) await bridge.takeAnswer(id, Date.now());
    }
  }),
);
