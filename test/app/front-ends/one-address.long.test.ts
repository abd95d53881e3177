// Rules: spec/operations.md#rate-limits, spec/operations.md#overload
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { openFrom } from '../../support/server/attackers.ts';
import { type RawClient, requestText } from '../../support/server/raw-client.ts';
import { pollUntil } from '../../support/until.ts';
import { FrontEndService, frontEndOf } from './support/front-end-service.ts';

const FRONT_ENDS = 3;
const CONNECTIONS = 60;
const ATTACKER = '127.0.0.2';
/** Has sent no verification before. */
const OTHER_ATTACKER = '127.0.0.4';
const BYSTANDER = '127.0.0.3';
const VERIFY = 'POST /api/v4/verify/rp_1';
const LIMITS = { verifications: 100, unknownIds: 90, statusFailures: 80, unfinished: 16, connections: 75 };
const MAX_CONNECTIONS = 600;
const BODY_BYTES = 200_000;
const HELD_BODIES = 10;

/** The limits of one address, over all connections that it has to three front ends, are those of a service with one. */
describe('one address that attacks all front ends at once', () => {
  const service = opened(async () => {
    const made = await FrontEndService.create(FRONT_ENDS, {
      PROOFGATE_VERIFY_RATE_LIMIT_PER_SECOND: '1',
      PROOFGATE_VERIFY_RATE_LIMIT_BURST: String(LIMITS.verifications),
      PROOFGATE_RATE_LIMITS_BRIDGE_FAILURES: String(LIMITS.unknownIds),
      PROOFGATE_RATE_LIMITS_STATUS_FAILURES: String(LIMITS.statusFailures),
      PROOFGATE_HTTP_MAX_UNFINISHED_PER_ADDRESS: String(LIMITS.unfinished),
      PROOFGATE_HTTP_MAX_BODY_BYTES_PER_ADDRESS: String((HELD_BODIES + 0.5) * BODY_BYTES),
      PROOFGATE_HTTP_BODY_LIMIT_BYTES: '1048576',
      // Of a quarter of these on, those of an address count: its bound is above what each attack but the last opens.
      PROOFGATE_HTTP_MAX_CONNECTIONS: String(MAX_CONNECTIONS),
      PROOFGATE_HTTP_MAX_CONNECTIONS_PER_ADDRESS: String(LIMITS.connections),
    });
    await made.node.start();
    return made;
  }, 'end');
  let clients: RawClient[] = [];

  const openClients = async (address = ATTACKER): Promise<void> => {
    clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openFrom(service.port, address)));
  };

  afterEach(() => {
    for (const client of clients) client.destroy();
  });

  /** Sends `count` requests over all connections, one after the other on each; counts the answers by status. */
  const statusesOf = async (count: number, next: () => string): Promise<Record<number, number>> => {
    const statuses: Record<number, number> = {};
    const frontEnds = new Set<number>();
    let sent = 0;
    await Promise.all(
      clients.map(async (client) => {
        while (sent++ < count) {
          client.send(next());
          const answer = await client.response();
          frontEnds.add(frontEndOf(answer).index);
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        }
      }),
    );
    expect(frontEnds.size).toBe(FRONT_ENDS);
    return statuses;
  };

  const bystander = async (line: string, body = ''): Promise<number> => {
    const client = await openFrom(service.port, BYSTANDER);
    client.send(requestText(line, [`Content-Length: ${body.length}`], body));
    const { status } = await client.response();
    client.destroy();
    return status;
  };

  it('is held to its rate of verifications', async () => {
    await openClients();
    const request = requestText(VERIFY, ['Content-Length: 2'], '{}');
    const most = 8 * LIMITS.verifications;
    const { verifications } = LIMITS;
    expect(await statusesOf(most, () => request)).toEqual({ 400: verifications, 429: most - verifications });
    expect(await bystander(VERIFY, '{}')).toBe(400);
  });

  it('is held to its number of unknown ids on the bridge', async () => {
    await openClients();
    const { unknownIds } = LIMITS;
    const request = (): string => requestText(`GET /bridge/response/${randomUUID()}`);
    expect(await statusesOf(600, request)).toEqual({ 404: unknownIds, 429: 600 - unknownIds });
    expect(await bystander(`GET /bridge/response/${randomUUID()}`)).toBe(404);
  });

  it('is held to its number of status calls without a sign-in', async () => {
    await openClients();
    const path = (): string => `GET /authorize/${randomUUID().replaceAll('-', '')}/status`;
    const statuses = await statusesOf(600, () => requestText(path()));
    // A call is counted when it has failed: those that are in progress at the limit are still served.
    const refused = 600 - LIMITS.statusFailures;
    expect(statuses[429]).toBeGreaterThan(refused - CONNECTIONS);
    expect(statuses[429]).toBeLessThanOrEqual(refused);
    expect(await bystander(path())).not.toBe(429);
  });

  it('is held to its number of unfinished requests', async () => {
    await openClients();
    for (const client of clients) client.send(requestText('POST /token', ['Content-Length: 1000']));
    const held = (): number => clients.filter(({ isClosed }) => !isClosed).length;
    // Front ends that find the bound exceeded at the same moment each end some, so that fewer may be left.
    await pollUntil(() => held() <= LIMITS.unfinished);
    expect(await bystander('POST /token', 'x')).not.toBe(503);
  });

  it('is held to its memory for bodies', async () => {
    await openClients(OTHER_ATTACKER);
    const part = requestText(VERIFY, [`Content-Length: ${BODY_BYTES + 1}`], ' '.repeat(BODY_BYTES));
    for (const client of clients) client.send(part);
    const held = (): number => clients.filter(({ isClosed }) => !isClosed).length;
    await pollUntil(() => held() <= HELD_BODIES);
    expect(held()).toBeGreaterThan(0);
    const first = clients.find(({ isClosed }) => isClosed);
    expect((await first?.response())?.status).toBe(503);
    expect(await bystander(VERIFY, '{}')).toBe(400);
  });

  it('is held to its number of connections', async () => {
    const openFromAttacker = async (): Promise<RawClient> => {
      const client = await openFrom(service.port, ATTACKER);
      clients.push(client);
      return client;
    };
    // One more than a quarter of all, on each front end about a third of that.
    for (let opened = 0; opened <= MAX_CONNECTIONS / 4; opened++) await openFromAttacker();
    await pollUntil(async () => {
      const client = await openFromAttacker();
      client.send(requestText('GET /healthz'));
      return await client.response().then(
        () => false,
        () => true,
      );
    });
    for (let refused = 0; refused < FRONT_ENDS; refused++) await (await openFromAttacker()).closed();
    expect(clients.filter(({ isClosed }) => !isClosed).length).toBeLessThan(MAX_CONNECTIONS / 2);
    expect(await bystander('GET /healthz')).toBe(200);
  });
});
