import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports from which systems take those of outgoing connections, which could take it before the service. */
const LOWEST = 12_000;
const BEYOND = 32_000;

/** Finds an unused port. An issuer contains its port, so it must be known before the service listens. */
export async function freePort(): Promise<number> {
  const port = randomInt(LOWEST, BEYOND);
  return (await isFree(port)) ? port : await freePort();
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
