import { describe, expect, it } from 'vitest';
import { BodilessAnswers } from '../../../src/http/limits/bodiless-answers.ts';
import { RawClient, requestText } from '../../support/server/raw-client.ts';
import { connect, openListener, testRoute } from '../../support/server/test-listener.ts';

const PREFLIGHT = requestText('OPTIONS /t');
const countOf = (received: string): number => received.match(/^HTTP\/1\.1 204 /gm)?.length ?? 0;

describe('answers without a body', () => {
  it('keep the connection open at the rate of ordinary use', async () => {
    const { port } = await openListener([testRoute('POST', '/t', () => ({ status: 200 }))]);
    const client = await connect(port);
    for (let count = 0; count < 40; count++) {
      client.send(PREFLIGHT);
      expect((await client.response()).status).toBe(204);
    }
  });

  it('end the connection of a client that requests thousands and reads none', async () => {
    const { port } = await openListener([testRoute('POST', '/t', () => ({ status: 200 }))]);
    const client = await RawClient.open(port);
    client.socket.pause();
    client.send(PREFLIGHT.repeat(4000));
    await new Promise((resolve) => setTimeout(resolve, 100));
    client.socket.resume();
    expect(countOf(await client.closed())).toBeLessThan(2000);
  });

  it('are counted apart for each listener', async () => {
    const routes = [testRoute('POST', '/t', () => ({ status: 200 }))];
    const flooded = await openListener(routes);
    const other = await openListener(routes);
    const sender = await RawClient.open(flooded.port);
    sender.send(PREFLIGHT.repeat(4000));
    expect(countOf(await sender.closed())).toBeLessThan(2000);
    const client = await connect(other.port);
    for (let count = 0; count < 64; count++) {
      client.send(PREFLIGHT);
      expect((await client.response()).status).toBe(204);
    }
  });

  it('end connections at random beyond a burst, and none after it', () => {
    const answers = new BodilessAnswers();
    const lastOf = (count: number, atMs: number): number =>
      Array.from({ length: count }, () => answers.isLast(atMs)).filter(Boolean).length;
    expect(lastOf(64, 0)).toBe(0);
    const last = lastOf(16_000, 0);
    expect(last).toBeGreaterThan(500);
    expect(last).toBeLessThan(2000);
    expect(lastOf(3, 1000)).toBe(0);
    expect(lastOf(60, 60_000)).toBe(0);
  });
});
