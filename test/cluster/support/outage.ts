/** Measures how nodes behave while their store is away. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import { bodyMaker, LOAD_APP } from '../../support/load.ts';
import { openRefreshClient } from '../../support/refresh/client.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { authorize, redeemCode } from '../../support/signin/driver.ts';
import type { Cluster } from './cluster.ts';

/** What was seen of an outage; times in milliseconds, by node. */
export interface Outage {
  /** From its beginning until a node was not ready. */
  readonly unreadyMs: readonly number[];
  /** From its end until a node was ready. */
  readonly readyMs: readonly number[];
  /** Answers to the requests that were sent together when it began, by status. */
  readonly flood: Readonly<Record<string, number>>;
  /** Until the last of these answers. */
  readonly floodMs: number;
  /** Answers to a request of each interface while the nodes were not ready. */
  readonly refusals: readonly Refused[];
  /** Connections to the servers that the nodes with a relay opened while it lasted. */
  readonly connections: number;
  /** Requests that are open at its end, by node. */
  readonly open: readonly number[];
  /** Resident memory in MB before it and at its end. */
  readonly memoryMb: readonly (readonly [before: number, after: number])[];
}

/** An answer of a node whose store is away. */
export interface Refused {
  readonly interface: string;
  readonly status: number;
  readonly retryAfter: string | null;
}

/** Requests that each node gets at once. */
const FLOOD = 200;
const POLL_MS = 10;
/** Longer than a connection attempt to both servers and the pause after it. */
const REST_MS = 5000;

/** Makes an outage under a flood of verifications, measures it, and waits until all nodes are ready again. */
export async function measureOutage(
  cluster: Cluster,
  client: TestClient,
  begin: () => Promise<void>,
  end: () => Promise<void>,
): Promise<Outage> {
  const nextBody = await bodyMaker(`outage ${performance.now()}`);
  const floods = cluster.nodeUrls.map((url) =>
    Array.from({ length: FLOOD }, () => [url, nextBody().body] as const),
  );
  const { body } = nextBody();
  const memory = cluster.nodes.map(memoryMb);
  const connections = connectionsOf(cluster);
  await begin();
  const begun = performance.now();
  const unready = timesUntil(cluster, 503);
  const flooded = Promise.all(
    floods.flat().map(async ([url, each]) => (await verify(url, each)).status),
  ).then((statuses) => ({ statuses, ms: performance.now() - begun }));
  const unreadyMs = await unready;
  const refusals = (await Promise.all(cluster.nodeUrls.map((url) => refusalsOf(url, client, body)))).flat();
  const { statuses, ms: floodMs } = await flooded;
  await delay(REST_MS);
  const memoryAfter = cluster.nodes.map(memoryMb);
  const opened = connectionsOf(cluster) - connections;
  const open = await Promise.all(cluster.nodes.map(openRequests));
  await end();
  const readyMs = await timesUntil(cluster, 200);
  return {
    unreadyMs,
    readyMs,
    flood: countBy(statuses),
    floodMs: Math.round(floodMs),
    refusals,
    connections: opened,
    open,
    memoryMb: memory.map((before, index) => [before, memoryAfter[index] ?? 0]),
  };
}

/** Waits until each node has a status of readiness; returns after how many milliseconds each had. */
function timesUntil(cluster: Cluster, status: number): Promise<number[]> {
  const start = performance.now();
  return Promise.all(
    cluster.nodes.map(async ({ adminUrl }) => {
      while ((await fetch(`${adminUrl}/health/ready`)).status !== status) await delay(POLL_MS);
      return Math.round(performance.now() - start);
    }),
  );
}

async function refusalsOf(url: string, client: TestClient, body: string): Promise<Refused[]> {
  const refresh = await openRefreshClient(url);
  const { clientId, redirectUri } = client;
  const parameters = {
    response_type: 'code',
    scope: 'openid',
    client_id: clientId,
    redirect_uri: redirectUri,
  };
  const answers: [string, Promise<{ readonly status: number; readonly headers: Headers }>][] = [
    ['verify', verify(url, body)],
    ['token', redeemCode(url, client, 'A'.repeat(43))],
    ['refresh', refresh.refresh(testHolder('cluster 1'))],
    ['authorize', authorize(url, parameters)],
  ];
  const refused = await Promise.all(
    answers.map(async ([name, answer]) => {
      const { status, headers } = await answer;
      return { interface: name, status, retryAfter: headers.get('retry-after') };
    }),
  );
  await refresh.close();
  return refused;
}

function verify(url: string, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}/api/v4/verify/${rpIdOf(LOAD_APP)}`, { method: 'POST', headers, body });
}

function connectionsOf({ relays }: Cluster): number {
  return relays.reduce((sum, { connections }) => sum + connections, 0);
}

function memoryMb({ child }: Cluster['nodes'][number]): number {
  const [, kb = 0] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1024);
}

async function openRequests({ adminUrl }: Cluster['nodes'][number]): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const [, count] = /^proofgate_http_open_exchanges\{listener="public"\} (\d+)$/m.exec(text) ?? [];
  return Number(count);
}

function countBy(statuses: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
