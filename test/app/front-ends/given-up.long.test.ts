// Rules: spec/operations.md#health
import { describe, expect, it, onTestFinished } from 'vitest';
import { opened } from '../../support/opened.ts';
import { RawClient, requestText } from '../../support/server/raw-client.ts';
import { pollUntil } from '../../support/until.ts';
import { FrontEndService, frontEndOf } from './support/front-end-service.ts';

const FRONT_ENDS = 3;

interface Ready {
  readonly status: string;
  readonly checks: Readonly<Record<string, { readonly status: string; readonly detail?: string }>>;
}

/** Numbers of the front ends that answer some new connections. */
async function answering(port: number): Promise<number[]> {
  const found = new Set<number>();
  for (let connection = 0; connection < 3 * FRONT_ENDS; connection++) {
    const client = await RawClient.open(port);
    client.send(requestText('GET /jwks.json'));
    const answer = await client.response();
    expect(answer.status).toBe(200);
    found.add(frontEndOf(answer).index);
    client.destroy();
  }
  return [...found].sort();
}

describe('a front end that cannot be replaced', () => {
  const service = opened(async () => {
    const made = await FrontEndService.create(FRONT_ENDS);
    await made.node.start();
    return made;
  }, 'end');

  it('is given up after some attempts, which log, readiness and metrics tell, while the others serve', async () => {
    expect(await answering(service.port)).toEqual([1, 2, 3]);
    service.keepFromStarting(2);
    await service.fail(2, 'exit');
    await pollUntil(async () => service.events('front_end.given_up').length > 0);
    expect(service.events('front_end.given_up')).toMatchObject([{ level: 'error', frontEnd: 2 }]);
    expect(service.events('front_end.ended').length).toBeGreaterThan(3);
    expect(await answering(service.port)).toEqual([1, 3]);
    await pollUntil(async () => (await service.metric('proofgate_front_ends', 'state="ready"')) === 2);
    expect(await service.metric('proofgate_front_ends', 'state="configured"')).toBe(3);
    const response = await fetch(`${service.process.adminUrl}/health/ready`);
    const { checks } = (await response.json()) as Ready;
    expect(response.status).toBe(200);
    expect(checks.front_ends).toMatchObject({ detail: expect.stringContaining('2') });
  });

  it('ends the service, with an error, once it was the last one', async () => {
    for (const index of [1, 3]) service.keepFromStarting(index);
    for (const index of [1, 3]) await service.fail(index, 'exit');
    const { code } = await service.process.end();
    expect(code).not.toBe(0);
    expect(service.process.output()).toContain('front_end.failed');
  });
});

describe('a start of which no front end becomes ready', () => {
  it('fails, and listens at no time', async () => {
    const service = await FrontEndService.create(FRONT_ENDS);
    onTestFinished(() => service.end());
    for (let index = 1; index <= FRONT_ENDS; index++) service.keepFromStarting(index);
    await expect(service.node.start()).rejects.toThrow('planted: front end');
    await expect(RawClient.open(service.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
