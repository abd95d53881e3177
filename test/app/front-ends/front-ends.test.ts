import { describe, expect, it } from 'vitest';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import { type Answer, bodyMaker, LOAD_APP } from '../../support/load.ts';
import { opened } from '../../support/opened.ts';
import { RawClient, requestText } from '../../support/server/raw-client.ts';
import { FrontEndService, frontEndOf } from './support/front-end-service.ts';

const FRONT_ENDS = 2;

describe('a service with two front ends', () => {
  const service = opened(async () => {
    const made = await FrontEndService.create(FRONT_ENDS);
    await made.prepare();
    await made.node.start();
    return made;
  }, 'end');

  it('accepts a nullifier once, whichever of them is asked, and ends with 0', async () => {
    const { body } = (await bodyMaker('two front ends'))();
    const found: { index: number; message: string | undefined; createdAt: string | undefined }[] = [];
    for (let connection = 0; connection < FRONT_ENDS; connection++) {
      const client = await RawClient.open(service.port);
      client.send(
        requestText(`POST /api/v4/verify/${rpIdOf(LOAD_APP)}`, [`Content-Length: ${body.length}`], body),
      );
      const answer = await client.response();
      const { message, created_at: createdAt } = JSON.parse(answer.body.toString()) as Answer['body'];
      found.push({ index: frontEndOf(answer).index, message, createdAt });
      client.destroy();
    }
    expect(found.map(({ message }) => message)).toEqual([
      'Proof verified successfully',
      'Proof verified successfully (nullifier reuse)',
    ]);
    expect(new Set(found.map(({ index }) => index)).size).toBe(FRONT_ENDS);
    expect(new Set(found.map(({ createdAt }) => createdAt)).size).toBe(1);
    await service.stop();
  });
});
