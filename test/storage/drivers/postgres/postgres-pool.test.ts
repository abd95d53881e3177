// Rules: spec/operations.md#transactions-on-postgresql
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresCredentials } from '../../../../src/storage/drivers/postgres/postgres-login.ts';
import { PostgresPool } from '../../../../src/storage/drivers/postgres/postgres-pool.ts';
import { addressOf } from '../../support/postgres-address-of.ts';

/** A server that accepts connections and says nothing. */
let server: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

it.each([
  ['all the time if there is no other server', 1, 60],
  ['no more than each attempt if there are others', 2, 20],
])('the first connection has %s', async (_, servers, limitMs) => {
  const { port } = server.address() as { port: number };
  const hosts = Array(servers).fill(`127.0.0.1:${port}`).join(',');
  const address = addressOf(`postgres://u:p@${hosts}/d`);
  const credentials = new PostgresCredentials(address);
  const limits = { maxSessions: 1, connectTimeoutMs: 20, loginGraceMs: 60 };
  const pool = new PostgresPool({ address, credentials, prepares: true, ...limits });
  await expect(pool.open(60)).rejects.toMatchObject({
    code: 'store.unreachable',
    message: expect.stringMatching(
      new RegExp(`^PostgreSQL at .*(: no answer within ${limitMs} ms(; )?.*){${servers}}$`),
    ),
  });
});
