import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BackendChoice } from '../../../engine/backends/backend.ts';
import type { Engine } from '../../../engine/engine.ts';
import { INPUTS, KEY, PROOF } from '../../../engine/self-test/vectors.ts';
import { measureRowUs } from '../../../storage/nullifiers/row-cost.ts';
import { exampleRequest } from '../../../verification/offline/development-seed.ts';
import { createRequestParser } from '../../../verification/request/parse-request.ts';
import type { CommandContext } from '../../program/command.ts';
import type { Costs } from './shape-table.ts';

const KEY_ID = 'bench-shape';
const BATCH_PROOFS = 64;
const PROOF_MS = 60;
const ROW_MS = 50;
const PARSE_SLICES = 20;
const PARSES_PER_SLICE = 100;
const CONNECTIONS = 16;
const TRIP_SLICES = 8;
const TRIP_SLICE_MS = 15;
const ANSWER_BYTES = 500;

/** Runs `work` and returns the processor time that the process used meanwhile, in µs. */
async function cpuUs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Returns the processor time of one proof in batches, in µs: the least of several batches, in this thread. */
async function measureProofUs(engine: Engine): Promise<number> {
  await engine.registerKey(KEY_ID, KEY);
  const ends = performance.now() + PROOF_MS;
  let least = Number.POSITIVE_INFINITY;
  while (performance.now() < ends) {
    const batch = (): Promise<unknown> =>
      Promise.all(Array.from({ length: BATCH_PROOFS }, () => engine.verify(KEY_ID, PROOF, INPUTS)));
    least = Math.min(least, (await cpuUs(batch)) / BATCH_PROOFS);
  }
  return least;
}

/** Returns the processor time of parsing the body of a request with one proof, in µs: the least of several slices. */
async function measureParseUs(body: Uint8Array): Promise<number> {
  const parse = createRequestParser(1);
  let least = Number.POSITIVE_INFINITY;
  for (let slice = 0; slice < PARSE_SLICES; slice++) {
    const us = await cpuUs(() => {
      for (let count = 0; count < PARSES_PER_SLICE; count++) parse(body);
    });
    least = Math.min(least, us / PARSES_PER_SLICE);
  }
  return least;
}

/** Returns the processor time of one round trip on a local connection, both ends included, in µs: the least of several slices. */
async function measureTripUs(request: Uint8Array): Promise<number> {
  const answer = new Uint8Array(ANSWER_BYTES);
  const sockets: Socket[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.push(socket);
    socket.on('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  let trips = 0;
  for (let count = 0; count < CONNECTIONS; count++) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(request));
    socket.on('data', () => {
      trips += 1;
      socket.write(request);
    });
    sockets.push(socket);
  }
  let least = Number.POSITIVE_INFINITY;
  for (let slice = 0; slice < TRIP_SLICES; slice++) {
    const before = trips;
    const us = await cpuUs(() => pause(TRIP_SLICE_MS));
    if (trips > before) least = Math.min(least, us / (trips - before));
  }
  for (const socket of sockets) socket.destroy();
  server.close();
  return least;
}

/**
 * Processor time of a front end for a request of one proof, divided by that of parsing its body and of a round trip on a
 * local connection: a service cannot be started and warmed up within the time (bench/README.md#shape).
 */
const REQUEST_PER_PARTS = 1.5;

async function measureRequestUs(): Promise<number> {
  const body = Buffer.from(JSON.stringify(exampleRequest().body));
  return REQUEST_PER_PARTS * ((await measureParseUs(body)) + (await measureTripUs(body)));
}

async function measureRow(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'proofgate-bench-'));
  try {
    return await measureRowUs(folder, ROW_MS);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Measures what a verification costs on this machine, within a second.
 *
 * @param hasRows - Whether the store is embedded, so that one thread writes all rows.
 */
export async function measureCosts(
  context: CommandContext,
  backend: BackendChoice,
  hasRows: boolean,
): Promise<Costs & { readonly arithmetic: string }> {
  const settings = {
    workers: 0,
    backend,
    maxQueue: 2 * BATCH_PROOFS,
    maxBatch: BATCH_PROOFS,
    maxBatchDelayMs: 0,
  };
  const { arithmetic, proofUs } = await context.withEngine(settings, async (engine) => ({
    arithmetic: engine.stats().arithmetic,
    proofUs: await measureProofUs(engine),
  }));
  const requestUs = await measureRequestUs();
  return { arithmetic, proofUs, requestUs, rowUs: hasRows ? await measureRow() : undefined };
}
