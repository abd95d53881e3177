/**
 * Preload of a service (`--import`, in each of its threads) that makes a front end recognizable and lets it fail: the ids of
 * its requests begin with its number and that of its thread, and it carries out the orders that it gets at a socket in the
 * folder PLANTED_FOLDER.
 */
import crypto from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { threadId, workerData } from 'node:worker_threads';

const FAULTS = {
  throw() {
    throw new Error('planted exception');
  },
  reject() {
    Promise.reject(new Error('planted rejection'));
  },
  exit() {
    process.exit(3);
  },
};

if (workerData?.askableTrees !== undefined) {
  const { index } = workerData;
  const inFolder = (name) => join(process.env.PLANTED_FOLDER, name);
  if (existsSync(inFolder(`unready-${index}`))) throw new Error(`planted: front end ${index} cannot start`);

  const { randomUUID } = crypto;
  const mark = String(index).padStart(2, '0') + String(threadId).padStart(6, '0');
  crypto.randomUUID = (options) => mark + randomUUID(options).slice(mark.length);
  syncBuiltinESMExports();

  const orders = inFolder(`front-end-${index}`);
  rmSync(orders, { force: true });
  const server = createServer((socket) => {
    socket.on('data', (order) => FAULTS[String(order)]());
    socket.on('error', () => undefined);
  });
  server.listen(orders).unref();
}
