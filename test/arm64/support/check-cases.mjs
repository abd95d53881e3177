/**
 * Verifies cases with the committed addon in Node for ARM64, in batches of many sizes. Arguments: folder with the files
 * `key`, `cases` and `verdicts`, length of a case in bytes, first case, end. Prints a JSON object.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const BATCH_SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 128];

const [folder, ...numbers] = process.argv.slice(2);
const [length, from, end] = numbers.map(Number);
const file = new URL('../../../native/prebuilt/proofgate.linux-arm64-gnu.node', import.meta.url);
const core = createRequire(import.meta.url)(file.pathname);
const [key, cases, verdicts] = ['key', 'cases', 'verdicts'].map((name) => readFileSync(join(folder, name)));

const handle = core.prepareKey(key);
const disagreements = [];
let checked = 0;
for (let at = from, batches = 0; at < end; batches += 1) {
  const count = Math.min(BATCH_SIZES[batches % BATCH_SIZES.length], end - at);
  const batch = cases.subarray(at * length, (at + count) * length);
  const isCombined = batches % 4 > 0;
  const found = isCombined
    ? core.verifyBatch(handle, batch, randomBytes(32))
    : core.verifyEach(handle, batch);
  for (const [index, verdict] of found.entries()) {
    checked += 1;
    if (verdict !== verdicts[at + index])
      disagreements.push({ case: at + index, batch: count, verdict, expected: verdicts[at + index] });
  }
  at += count;
}
console.log(JSON.stringify({ arithmetic: core.arithmetic(), checked, disagreements }));
