import { openStore } from '../../../../src/storage/open-store.ts';
import { bridgeSender, GROUP_SETTINGS } from '../rows.ts';
import { inputEnded } from './child-input.ts';

// node bridge-process.ts <url> <count> <name>: prints `ready`, waits for the end of its input, then handles the
// requests request-0 to request-<count - 1> in parallel: it takes each, and answers it with its own name. Prints one
// line for each: number, whether it got the request, the outcome of its answer, and who wrote the answer that it got.

const NOW = 1000;
const [url = '', count = '0', name = ''] = process.argv.slice(2);
const { bridge, close } = await openStore({ url, ...GROUP_SETTINGS });
console.log('ready');
await inputEnded();
await Promise.all(
  Array.from({ length: Number(count) }, async (_, number) => {
    const id = `request-${number}`;
    const request = await bridge.takeRequest(id, NOW);
    const stored = await bridge.answer(id, { iv: name, payload: name }, bridgeSender(), NOW);
    const answer = await bridge.takeAnswer(id, NOW);
    const by = answer?.status === 'completed' ? answer.message.iv : 'nothing';
    console.log(`${number} ${request !== undefined} ${stored} ${by}`);
  }),
);
await close();
