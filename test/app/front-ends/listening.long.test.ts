// Rules: spec/operations.md#front-ends
import { describe, expect, it, onTestFinished } from 'vitest';
import { opened } from '../../support/opened.ts';
import { RawClient, requestText } from '../../support/server/raw-client.ts';
import { startServer } from '../../support/server/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { FrontEndService, frontEndOf } from './support/front-end-service.ts';

const FRONT_ENDS = 2;
const TRIALS = 5;

describe('a port that front ends share', () => {
  const service = opened(async () => {
    const made = await FrontEndService.create(FRONT_ENDS);
    await made.node.start();
    return made;
  }, 'end');

  it.each([64, 1000])('has %s connections shared out evenly', async (count) => {
    for (let trial = 0; trial < TRIALS; trial++) {
      const clients = await Promise.all(Array.from({ length: count }, () => RawClient.open(service.port)));
      const counts = new Map<number, number>();
      for (const client of clients) client.send(requestText('GET /healthz'));
      for (const client of clients) {
        const answer = await client.response();
        const { index } = frontEndOf(answer);
        counts.set(index, (counts.get(index) ?? 0) + 1);
      }
      for (const client of clients) client.destroy();
      expect([...counts.keys()].sort()).toEqual([1, 2]);
      const fair = count / FRONT_ENDS;
      for (const taken of counts.values()) expect(Math.abs(taken / fair - 1)).toBeLessThanOrEqual(0.2);
    }
  });

  it.each(['1', '2'])('is refused to a second service with %s front ends', async (frontEnds) => {
    const dataDir = temporaryFolder('second', onTestFinished);
    const second = startServer(dataDir, {
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: String(service.port),
      PROOFGATE_SERVER_FRONT_ENDS: frontEnds,
    });
    await expect(second).rejects.toThrow('server.port_in_use');
  });

  it('is refused to a second service while the first has one front end', async () => {
    const first = await startServer(temporaryFolder('first', onTestFinished), {
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_FRONT_ENDS: '1',
    });
    onTestFinished(async () => void (await first.end('SIGTERM')));
    const second = startServer(temporaryFolder('second', onTestFinished), {
      PROOFGATE_SERVER_HOST: '127.0.0.1',
      PROOFGATE_SERVER_PORT: new URL(first.publicUrl).port,
      PROOFGATE_SERVER_FRONT_ENDS: '2',
    });
    await expect(second).rejects.toThrow('server.port_in_use');
  });
});
