import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openedServer } from '../support/opened.ts';
import { attack, openFrom } from '../support/server/attackers.ts';
import { requestText } from '../support/server/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The defaults divided by 64.
const SETTINGS = { PROOFGATE_HTTP_MAX_CONNECTIONS: '128', PROOFGATE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '16' };
/** More than a quarter of the bound, from which an address with many gets no new ones. */
const CONNECTIONS = 60;
const ATTACKER = '127.0.0.3';
const SLOW_ATTACKER = '127.0.0.4';
const BYSTANDER = '127.0.0.2';
const MAX_HEAD_BYTES = 40_960;
const OPENING = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: `;

const dataDir = temporaryFolder('heads', afterAll);

const server = openedServer(dataDir, SETTINGS);

const publicPort = (): number => Number(new URL(server.publicUrl).port);

async function refusedConnections(): Promise<number> {
  const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
  return Number(/^proofgate_http_connections_refused_total\{listener="public"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

async function statusOfBystander(): Promise<number> {
  const client = await openFrom(publicPort(), BYSTANDER);
  client.send(requestText('GET /healthz'));
  const { status } = await client.response();
  client.destroy();
  return status;
}

describe('heads that do not end', () => {
  it('take one address its connections and no other address anything', async () => {
    const crowd = await attack({
      port: publicPort(),
      connections: CONNECTIONS,
      addressOf: () => ATTACKER,
      mostOpened: CONNECTIONS,
      opening: OPENING + 'a'.repeat(MAX_HEAD_BYTES - 1000),
    });
    onTestFinished(() => crowd.stop());
    const refusedOneMore = async (): Promise<number> => {
      const client = await openFrom(publicPort(), ATTACKER).catch(() => undefined);
      client?.destroy();
      return refusedConnections();
    };
    await expect.poll(refusedOneMore).toBeGreaterThan(0);
    for (let round = 0; round < 20; round++) expect(await statusOfBystander()).toBe(200);
  });

  it('end with their 40,960th byte, however slowly they come', async () => {
    const crowd = await attack({
      port: publicPort(),
      connections: 4,
      // The other one may still be over its limit.
      addressOf: () => SLOW_ATTACKER,
      mostOpened: 4,
      opening: OPENING,
      drip: 'a'.repeat(8000),
    });
    onTestFinished(() => crowd.stop());
    await expect
      .poll(() => [...crowd.answers])
      .toEqual([['HTTP/1.1 431 Request Header Fields Too Large', 4]]);
  });
});
