import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { openedServer } from '../support/opened.ts';
import { attack, openFrom } from '../support/server/attackers.ts';
import { requestText } from '../support/server/raw-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pollUntil } from '../support/until.ts';

/** Above what the loader of modules opens at once at the start. */
const MAX_DESCRIPTORS = 384;
const CONNECTIONS = 550;
/** More than one address may hold while many are open, and fewer than the listener's total limit. */
const CROWD = 100;
const MOST_OPENED = 20_000;
/** A repeated log line is written at most once per this period. */
const REPEATED_MS = 10_000;
/** Sampling ends after `RUNNING_MS` of running or `WATCHED_MS` of time; a spinning thread runs longer than `RUNNING_MS`. */
const RUNNING_MS = 10;
const WATCHED_MS = 2000;
/** Sleeps per millisecond, far above a spinning thread, which sleeps hundreds of times less often than an idle one. */
const NOT_SPINNING = 0.5;

const HAS_PRLIMIT = spawnSync('prlimit', ['--version']).status === 0;

const dataDir = temporaryFolder('descriptors', afterAll);

const server = openedServer(dataDir, {}, [], MAX_DESCRIPTORS);

function publicPort(): number {
  return Number(new URL(server.publicUrl).port);
}

/** Returns the log lines of an event. */
function linesOf(event: string): string[] {
  return server
    .output()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`));
}

/** Returns how often the server's main thread went to sleep, and how many milliseconds it ran. */
function activity(): { readonly sleeps: number; readonly ranMs: number } {
  const task = `/proc/${server.child.pid}/task/${server.child.pid}`;
  const [ran = ''] = readFileSync(`${task}/schedstat`, 'utf8').split(' ');
  const sleeps = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`${task}/status`, 'utf8'))?.[1];
  return { sleeps: Number(sleeps), ranMs: Number(ran) / 1e6 };
}

/** Measures sleeps per millisecond of running. A spinning thread never sleeps, however busy the machine is. */
async function sleepsPerMillisecond(): Promise<number> {
  const before = activity();
  const end = performance.now() + WATCHED_MS;
  let after = before;
  while (after.ranMs - before.ranMs < RUNNING_MS && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    after = activity();
  }
  return (after.sleeps - before.sleeps) / (after.ranMs - before.ranMs);
}

async function isServed(localAddress: string): Promise<boolean> {
  try {
    const client = await openFrom(publicPort(), localAddress);
    client.send(requestText('GET /jwks.json'));
    const { status } = await client.response();
    client.destroy();
    return status === 200;
  } catch {
    return false;
  }
}

async function untilServed(localAddress: string): Promise<void> {
  while (!(await isServed(localAddress))) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Opens connections one by one until the listener refuses one. */
async function untilRefused(localAddress: string): Promise<void> {
  while (linesOf('http.connections_refused').length === 0) {
    await isServed(localAddress);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function metricsText(): Promise<string> {
  return (await fetch(`${server.adminUrl}/metrics`)).text();
}

/** Waits for the admin listener: it also pauses when descriptors run out, and resumes on its own schedule. */
async function untilAdminServes(): Promise<void> {
  const serves = (): Promise<boolean> =>
    metricsText().then(
      () => true,
      () => false,
    );
  while (!(await serves())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Returns how often the public listener paused for a reason, from the metrics. */
async function pausesOf(reason: string): Promise<number> {
  const name = `proofgate_http_accept_pauses_total\\{listener="public",reason="${reason}"\\}`;
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(await metricsText())?.[1] ?? 0);
}

describe('more connections than descriptors', () => {
  it('are refused from an address that has too many, while other addresses are served', async () => {
    const plan = {
      port: publicPort(),
      addressOf: () => '127.0.0.1',
      opening: '',
      mostOpened: MOST_OPENED,
    };
    const beganAt = performance.now();
    const attackers = [await attack({ ...plan, connections: CROWD })];
    try {
      await untilRefused('127.0.0.1');
      attackers.push(await attack({ ...plan, connections: CONNECTIONS }));
      for (let round = 0; round < 20; round++) expect(await isServed('127.0.0.2')).toBe(true);
    } finally {
      for (const each of attackers) each.stop();
    }
    expect(await metricsText()).toMatch(
      /^proofgate_http_connections_refused_total\{listener="public"\} [1-9]/m,
    );
    const windows = Math.ceil((performance.now() - beganAt) / REPEATED_MS);
    expect(linesOf('http.connections_refused').length).toBeLessThanOrEqual(1 + windows);
    expect(linesOf('http.accept_paused')).toHaveLength(0);
  });

  it('from as many addresses do not make the process spin, and appear in readiness, metrics and the log', async () => {
    const plan = {
      port: publicPort(),
      connections: CONNECTIONS,
      addressOf: (index: number) => `127.1.${index >> 8}.${index & 0xff}`,
      opening: '',
      mostOpened: MOST_OPENED,
    };
    const attackers = [await attack(plan)];
    try {
      await pollUntil(() => linesOf('http.accept_paused').length > 0);
      expect(await sleepsPerMillisecond()).toBeGreaterThan(NOT_SPINNING);
      // uWebSockets.js ends idle connections after ten seconds, and the pause with them.
      let report: unknown;
      await pollUntil(async () => {
        const ready = await fetch(`${server.adminUrl}/health/ready`);
        report = await ready.json();
        if (ready.status !== 503) attackers.push(await attack(plan));
        return ready.status === 503;
      });
      expect(report).toMatchObject({
        checks: {
          load: { status: 'failed', detail: 'no more connections are accepted' },
          store: { status: 'ok' },
        },
      });
      expect(await pausesOf('connections')).toBeGreaterThan(0);
    } finally {
      for (const each of attackers) each.stop();
    }
    await untilServed('127.0.0.2');
  });

  it.skipIf(!HAS_PRLIMIT)(
    'are not accepted when something else uses up the descriptors (prlimit)',
    async () => {
      const limit = (count: number): void => {
        expect(
          spawnSync('prlimit', ['--pid', String(server.child.pid), `--nofile=${count}:${MAX_DESCRIPTORS}`])
            .status,
        ).toBe(0);
      };
      limit(20);
      try {
        while (await isServed('127.0.0.2')) await new Promise((resolve) => setTimeout(resolve, 50));
        expect(await sleepsPerMillisecond()).toBeGreaterThan(NOT_SPINNING);
      } finally {
        limit(MAX_DESCRIPTORS);
      }
      await untilServed('127.0.0.2');
      await untilAdminServes();
      expect(await pausesOf('descriptors')).toBeGreaterThan(0);
    },
  );

  it('are logged once when the pauses begin and once when they end, with their number', async () => {
    const pauseLines = (): string[] =>
      server
        .output()
        .split('\n')
        .filter((line) => /"event":"http\.accept_(paused|resumed)"/.test(line))
        .filter((line) => line.includes('"listener":"public"'));
    await pollUntil(() => pauseLines().at(-1)?.includes('http.accept_resumed') === true);
    const lines = pauseLines().map((line) => JSON.parse(line) as { event: string; count?: number });
    expect(lines.map(({ event }) => event)).toEqual(
      lines.map((_, index) => (index % 2 === 0 ? 'http.accept_paused' : 'http.accept_resumed')),
    );
    const counted = lines.reduce((sum, { count = 0 }) => sum + count, 0);
    expect(counted).toBe((await pausesOf('connections')) + (await pausesOf('descriptors')));
  });
});
