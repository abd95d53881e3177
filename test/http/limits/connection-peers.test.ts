import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countPeers, peersOf } from '../../../src/http/limits/connection-peers.ts';
import { freePort } from '../../support/free-port.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (local: string, remote: string, state: string): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 500485 1 0 100 0 0 10 0\n`;

describe('the connections of a port', () => {
  it('are read from the kernel tables, which print addresses as words in host byte order', () => {
    const table =
      HEAD +
      row('0100007F:1F90', '00000000:0000', '0A') +
      row('0100007F:1F90', '0200007F:C001', '01') +
      row('0100007F:1F90', '077100CB:C002', '08') +
      row('0100007F:1F90', '0300007F:C003', '06') +
      row('0200007F:C001', '0100007F:1F90', '01') +
      row('0100007F:1F91', '0400007F:C004', '01') +
      row('0000000000000000FFFF00000100007F:1F90', '0000000000000000FFFF00000500007F:C005', '01') +
      row('B80D0120000000000000000001000000:1F90', 'B80D0120000000000000000002000000:C006', '01');
    expect([...peersOf(table, 8080)]).toEqual(['127.0.0.2', '203.0.113.7', '127.0.0.5', '2001:db8::2']);
  });

  it('are read once if the kernel lists one twice', () => {
    const [one, other] = [
      row('0100007F:1F90', '0200007F:C001', '01'),
      row('0100007F:1F90', '0200007F:C002', '01'),
    ];
    expect([...peersOf(HEAD + one + other + one, 8080)]).toEqual(['127.0.0.2', '127.0.0.2']);
  });

  it('are counted by address, without exempt addresses', async () => {
    const server = createServer((socket) => socket.resume());
    // Not one that a connection of another test could have at its own end.
    const port = await freePort();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const sockets = ['127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.4'].map((localAddress) =>
      connect({ port, host: '127.0.0.1', localAddress }),
    );
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const counts = await countPeers(port, (peer) => peer !== '127.0.0.4');
    expect([...counts].sort()).toEqual([
      ['127.0.0.2', 2],
      ['127.0.0.3', 1],
    ]);
  });
});
