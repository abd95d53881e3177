import { existsSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { openedServer } from '../support/opened.ts';
import { RawClient, requestText } from '../support/server/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Requests after whose answer the server closes the connection, by the reason. */
const LAST_REQUESTS: Readonly<Record<string, string>> = {
  'the client requests it': requestText('GET /healthz', ['Connection: close']),
  'the answer is a redirect': requestText('GET /authorize', ['Connection: close']),
  'the answer has no body': requestText('OPTIONS /api/v4/verify/rp_1', ['Connection: close']),
  'the answer is to HEAD': requestText('HEAD /healthz', ['Connection: close']),
  'the length cannot be read': requestText('POST /unknown', ['Content-Length: x']),
};
const WARM_UP = 3000;
const CONNECTIONS = 8000;
const MOST_BATCHES = 6;
const AT_ONCE = 64;
/** A third of what leaks if connections are not freed: about 450 bytes each. */
const MOST_GROWTH_KIB = (CONNECTIONS * 450) / 1024 / 3;

const MAPS = '/proc/self/smaps';
const dataDir = temporaryFolder('closed', afterAll);

const server = openedServer(dataDir);

/** Returns the resident size of the server's malloc heap (`[heap]`), in KiB. */
function heapKib(): number {
  const maps = readFileSync(`/proc/${server.child.pid}/smaps`, 'utf8');
  return Number(/\[heap\]\n(?:.*\n)*?Rss:\s+(\d+) kB/.exec(maps)?.[1]);
}

async function sendOften(request: string, count: number): Promise<void> {
  const port = Number(new URL(server.publicUrl).port);
  let left = count;
  const sendInTurn = async (): Promise<void> => {
    while (left-- > 0) {
      const client = await RawClient.open(port);
      client.send(request);
      expect(await client.closed()).toMatch(/^HTTP\/1\.1 /);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendInTurn));
}

describe.skipIf(!existsSync(MAPS))('a connection that the server closes after an answer', () => {
  for (const [kind, request] of Object.entries(LAST_REQUESTS)) {
    it(`leaks no memory when ${kind}`, { timeout: 180_000 }, async () => {
      await sendOften(request, WARM_UP);
      // A leak grows with every batch; what Node frees late does not.
      let growth = Number.POSITIVE_INFINITY;
      for (let batch = 0; batch < MOST_BATCHES && growth >= MOST_GROWTH_KIB; batch++) {
        const before = heapKib();
        await sendOften(request, CONNECTIONS);
        growth = heapKib() - before;
      }
      expect(growth).toBeLessThan(MOST_GROWTH_KIB);
    });
  }
});
