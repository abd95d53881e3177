import { openStore } from '../../../../src/storage/open-store.ts';
import { GROUP_SETTINGS, nullifierEntry } from '../rows.ts';

// node endless-process.ts <url>: records new nullifiers, 40 at a time, until it is killed. After each
// acknowledgement it prints a line: nullifier, createdAt.

const [url = ''] = process.argv.slice(2);
const store = await openStore({ url, ...GROUP_SETTINGS });
let time = 1_700_000_000_000;
await Promise.all(
  Array.from({ length: 40 }, async () => {
    for (;;) {
      const entry = nullifierEntry({ createdAt: time++ });
      const { createdAt } = await store.nullifiers.record(entry);
      const line = `${Buffer.from(entry.nullifier).toString('hex')} ${createdAt}\n`;
      // Waits for a reader that is behind, where a write to the descriptor fails.
      await new Promise((resolve) => process.stdout.write(line, resolve));
    }
  }),
);
